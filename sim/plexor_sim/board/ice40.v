// SPDX-License-Identifier: Apache-2.0
// The PLL of an iCE40 (Lattice FPGA-TN-02052, iCE40 sysCLOCK PLL design and usage guide), which
// icebox_vlog leaves as an instance. main.cpp drives its clocks, by its parameters, through the top
// `board`. Outputs that the design does not use are low.
module SB_PLL40_2F_CORE #(
    parameter FEEDBACK_PATH = "", DELAY_ADJUSTMENT_MODE_FEEDBACK = "",
    parameter DELAY_ADJUSTMENT_MODE_RELATIVE = "", PLLOUT_SELECT_PORTA = "",
    parameter PLLOUT_SELECT_PORTB = "", SHIFTREG_DIV_MODE = 0, FDA_FEEDBACK = 0,
    parameter FDA_RELATIVE = 0, DIVR = 0, DIVF = 0, DIVQ = 0, FILTER_RANGE = 0,
    parameter ENABLE_ICEGATE_PORTA = 0, ENABLE_ICEGATE_PORTB = 0, TEST_MODE = 0
) (
    input REFERENCECLK, EXTFEEDBACK, BYPASS, RESETB, LATCHINPUTVALUE, SDI, SCLK,
    input [7:0] DYNAMICDELAY,
    output PLLOUTCOREA, PLLOUTGLOBALA, PLLOUTCOREB, PLLOUTGLOBALB, LOCK, SDO
);
  assign PLLOUTGLOBALA = BYPASS ? REFERENCECLK : RESETB & board.fast[1];
  assign PLLOUTGLOBALB = BYPASS ? REFERENCECLK : RESETB & board.fast[0];
  assign PLLOUTCOREA = 0, PLLOUTCOREB = 0, SDO = 0;
  assign LOCK = RESETB & board.locked;
endmodule
