// SPDX-License-Identifier: Apache-2.0
// Cells of an ECP5, as nextpnr places and routes them, without delays. Carries follow the ECP5 data
// sheet (Lattice FPGA-DS-02012, slice and its CCU2 mode), memories of tables FPGA-TN-02204.

// A look-up table. In CCU2 mode it is half of an adder: the carry passes where the table says 1, and
// is that of the lower two inputs elsewhere. CCU2_INJECT1 removes the carry from F.
module TRELLIS_COMB #(
    parameter [15:0] INITVAL = 0, parameter MODE = "LOGIC", CCU2_INJECT1 = "NO"
) (
    input A, B, C, D, FCI,
    output F, FCO
);
  wire found = INITVAL[{D, C, B, A}];
  generate
    if (MODE == "CCU2") begin : half
      localparam WHOLE = CCU2_INJECT1 == "NO";
      assign F = found ^ (WHOLE & FCI);
      assign FCO = found ? FCI : WHOLE & INITVAL[{2'b00, B, A}];
    end else begin : alone
      assign F = found;
      assign FCO = 0;
    end
  endgenerate
endmodule

// A writable table: a bit of TRELLIS_DPR16X4, initially zeros. Bits 0 to 3 of the read address are at D,
// B, C and A.
module TRELLIS_DPRAM (
    input A, B, C, D, WCK, WRE, WD,
    input [3:0] WAD,
    output F
);
  reg [15:0] bits = 0;
  assign F = bits[{A, C, B, D}];
  always @(posedge WCK) if (WRE) bits[WAD] <= WD;
endmodule

// A multiplier of unsigned numbers. With REGISTERS both factors and the product have a register each
// (Lattice FPGA-TN-02205, sysDSP usage guide).
module MULT18X18D #(parameter REGISTERS = 0) (
    input CLK, CE, RST,
    input [17:0] A, B,
    output [35:0] P
);
  generate
    if (REGISTERS) begin : kept
      reg [17:0] a = 0, b = 0;
      reg [35:0] p = 0;
      assign P = p;
      always @(posedge CLK)
        if (RST) begin
          a <= 0;
          b <= 0;
          p <= 0;
        end else if (CE) begin
          a <= A;
          b <= B;
          p <= a * b;
        end
    end else begin : alone
      assign P = A * B;
    end
  endgenerate
endmodule

// A flip-flop that starts with its reset value. A reset takes effect without CE.
module TRELLIS_FF #(parameter CLKMUX = "CLK", REGSET = "RESET", SRMODE = "LSR_OVER_CE") (
    input CLK, CE, LSR, D,
    output reg Q = REGSET == "SET"
);
  localparam SET = REGSET == "SET";
  generate
    if (SRMODE == "ASYNC") begin : at_once
      if (CLKMUX == "INV") begin : fall
        always @(negedge CLK, posedge LSR) if (LSR) Q <= SET; else if (CE) Q <= D;
      end else begin : rise
        always @(posedge CLK, posedge LSR) if (LSR) Q <= SET; else if (CE) Q <= D;
      end
    end else if (CLKMUX == "INV") begin : fall
      always @(negedge CLK) if (LSR) Q <= SET; else if (CE) Q <= D;
    end else begin : rise
      always @(posedge CLK) if (LSR) Q <= SET; else if (CE) Q <= D;
    end
  endgenerate
endmodule
