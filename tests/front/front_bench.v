// A front-end's pins and words for a test: edges at any time in, all words of the core's clocks out.
// EDGES: lines of time in ps, rising. Words and edges go to WORDS, a line each, with their times in ps.
`timescale 1ps / 1fs
module front_bench;
  parameter EDGES = "edges.txt", WORDS = "words.txt";
  parameter CHANNELS = 2, OUTPUTS = 2, WIDTH = 16;
  parameter REFERENCE_PS = 40000.0;
  parameter LOOP_PS = 250.0;

  reg reference = 0;
  always #(REFERENCE_PS / 2) reference = ~reference;

  wire [OUTPUTS-1:0] outputs;
  reg [CHANNELS-1:0] channels = 0;
  reg [OUTPUTS*WIDTH-1:0] drives = 0;
  wire [CHANNELS*WIDTH-1:0] samples;
  wire core;
  front dut (.reference(reference), .channels(channels), .outputs(outputs), .drives(drives),
             .samples(samples), .core(core), .input_select(2'd0), .loopback_output(1'd0));

  integer edges, words, found;
  reg [63:0] clocks = 0;
  realtime at;

  // Channel 0 has the planted edges, channel 1 what output 0 does.
  initial begin
    edges = $fopen(EDGES, "r");
    words = $fopen(WORDS, "w");
    found = $fscanf(edges, "%f", at);
    while (found == 1) begin
      #(at - $realtime) channels[0] = ~channels[0];
      found = $fscanf(edges, "%f", at);
    end
    #200000;
    $fclose(words);
    $finish;
  end
  always @(outputs[0]) channels[1] <= #(LOOP_PS) outputs[0];

  always @(posedge core) begin
    $fdisplay(words, "%0d %0.3f %h %h", clocks, $realtime, samples, drives);
    clocks <= clocks + 1;
    // Short and long levels, and both ends of a word.
    drives <= {WIDTH{1'b0}} | (clocks[2:0] == 0 ? {OUTPUTS{clocks[3 +: WIDTH]}} : 0);
  end
endmodule
