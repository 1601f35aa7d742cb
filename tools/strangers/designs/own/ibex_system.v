// SPDX-License-Identifier: Apache-2.0
// Ibex with registers and a program that allows its external interrupt, and stores a word in each.
module ibex_system (
    input clk_i,
    input rst_ni,
    input irq_i,
    input nmi_i,
    output fetches_o,
    output stores_o,
    output [31:0] address_o
);
  reg [31:0] registers[0:31], word;
  reg answers, stored;
  wire [4:0] first, second, target;
  wire [31:0] result, data_address;
  wire writes, data_request;
  integer number;

  initial for (number = 0; number < 32; number = number + 1) registers[number] = 0;

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
        8'h30, 8'h7c: word <= 32'h3020_0073;  // mret, at which the other one begins
        default: word <= 32'h0000_006f;  // j .
      endcase
      if (writes && target != 0) registers[target] <= result;
    end

  assign stores_o = data_request;

  ibex_core #(
      .ResetAll(1)
  ) core (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .hart_id_i(0),
      .boot_addr_i(0),
      .instr_req_o(fetches_o),
      .instr_gnt_i(fetches_o),
      .instr_rvalid_i(answers),
      .instr_addr_o(address_o),
      .instr_rdata_i(word),
      .instr_err_i(1'b0),
      .data_req_o(data_request),
      .data_gnt_i(data_request),
      .data_rvalid_i(stored),
      .data_addr_o(data_address),
      .data_rdata_i(0),
      .data_err_i(1'b0),
      .rf_raddr_a_o(first),
      .rf_raddr_b_o(second),
      .rf_waddr_wb_o(target),
      .rf_we_wb_o(writes),
      .rf_wdata_wb_ecc_o(result),
      .rf_rdata_a_ecc_i(registers[first]),
      .rf_rdata_b_ecc_i(registers[second]),
      .ic_scr_key_valid_i(1'b0),
      .irq_software_i(1'b0),
      .irq_timer_i(1'b0),
      .irq_external_i(irq_i),
      .irq_fast_i(0),
      .irq_nm_i(nmi_i),
      .debug_req_i(1'b0),
      .fetch_enable_i(4'b0101)
  );
endmodule
