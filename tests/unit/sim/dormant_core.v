// A core in yosys' form. `command` counts down from `value` when `go` is high, and adds up what two
// memories hold at its count. `dumper` follows it. `low` never stands still, nor does what follows
// it: `since`, and the register that reads `tags`. `stamp` follows `sum` as well, whenever `i_ready`
// is high, which goes to and fro. It writes `low` down while `open` is high.
module plexor(clk, rst, go, value, out);
  input clk;
  wire clk;
  input rst;
  wire rst;
  input go;
  wire go;
  input [3:0] value;
  wire [3:0] value;
  output [19:0] out;
  wire [19:0] out;
  wire [7:0] sum;
  wire [7:0] seen;
  wire [3:0] low;
  assign out = { low, seen, sum };
  \plexor.command  command (
    .clk(clk),
    .go(go),
    .\low$1 (low),
    .rst(rst),
    .sum(sum),
    .value(value)
  );
  \plexor.capture.stamp  stamp (
    .clk(clk),
    .low(low),
    .rst(rst),
    .sum(sum)
  );
  \plexor.dumper  dumper (
    .clk(clk),
    .rst(rst),
    .seen(seen),
    .sum(sum)
  );
  \plexor.timebase  timebase (
    .clk(clk),
    .low(low),
    .rst(rst)
  );
endmodule

module \plexor.capture.stamp (clk, rst, low, sum);
  input clk;
  wire clk;
  input rst;
  wire rst;
  input [3:0] low;
  wire [3:0] low;
  input [7:0] sum;
  wire [7:0] sum;
  reg i_ready = 1'h0;
  reg hold = 1'h0;
  reg open = 1'h0;
  reg [7:0] \event  = 8'h00;
  reg [3:0] stamps [15:0];
  always @(posedge clk) begin
    if (open)
      stamps[low] <= low;
  end
  reg [3:0] _0_;
  always @(posedge clk) begin
    if (open) begin
      _0_ <= stamps[\event [3:0]];
    end
  end
  reg [7:0] marks [1:0];
  always @(posedge clk) begin
    marks[i_ready] <= \event ;
  end
  reg [7:0] _1_;
  always @(posedge clk) begin
    _1_ <= marks[0];
  end
  always @(posedge clk)
    i_ready <= ~i_ready & ~hold;
  always @(posedge clk)
    hold <= | sum[1:0];
  always @(posedge clk)
    open <= sum[2];
  always @(posedge clk)
    \event  <= i_ready ? sum : \event ;
endmodule

module \plexor.command (clk, rst, go, value, \low$1 , sum);
  input clk;
  wire clk;
  input rst;
  wire rst;
  input go;
  wire go;
  input [3:0] value;
  wire [3:0] value;
  input [3:0] \low$1 ;
  wire [3:0] \low$1 ;
  output [7:0] sum;
  reg [7:0] sum = 8'h00;
  reg [3:0] left = 4'h0;
  reg [3:0] \end  = 4'h0;
  reg [3:0] since = 4'h0;
  reg [3:0] \next$2 ;
  wire \busy$1 ;
  wire [7:0] kept;
  wire [3:0] later;
  assign \busy$1  = | left;
  assign later = \low$1  + 4'h1;
  reg [7:0] words [15:0];
  always @(posedge clk) begin
    if (\busy$1 )
      words[left] <= sum;
  end
  reg [7:0] _0_;
  always @(posedge clk) begin
    _0_ <= words[left];
  end
  reg [3:0] tags [15:0];
  always @(posedge clk) begin
    if (\busy$1 )
      tags[left] <= \low$1 ;
  end
  reg [3:0] _1_;
  always @(posedge clk) begin
    _1_ <= tags[left];
  end
  reg [7:0] \late$2  [3:0];
  always @(posedge clk) begin
    if (\busy$1 )
      \late$2 [left[1:0]] <= sum;
  end
  assign kept = \late$2 [left[1:0]];
  always @(posedge clk)
    left <= \next$2 ;
  always @(posedge clk)
    \end  <= left;
  always @(posedge clk)
    since <= \busy$1  ? since : later;
  always @(posedge clk)
    sum <= \busy$1  ? sum + _0_ + kept + 8'h01 : sum;
  always @* begin
    \next$2  = left;
    casez (go)
      1'h1:
          \next$2  = value;
      default:
          /* empty */;
    endcase
    if (\busy$1 ) begin
      \next$2  = left - 4'h1;
    end
  end
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
  assign seen = \seen$2 ;
  always @(posedge clk)
    \seen$1  <= sum;
  always @(posedge clk)
    \seen$2  <= \seen$1 ;
endmodule

module \plexor.timebase (clk, rst, low);
  input clk;
  wire clk;
  input rst;
  wire rst;
  output [3:0] low;
  reg [3:0] low = 4'h0;
  always @(posedge clk)
    low <= low + 4'h1;
endmodule
