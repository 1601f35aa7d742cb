// SPDX-License-Identifier: Apache-2.0
// A block RAM (Lattice FPGA-TN-02002, Memory usage guide for iCE40 devices): 256 words of 16 bits. In
// mode m a port takes one of 2^m adjacent bits, selected by the address bits from 8 on. A read in the
// clock of a write to the same word returns the old contents.
module SB_RAM40_4K #(
    parameter READ_MODE = 0, WRITE_MODE = 0,
    parameter [255:0] INIT_0 = 0, INIT_1 = 0, INIT_2 = 0, INIT_3 = 0, INIT_4 = 0, INIT_5 = 0,
    parameter [255:0] INIT_6 = 0, INIT_7 = 0, INIT_8 = 0, INIT_9 = 0, INIT_A = 0, INIT_B = 0,
    parameter [255:0] INIT_C = 0, INIT_D = 0, INIT_E = 0, INIT_F = 0
) (
    input RCLK, RCLKE, RE, WCLK, WCLKE, WE,
    input [10:0] RADDR, WADDR,
    input [15:0] MASK, WDATA,
    output [15:0] RDATA
);
  // The wire of a group of 2^m bits: 0, 1 and 3 in groups of 2, 4 and 8 bits.
  localparam READ_BITS = 1 << READ_MODE, READ_PIN = READ_BITS / 2 - (READ_MODE > 0);
  localparam WRITE_BITS = 1 << WRITE_MODE, WRITE_PIN = WRITE_BITS / 2 - (WRITE_MODE > 0);
  localparam [4095:0] INIT = {
    INIT_F, INIT_E, INIT_D, INIT_C, INIT_B, INIT_A, INIT_9, INIT_8,
    INIT_7, INIT_6, INIT_5, INIT_4, INIT_3, INIT_2, INIT_1, INIT_0
  };

  reg [15:0] memory [0:255];
  integer row;
  initial for (row = 0; row < 256; row = row + 1) memory[row] = INIT[16 * row +: 16];

  wire [15:0] written, data;
  reg [15:0] word = 0;
  reg [2:0] part = 0;
  genvar n;
  generate
    for (n = 0; n < 16; n = n + 1) begin : bits
      if (WRITE_MODE == 0) begin : whole
        assign written[n] = ~MASK[n];
        assign data[n] = WDATA[n];
      end else begin : split
        assign written[n] = WADDR[8 +: WRITE_MODE] == n % WRITE_BITS;
        assign data[n] = WDATA[n / WRITE_BITS * WRITE_BITS + WRITE_PIN];
      end
      if (READ_MODE == 0) begin : all
        assign RDATA[n] = word[n];
      end else if (n % READ_BITS == READ_PIN) begin : one
        assign RDATA[n] = word[n / READ_BITS * READ_BITS + part % READ_BITS];
      end else begin : none
        assign RDATA[n] = 0;
      end
    end
  endgenerate

  always @(posedge WCLK) if (WE & WCLKE)
    memory[WADDR[7:0]] <= memory[WADDR[7:0]] & ~written | data & written;
  always @(posedge RCLK) if (RE & RCLKE) begin
    word <= memory[RADDR[7:0]];
    part <= RADDR[10:8];
  end
endmodule
