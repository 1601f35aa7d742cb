// A core in yosys' form. `command` counts down from `value` when `go` is high, and adds up what two
// memories hold at its count. `dumper` follows it. `count` is in no stage, and never stands still.
module plexor(clk, rst, go, value, out);
  input clk;
  wire clk;
  input rst;
  wire rst;
  input go;
  wire go;
  input [3:0] value;
  wire [3:0] value;
  output [23:0] out;
  wire [23:0] out;
  wire [7:0] sum;
  wire [7:0] seen;
  reg [7:0] count = 8'h00;
  assign out = { count, seen, sum };
  always @(posedge clk)
    count <= count + 8'h01;
  \plexor.command  command (
    .clk(clk),
    .go(go),
    .rst(rst),
    .sum(sum),
    .value(value)
  );
  \plexor.dumper  dumper (
    .clk(clk),
    .rst(rst),
    .seen(seen),
    .sum(sum)
  );
endmodule

module \plexor.command (clk, rst, go, value, sum);
  input clk;
  wire clk;
  input rst;
  wire rst;
  input go;
  wire go;
  input [3:0] value;
  wire [3:0] value;
  output [7:0] sum;
  reg [7:0] sum = 8'h00;
  reg [3:0] left = 4'h0;
  wire \busy$1 ;
  wire [7:0] kept;
  assign \busy$1  = | left;
  reg [7:0] words [15:0];
  always @(posedge clk) begin
    if (\busy$1 )
      words[left] <= sum;
  end
  reg [7:0] _0_;
  always @(posedge clk) begin
    _0_ <= words[left];
  end
  reg [7:0] \late$2  [3:0];
  always @(posedge clk) begin
    if (\busy$1 )
      \late$2 [left[1:0]] <= sum;
  end
  assign kept = \late$2 [left[1:0]];
  always @(posedge clk)
    left <= go ? value : \busy$1  ? left - 4'h1 : left;
  always @(posedge clk)
    sum <= \busy$1  ? sum + _0_ + kept + 8'h01 : sum;
endmodule

module \plexor.dumper (clk, rst, sum, seen);
  input clk;
  wire clk;
  input rst;
  wire rst;
  input [7:0] sum;
  wire [7:0] sum;
  output [7:0] seen;
  wire [7:0] seen;
  reg [7:0] \seen$1  = 8'h00;
  reg [7:0] \seen$2  = 8'h00;
  reg [7:0] \seen$3  = 8'h00;
  assign seen = \seen$3 ;
  always @(posedge clk)
    \seen$1  <= sum;
  always @(posedge clk)
    \seen$2  <= \seen$1 ;
  always @(posedge clk)
    \seen$3  <= \seen$2 ;
endmodule
