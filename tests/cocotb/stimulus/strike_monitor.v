// A stimulus, its clock, and a monitor that sees its samples only: it counts rises and tells the
// tick of rise number `target`, by changing `seen`.
module strike_monitor #(
    parameter W = 8,
    parameter STRIKES = 2,
    parameter CONFIG_BITS = 512,
    parameter START_TO_PHASE = 8
);
    reg clk = 0;
    always #4 clk = ~clk;

    reg [CONFIG_BITS-1:0] settings = 0;
    reg start = 0;
    reg [47:0] target = 0;
    reg [63:0] seen_ticks = 0;
    reg [47:0] rises = 0;
    reg [31:0] widest = 0;
    reg [31:0] narrowest = 32'hffffffff;
    reg seen = 0;

    wire [W-1:0] word;
    wire strike;
    wire done;
    stimulus dut (
        .clk(clk), .rst(1'b0), .\config (settings), .start_stb(start), .stop(1'b0),
        .strikes({STRIKES{1'b0}}), .gate(1'b0), .word(word), .strike_stb(strike), .done(done)
    );

    reg [63:0] clocks = 0;
    reg running = 0;
    reg level = 0;
    reg [63:0] risen = 0;
    integer i;
    // Blocking, sample by sample: the order in which the pin has them.
    always @(posedge clk) begin
        if (start) begin
            running = 1;
            clocks = 0;
            rises = 0;
        end else if (running) begin
            clocks = clocks + 1;
            if (word != {W{level}})
                for (i = 0; i < W; i = i + 1) begin
                    if (word[i] & ~level) begin
                        risen = (clocks - START_TO_PHASE) * W + i;
                        if (rises == target) begin
                            seen_ticks = risen;
                            seen = ~seen;
                        end
                        rises = rises + 1;
                    end
                    if (~word[i] & level) begin
                        if ((clocks - START_TO_PHASE) * W + i - risen > widest)
                            widest = (clocks - START_TO_PHASE) * W + i - risen;
                        if ((clocks - START_TO_PHASE) * W + i - risen < narrowest)
                            narrowest = (clocks - START_TO_PHASE) * W + i - risen;
                    end
                    level = word[i];
                end
        end
    end
endmodule
