// A front-end's pins and words for a test: edges at planted times in, every word of the core's clocks out.
// +edges=FILE: times in ps, rising, a line each; +words=FILE: clock, its time in ps, sample words and
// strike words; +lag=PS: of the core clock's tree; +loop=PS: from output 0 to channel 1; +select=N: what
// is sampled; +output=N: the output that is looped back.
`timescale 1ps / 1fs
module front_bench #(
    parameter CHANNELS = 2, OUTPUTS = 2, WIDTH = 16, REFERENCE_PS = 40000.0
);
  localparam LAST_PS = 200000;

  reg reference = 0;
  always #(REFERENCE_PS / 2) reference = ~reference;

  wire [OUTPUTS-1:0] outputs;
  reg [CHANNELS-1:0] channels = 0;
  reg [OUTPUTS*WIDTH-1:0] drives = 0;
  wire [CHANNELS*WIDTH-1:0] samples;
  wire core;
  reg [1:0] select = 0;
  reg output_number = 0;
  front dut (.reference(reference), .channels(channels), .outputs(outputs), .drives(drives),
             .samples(samples), .core(core), .input_select(select),
             .loopback_output(output_number));

  string edges_name, words_name;
  integer edges, words, found;
  reg [63:0] clocks = 0;
  real at, lag, loop_ps;

  initial begin
    found = $value$plusargs("edges=%s", edges_name);
    found = $value$plusargs("words=%s", words_name);
    found = $value$plusargs("lag=%f", lag);
    found = $value$plusargs("loop=%f", loop_ps);
    found = $value$plusargs("select=%d", select);
    found = $value$plusargs("output=%d", output_number);
    dut.front.core_buffer.lag_ps = lag;
    edges = $fopen(edges_name, "r");
    words = $fopen(words_name, "w");
    found = $fscanf(edges, "%f", at);
    while (found == 1) begin
      #(at - $realtime) channels[0] = ~channels[0];
      found = $fscanf(edges, "%f", at);
    end
    #(LAST_PS);
    $fclose(words);
    $finish;
  end
  always @(outputs[0]) fork
    automatic reg level = outputs[0];
    begin
      #(loop_ps) channels[1] = level;
    end
  join_none

  always @(posedge core) begin
    $fdisplay(words, "%0d %0.3f %h %h", clocks, $realtime, samples, drives);
    clocks <= clocks + 1;
    // Each fourth word any pattern, the others low: levels from one tick to many words.
    drives <= clocks[1:0] == 0 ? {OUTPUTS{clocks[2 +: WIDTH]}} : '0;
  end
endmodule
