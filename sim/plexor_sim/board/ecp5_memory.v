// SPDX-License-Identifier: Apache-2.0
// A block RAM of the ECP5 (Lattice FPGA-TN-02204, ECP5 and ECP5-5G memory usage guide): 1024 words of two
// bytes of 9 bits. A port of 1, 2 or 4 bits has the lower 8 of each byte. A word of 36 bits is two adjacent
// words. Port A writes it with the data pins of both ports, the even word with its own. Port B reads it in
// the same way.
//
// Where the guide says "unknown", the model gives the inverse of what a design may hope for. If a port reads
// a word while the other one writes it, it reads the inverse of the old word. If both ports write a word, the
// inverse of A's data is left. Both ports have one clock.
module DP16KD #(
    parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18, REGMODE_A = "NOREG", REGMODE_B = "NOREG",
    parameter WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL",
    parameter RESETMODE = "SYNC", ASYNC_RESET_RELEASE = "SYNC",
    parameter [2:0] CSDECODE_A = 0, CSDECODE_B = 0,
    parameter [20479:0] INITVAL = 0
) (
    input CLK, CEA, OCEA, WEA, RSTA, CEB, OCEB, WEB, RSTB,
    input [2:0] CSA, CSB,
    input [13:0] ADA, ADB,
    input [17:0] DIA, DIB,
    output [17:0] DOA, DOB
);
  localparam WHOLE_WRITE = DATA_WIDTH_A == 36, WHOLE_READ = DATA_WIDTH_B == 36;
  localparam WIDTH_A = WHOLE_WRITE ? 18 : DATA_WIDTH_A, WIDTH_B = WHOLE_READ ? 18 : DATA_WIDTH_B;
  localparam SYNC = RESETMODE == "SYNC";

  reg [17:0] memory [0:1023];
  integer n;
  // A row of INITVAL is 16 words of 20 bits. The lower 18 bits of each are data.
  initial for (n = 0; n < 1024; n = n + 1) memory[n] = INITVAL[20 * n +: 18];

  // A synchronous reset blocks the port's access in its clock.
  wire active_a = CEA & CSA == CSDECODE_A & ~(SYNC & RSTA);
  wire active_b = CEB & CSB == CSDECODE_B & ~(SYNC & RSTB);
  wire [9:0] word_a = {ADA[13:5], ADA[4] & !WHOLE_WRITE}, next_a = {ADA[13:5], 1'b1};
  wire [9:0] word_b = {ADB[13:5], ADB[4] & !WHOLE_READ}, next_b = {ADB[13:5], 1'b1};
  wire [17:0] old_a = memory[word_a], old_b = memory[word_b], old_next_b = memory[next_b];

  // The bits that are written, and the data in their places.
  wire [17:0] mask_a, mask_b, data_a, data_b;
  wire [17:0] mask_next_a = active_a & WEA && WHOLE_WRITE ? {{9{ADA[3]}}, {9{ADA[2]}}} : 0;
  dp16kd_lane #(WIDTH_A) lane_a (.write(active_a & WEA), .AD(ADA[3:0]), .DI(DIA), .mask(mask_a), .data(data_a));
  dp16kd_lane #(WIDTH_B) lane_b (.write(active_b & WEB), .AD(ADB[3:0]), .DI(DIB), .mask(mask_b), .data(data_b));

  // The bits that the other port writes in the same clock.
  wire [17:0] by_b = word_a == word_b ? mask_b : 0;
  wire [17:0] by_a = (word_b == word_a ? mask_a : 0) | (word_b == next_a ? mask_next_a : 0);
  wire [17:0] next_by_a = (next_b == word_a ? mask_a : 0) | (next_b == next_a ? mask_next_a : 0);

  always @(posedge CLK) begin
    if (mask_a != 0) memory[word_a] <= old_a & ~mask_a | data_a & mask_a;
    if (mask_next_a != 0) memory[next_a] <= memory[next_a] & ~mask_next_a | DIB & mask_next_a;
    if (mask_b != 0) memory[word_b] <=
        old_b & ~by_a & ~mask_b | data_b & mask_b & ~by_a | (data_a ^ mask_b) & by_a;
  end

  wire [17:0] only_a, first_b, second_b;
  dp16kd_output #(WIDTH_A, REGMODE_A, WRITEMODE_A, RESETMODE, ASYNC_RESET_RELEASE) output_a (
    .CLK(CLK), .OCE(OCEA), .RST(RSTA), .AD(ADA[3:0]), .DO(only_a), .active(active_a), .write(WEA),
    .old(old_a ^ by_b), .written(old_a & ~mask_a | data_a & mask_a)
  );
  dp16kd_output #(WIDTH_B, REGMODE_B, WRITEMODE_B, RESETMODE, ASYNC_RESET_RELEASE) output_b (
    .CLK(CLK), .OCE(OCEB), .RST(RSTB), .AD(ADB[3:0]), .DO(first_b), .active(active_b), .write(WEB),
    .old(old_b ^ by_a), .written(old_b & ~mask_b | data_b & mask_b)
  );
  dp16kd_output #(18, REGMODE_B, "NORMAL", RESETMODE, ASYNC_RESET_RELEASE) output_next_b (
    .CLK(CLK), .OCE(OCEB), .RST(RSTB), .AD(4'b0), .DO(second_b), .active(active_b), .write(1'b0),
    .old(old_next_b ^ next_by_a), .written(18'b0)
  );
  assign DOA = WHOLE_READ ? first_b : only_a;
  assign DOB = WHOLE_READ ? second_b : first_b;
endmodule

// The bits of a word that a port writes. An 18-bit port has an enable for each byte at AD[1:0].
module dp16kd_lane #(parameter WIDTH = 18) (
    input write,
    input [3:0] AD,
    input [17:0] DI,
    output reg [17:0] mask, data
);
  always @* begin
    mask = 0;
    data = DI;
    case (WIDTH)
      18: mask = {{9{AD[1]}}, {9{AD[0]}}};
      9: begin mask = 18'h1ff << 9 * AD[3]; data = {2{DI[8:0]}}; end
      4: begin mask = 18'hf << 9 * AD[3] + 4 * AD[2]; data = {2{1'b0, {2{DI[3:0]}}}}; end
      2: begin mask = 18'h3 << 9 * AD[3] + 2 * AD[2:1]; data = {2{1'b0, {4{DI[1:0]}}}}; end
      default: begin mask = 18'h1 << 9 * AD[3] + AD[2:0]; data = {18{DI[0]}}; end
    endcase
    if (!write) mask = 0;
  end
endmodule

// The data that a port reads. It comes after the clock, with OUTREG one clock later if OCE enables it. CE is
// for the first clock only. WRITEMODE says what a write reads: nothing, the old word, or the new one.
module dp16kd_output #(
    parameter WIDTH = 18, REGMODE = "NOREG", WRITEMODE = "NORMAL", RESETMODE = "SYNC",
    parameter ASYNC_RESET_RELEASE = "SYNC"
) (
    input CLK, OCE, RST, active, write,
    input [3:0] AD,
    input [17:0] old, written,
    output [17:0] DO
);
  reg [17:0] found = 0, kept = 0;
  wire [17:0] word = write && WRITEMODE == "WRITETHROUGH" ? written : old;
  reg [17:0] read;
  always @*
    case (WIDTH)
      18: read = word;
      9: read = word[9 * AD[3] +: 9];
      4: read = word[9 * AD[3] + 4 * AD[2] +: 4];
      2: read = word[9 * AD[3] + 2 * AD[2:1] +: 2];
      default: read = word[9 * AD[3] + AD[2:0]];
    endcase
  wire take = active & ~(write && WRITEMODE == "NORMAL");

  generate
    if (RESETMODE == "SYNC") begin : at_clock
      always @(posedge CLK) begin
        if (RST) found <= 0; else if (take) found <= read;
        if (RST) kept <= 0; else if (OCE) kept <= found;
      end
    end else begin : at_once
      // The reset is held until a clock after its end if it is released synchronously.
      reg held = 0;
      always @(posedge CLK, posedge RST) held <= RST;
      wire reset = RST | held & (ASYNC_RESET_RELEASE == "SYNC");
      always @(posedge CLK, posedge reset)
        if (reset) begin
          found <= 0;
          kept <= 0;
        end else begin
          if (take) found <= read;
          if (OCE) kept <= found;
        end
    end
  endgenerate
  assign DO = REGMODE == "OUTREG" ? kept : found;
endmodule
