// SPDX-License-Identifier: Apache-2.0
// The iCE40 UltraPlus cells that the front-end instantiates beside those in ice40.v.
`timescale 1ps / 1fs

// Like SB_PLL40_2F_CORE, but the reference comes from a pad.
module SB_PLL40_2F_PAD #(
    parameter FEEDBACK_PATH = "SIMPLE", DELAY_ADJUSTMENT_MODE_FEEDBACK = "FIXED",
    parameter DELAY_ADJUSTMENT_MODE_RELATIVE = "FIXED", PLLOUT_SELECT_PORTA = "GENCLK",
    parameter PLLOUT_SELECT_PORTB = "GENCLK",
    parameter [3:0] FDA_FEEDBACK = 0, FDA_RELATIVE = 0, DIVR = 0,
    parameter [1:0] SHIFTREG_DIV_MODE = 0,
    parameter [6:0] DIVF = 0,
    parameter [2:0] DIVQ = 0, FILTER_RANGE = 0,
    parameter [0:0] ENABLE_ICEGATE_PORTA = 0, ENABLE_ICEGATE_PORTB = 0
) (
    input PACKAGEPIN, RESETB, BYPASS,
    output PLLOUTGLOBALA, PLLOUTGLOBALB, LOCK
);
  SB_PLL40_2F_CORE #(.FDA_RELATIVE(FDA_RELATIVE), .DIVR(DIVR), .DIVF(DIVF), .DIVQ(DIVQ)) pll (
      .REFERENCECLK(PACKAGEPIN), .RESETB(RESETB), .BYPASS(BYPASS),
      .PLLOUTGLOBALA(PLLOUTGLOBALA), .PLLOUTGLOBALB(PLLOUTGLOBALB), .LOCK(LOCK));
endmodule

// The oscillator: 48 MHz divided by 2^CLKHF_DIV, as inaccurate as one without a crystal.
module SB_HFOSC #(parameter CLKHF_DIV = "0b00") (input CLKHFPU, CLKHFEN, output reg CLKHF = 0);
  localparam OFF = 0.96;
  localparam SHIFT = CLKHF_DIV == "0b11" ? 3 : CLKHF_DIV == "0b10" ? 2 : CLKHF_DIV == "0b01" ? 1 : 0;
  initial begin
    wait (CLKHFPU && CLKHFEN);
    forever #(1.0e6 / 48 * OFF / 2 * (1 << SHIFT)) CLKHF = ~CLKHF;
  end
endmodule
