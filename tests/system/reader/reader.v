// Reads the timecode with a clock of its own. Bit k comes to it k clocks late, as by wires of different
// lengths. Each EVERY clocks it takes all bits at once and shows the count with a strobe.
module reader #(
  parameter GRAY = 1,
  parameter EVERY = 96
) (
  input            clk,
  input      [7:0] timecode,
  output reg       strobe,
  output reg [7:0] count
);
  reg [7:0] late [0:7];
  reg [7:0] taken;
  reg [9:0] clocks = 0;
  integer k;

  always @* begin
    for (k = 0; k < 8; k = k + 1) taken[k] = late[k][k];
  end

  function [7:0] binary(input [7:0] gray);
    integer bit_number;
    begin
      binary[7] = gray[7];
      for (bit_number = 6; bit_number >= 0; bit_number = bit_number - 1)
        binary[bit_number] = binary[bit_number + 1] ^ gray[bit_number];
    end
  endfunction

  always @(posedge clk) begin
    for (k = 0; k < 8; k = k + 1) late[k] <= {late[k][6:0], timecode[k]};
    clocks <= clocks == EVERY - 1 ? 0 : clocks + 1;
    strobe <= clocks == 0;
    if (clocks == 0) count <= GRAY ? binary(taken) : taken;
  end
endmodule
