// A device that says what it does. Each strike is an interrupt, which wakes a task; the task calls
// two functions and waits again. Each step sends a code of 8 bits on two wires, the highest bit
// first: class in the upper four bits, id below. A port of 8 bits shows the same codes.
module coded (
  input clk, input reset, input strike,
  output reg irq, output reg done, output code_clock, output code_data, output reg [7:0] port
);
  localparam STEP_CLOCKS = 300;  // longer than a code
  localparam STEPS = 10;

  function [7:0] code(input [3:0] step);
    case (step)
      0: code = 8'h60;  // interrupt 0 begins
      1: code = 8'h70;  // interrupt 0 ends
      2: code = 8'h13;  // task 3 runs
      3: code = 8'h81;  // function 1 begins
      4: code = 8'h82;  // function 2 begins
      5: code = 8'h92;  // function 2 ends
      6: code = 8'h91;  // function 1 ends
      7: code = 8'h33;  // task 3 waits
      8: code = 8'h10;  // task 0 runs
      default: code = 8'h00;
    endcase
  endfunction

  reg [2:0] sync;
  reg busy;
  reg [3:0] step;
  reg [8:0] since;        // clocks since the step began
  reg [7:0] word;
  wire [4:0] place = since[8:4];    // bit that is sent; 16 clocks each
  wire sends = busy & step != 9 & place < 8;

  always @(posedge clk) begin
    sync <= {sync[1:0], strike};
    if (reset) begin
      busy <= 0;
      irq <= 0;
      done <= 0;
      port <= 0;
    end else if (!busy) begin
      busy <= sync[1] & ~sync[2];
      step <= 0;
      since <= 0;
      word <= code(0);
    end else begin
      irq <= step == 0;
      done <= step == 6;
      since <= since + 1;
      if (since == 0 & step != 9) port <= word;
      if (sends & since[3:0] == 15) word <= word << 1;
      if (since == STEP_CLOCKS - 1) begin
        since <= 0;
        step <= step + 1;
        word <= code(step + 1);
        if (step == STEPS - 1) busy <= 0;
      end
    end
  end

  assign code_clock = sends & since[3];
  assign code_data = sends & word[7];
endmodule
