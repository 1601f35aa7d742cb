// SPDX-License-Identifier: Apache-2.0
// The iCE40 cells that the front-end instantiates, as far as it uses them, for simulators with time.
// They follow Lattice FPGA-TN-02052 (PLL) and FPGA-TN-02026 (the others), without delays.
`timescale 1ps / 1fs

// Both outputs are REFERENCECLK x (DIVF + 1) / (DIVR + 1) / 2^DIVQ; A is (FDA_RELATIVE + 1) x 150 ps later.
module SB_PLL40_2F_CORE #(
    parameter FEEDBACK_PATH = "SIMPLE", DELAY_ADJUSTMENT_MODE_FEEDBACK = "FIXED",
    parameter DELAY_ADJUSTMENT_MODE_RELATIVE = "FIXED", PLLOUT_SELECT_PORTA = "GENCLK",
    parameter PLLOUT_SELECT_PORTB = "GENCLK",
    parameter [3:0] FDA_FEEDBACK = 0, FDA_RELATIVE = 0, DIVR = 0,
    parameter [1:0] SHIFTREG_DIV_MODE = 0,
    parameter [6:0] DIVF = 0,
    parameter [2:0] DIVQ = 0, FILTER_RANGE = 0,
    parameter [0:0] ENABLE_ICEGATE_PORTA = 0, ENABLE_ICEGATE_PORTB = 0
) (
    input REFERENCECLK, RESETB, BYPASS,
    output reg PLLOUTGLOBALA = 0, PLLOUTGLOBALB = 0, LOCK = 0
);
  localparam STEP_PS = 150;
  realtime first = 0, second = 0, half, start;
  integer edges = 0;
  longint count = 0;

  always @(posedge REFERENCECLK) if (edges < 3) begin
    edges = edges + 1;
    first = second;
    second = $realtime;
  end

  initial begin
    wait (edges == 3);
    half = (second - first) * (DIVR + 1) * (1 << DIVQ) / (DIVF + 1) / 2;
    start = second;
    forever begin
      // Each edge is timed from the start, so that rounding does not add up.
      #(start + half * count - $realtime) PLLOUTGLOBALB = ~count[0];
      count = count + 1;
    end
  end
  always @(PLLOUTGLOBALB) fork
    automatic reg level = PLLOUTGLOBALB;
    begin
      #((FDA_RELATIVE + 1) * STEP_PS) PLLOUTGLOBALA = level;
    end
  join_none
  initial begin
    wait (edges == 3);
    #(20 * (second - first)) LOCK = 1;
  end
endmodule

// A global clock buffer. A test bench may set the lag of its clock tree.
module SB_GB (input USER_SIGNAL_TO_GLOBAL_BUFFER, output reg GLOBAL_BUFFER_OUTPUT = 0);
  realtime lag_ps = 0;
  // Each edge has its own process, because a delayed assignment would wait for the previous one.
  always @(USER_SIGNAL_TO_GLOBAL_BUFFER) fork
    automatic reg level = USER_SIGNAL_TO_GLOBAL_BUFFER;
    begin
      #(lag_ps) GLOBAL_BUFFER_OUTPUT = level;
    end
  join_none
endmodule

// A pad that is driven and read (PIN_TYPE 011001).
module SB_IO #(parameter [5:0] PIN_TYPE = 0) (input D_OUT_0, output D_IN_0, inout PACKAGE_PIN);
  assign PACKAGE_PIN = D_OUT_0;
  assign D_IN_0 = PACKAGE_PIN;
endmodule

// A look-up table. Inverters have a delay, so that a ring of them oscillates.
module SB_LUT4 #(parameter [15:0] LUT_INIT = 0) (input I0, I1, I2, I3, output O);
  localparam INVERTER = 16'h5555, INVERTER_PS = 1300;
  reg ringing = 0;
  initial if (LUT_INIT == INVERTER) forever #(INVERTER_PS) ringing = ~I0;
  assign O = LUT_INIT == INVERTER ? ringing : LUT_INIT[{I3, I2, I1, I0}];
endmodule
