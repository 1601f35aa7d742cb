// SPDX-License-Identifier: Apache-2.0
// The ECP5 cells that the front-end instantiates, as far as it uses them, for simulators with time.
// They follow Lattice FPGA-TN-02200 (PLL, DCCA, OSCG) and FPGA-TN-02032 (BB), without delays.
`timescale 1ps / 1fs

// The outputs are CLKI x CLKFB_DIV / CLKI_DIV. CPHASE (periods of the VCO) and FPHASE (eighths) set their
// phases relative to CLKOP, which is aligned with CLKI. FEEDBK_PATH is CLKOP.
module EHXPLLL #(
    parameter CLKI_DIV = 1, CLKFB_DIV = 1, FEEDBK_PATH = "CLKOP",
    parameter CLKOP_DIV = 8, CLKOP_CPHASE = 0, CLKOP_FPHASE = 0, CLKOP_ENABLE = "ENABLED",
    parameter CLKOS_DIV = 8, CLKOS_CPHASE = 0, CLKOS_FPHASE = 0, CLKOS_ENABLE = "DISABLED",
    parameter CLKOS2_DIV = 8, CLKOS2_CPHASE = 0, CLKOS2_FPHASE = 0, CLKOS2_ENABLE = "DISABLED",
    parameter CLKOS3_DIV = 8, CLKOS3_CPHASE = 0, CLKOS3_FPHASE = 0, CLKOS3_ENABLE = "DISABLED",
    parameter PLLRST_ENA = "DISABLED", INTFB_WAKE = "DISABLED", STDBY_ENABLE = "DISABLED",
    parameter DPHASE_SOURCE = "DISABLED"
) (
    input CLKI, CLKFB, RST, STDBY, PLLWAKESYNC, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP,
    input PHASELOADREG, ENCLKOP,
    output reg CLKOP = 0, CLKOS = 0, CLKOS2 = 0, CLKOS3 = 0, LOCK = 0
);
  realtime vco, start;
  realtime first = 0, second = 0;
  integer edges = 0;

  always @(posedge CLKI) if (edges < 3) begin
    edges = edges + 1;
    first = second;
    second = $realtime;
  end

  task automatic oscillate(input integer output_number, input integer div, input integer cphase,
                           input integer fphase);
    realtime half, offset;
    longint count;
    begin
      wait (edges == 3);
      vco = (second - first) * CLKI_DIV / CLKFB_DIV / CLKOP_DIV;
      half = vco * div / 2;
      offset = vco * (cphase - CLKOP_CPHASE) + vco * fphase / 8 + vco * div;
      start = second;
      count = 0;
      forever begin
        // Each edge is timed from the start, so that rounding does not add up.
        #(start + offset + half * count - $realtime);
        case (output_number)
          0: CLKOP = ~count[0];
          1: CLKOS = ~count[0];
          2: CLKOS2 = ~count[0];
          default: CLKOS3 = ~count[0];
        endcase
        count = count + 1;
      end
    end
  endtask

  initial if (CLKOP_ENABLE == "ENABLED") oscillate(0, CLKOP_DIV, CLKOP_CPHASE, CLKOP_FPHASE);
  initial if (CLKOS_ENABLE == "ENABLED") oscillate(1, CLKOS_DIV, CLKOS_CPHASE, CLKOS_FPHASE);
  initial if (CLKOS2_ENABLE == "ENABLED") oscillate(2, CLKOS2_DIV, CLKOS2_CPHASE, CLKOS2_FPHASE);
  initial if (CLKOS3_ENABLE == "ENABLED") oscillate(3, CLKOS3_DIV, CLKOS3_CPHASE, CLKOS3_FPHASE);
  initial begin
    wait (edges == 3);
    #(20 * (second - first)) LOCK = 1;
  end
endmodule

// A global clock buffer; CE is high. A test bench may set the lag of its clock tree.
module DCCA (input CLKI, CE, output reg CLKO = 0);
  realtime lag_ps = 0;
  // Each edge has its own process, because a delayed assignment would wait for the previous one.
  always @(CLKI) fork
    automatic reg level = CLKI & CE;
    begin
      #(lag_ps) CLKO = level;
    end
  join_none
endmodule

// About 310 MHz / DIV. Its period is no multiple of another clock's.
module OSCG #(parameter DIV = 128) (output reg OSC = 0);
  initial forever #(3226.7 * DIV / 2) OSC = ~OSC;
endmodule

// A pad that is driven.
module BB (input I, T, output O, inout B);
  assign B = T ? 1'bz : I;
  assign O = B;
endmodule

module LUT4 #(parameter [15:0] INIT = 0) (input A, B, C, D, output Z);
  assign Z = INIT[{D, C, B, A}];
endmodule
