// SPDX-License-Identifier: Apache-2.0
// Signals of all kinds, for a dump: what is low and high, unknown and floating, wide and named oddly.
`timescale 1ns / 1ps
module leaf #(parameter WIDTH = 4) (
    input clk,
    input [WIDTH-1:0] d,
    output reg [WIDTH-1:0] q
);
  always @(posedge clk) q <= d + 1;
endmodule

module bench;
  reg clk = 0;
  reg late;
  reg [7:0] up = 0;
  reg [0:7] other_way = 8'h81;
  reg signed [3:-4] below = 0;
  reg [70:0] wide = 1;
  reg \odd.name[1] = 0;
  integer count = 0;
  real volts = 0.5;
  time moment = 0;
  event ticked;
  wire floating = up[1] ? up[2] : 1'bz;
  wire unknown = up[3] ? 1'bx : up[0];
  wire [3:0] q;
  leaf leaf_0 (.clk(clk), .d(up[3:0]), .q(q));
  always #5 clk = ~clk;
  always @(posedge clk) begin
    up <= up + 3;
    other_way <= {other_way[1:7], other_way[0] ^ up[2]};
    below <= below - 1;
    wide <= {wide[69:0], wide[70] ^ up[1]};
    \odd.name[1] <= up[2];
    count = count + 1;
    volts = volts * 1.25;
    moment = $time;
    -> ticked;
  end
  initial begin
    $dumpfile(`FILE);
    $dumpvars(0, bench);
    #0 clk = 1;
    #33.125 late = 1;
    #20 late = 0;
    #100 $dumpoff;
    #100 $dumpon;
    #50 late = 1;
    #700 $finish;
  end
endmodule
