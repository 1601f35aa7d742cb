// A wire with a delay, which passes pulses of any width.
`timescale 1ps / 1fs
module LAG #(parameter PS = 0) (input i, output reg o = 0);
  // One process an edge: an assignment with a delay of its own would wait for the one before.
  always @(i) fork
    automatic reg level = i;
    begin
      #(PS) o = level;
    end
  join_none
endmodule
