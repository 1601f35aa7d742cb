// SPDX-License-Identifier: Apache-2.0
// CV32E40P, its clock never gated, with a program that allows its external interrupt, and stores a
// word in each.
module cv32e40p_system (
    input clk_i,
    input rst_ni,
    input irq_i,
    output fetches_o,
    output stores_o,
    output acknowledges_o,
    output [31:0] address_o
);
  reg [31:0] word;
  reg answers, stored;
  wire data_request;

  always @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      answers <= 0;
      stored <= 0;
      word <= 0;
    end else begin
      answers <= fetches_o;
      stored <= data_request;
      case (address_o[7:0])
        8'h80: word <= 32'h0000_12b7;   // lui t0, 1
        8'h84: word <= 32'h8002_8293;   // addi t0, t0, -2048
        8'h88: word <= 32'h3042_9073;   // csrw mie, t0
        8'h8c: word <= 32'h3004_6073;   // csrsi mstatus, 8
        8'h2c: word <= 32'h0050_2023;   // sw t0, 0(zero): the external interrupt begins here
        8'h30: word <= 32'h3020_0073;  // mret
        default: word <= 32'h0000_006f;  // j .
      endcase
    end

  assign stores_o = data_request;

  cv32e40p_core core (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .pulp_clock_en_i(1'b1),
      .scan_cg_en_i(1'b0),
      .boot_addr_i(32'h80),
      .mtvec_addr_i(0),
      .dm_halt_addr_i(0),
      .hart_id_i(0),
      .dm_exception_addr_i(0),
      .instr_req_o(fetches_o),
      .instr_gnt_i(fetches_o),
      .instr_rvalid_i(answers),
      .instr_addr_o(address_o),
      .instr_rdata_i(word),
      .data_req_o(data_request),
      .data_gnt_i(data_request),
      .data_rvalid_i(stored),
      .data_rdata_i(0),
      .apu_gnt_i(1'b0),
      .apu_rvalid_i(1'b0),
      .apu_result_i(0),
      .apu_flags_i(0),
      .irq_i({20'b0, irq_i, 11'b0}),
      .irq_ack_o(acknowledges_o),
      .debug_req_i(1'b0),
      .fetch_enable_i(1'b1)
  );
endmodule

module cv32e40p_clock_gate (
    input clk_i,
    input en_i,
    input scan_cg_en_i,
    output clk_o
);
  assign clk_o = clk_i;
endmodule
