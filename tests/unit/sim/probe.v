// A core of the instrument's ports for tests of what surrounds it: plays and records whole words.
// DEPTH words of strikes come in on `rx`, lowest byte first. Then each word is driven for one
// clock, the samples of the same clock are recorded, and the record is sent on `tx`; then anew.
// The load output is high in the second half of the played words.
module plexor #(
  parameter STRIKE_BITS = 8,
  parameter SAMPLE_BITS = 8,
  parameter DEPTH = 256,
  parameter [1:0] INPUT = 0
) (
  input clk,
  input rst,
  input [SAMPLE_BITS-1:0] samples,
  output [STRIKE_BITS-1:0] strikes,
  output load,
  input gate, clock_lost,
  output [1:0] input_select,
  output [2:0] loopback_output,
  input [7:0] rx__payload,
  input rx__valid,
  output rx__ready,
  output [7:0] tx__payload,
  output tx__valid,
  input tx__ready
);
  localparam STRIKE_BYTES = (STRIKE_BITS + 7) / 8;
  localparam SAMPLE_BYTES = (SAMPLE_BITS + 7) / 8;
  localparam [1:0] FILL = 0, PLAY = 1, SEND = 2;
  reg [8*STRIKE_BYTES-1:0] played [0:DEPTH-1];
  reg [8*SAMPLE_BYTES-1:0] recorded [0:DEPTH-1];
  reg [1:0] state = FILL;
  reg [15:0] word = 0, byte_number = 0;

  assign input_select = INPUT;
  assign loopback_output = 0;
  assign rx__ready = state == FILL;
  assign tx__valid = state == SEND;
  assign tx__payload = recorded[word][8*byte_number +: 8];
  assign strikes = state == PLAY ? played[word][STRIKE_BITS-1:0] : 0;
  assign load = state == PLAY && word >= DEPTH / 2;

  wire moves = state == FILL ? rx__valid : tx__ready;
  wire [15:0] last_byte = state == FILL ? STRIKE_BYTES - 1 : SAMPLE_BYTES - 1;
  always @(posedge clk)
    if (rst) begin
      state <= FILL;
      word <= 0;
      byte_number <= 0;
    end else if (state == PLAY) begin
      recorded[word] <= samples;
      word <= word == DEPTH - 1 ? 0 : word + 1;
      if (word == DEPTH - 1) state <= SEND;
    end else if (moves) begin
      if (state == FILL) played[word][8*byte_number +: 8] <= rx__payload;
      byte_number <= byte_number == last_byte ? 0 : byte_number + 1;
      if (byte_number == last_byte) begin
        word <= word == DEPTH - 1 ? 0 : word + 1;
        if (word == DEPTH - 1) state <= state == FILL ? PLAY : FILL;
      end
    end
endmodule
