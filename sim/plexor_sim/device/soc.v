// SPDX-License-Identifier: Apache-2.0
// A small RISC-V system on chip: the device under test of simulated runs.
//
// It has VexRiscv (Full), RAM with one port for fetches and one for data that both answer within the
// cycle, a machine timer, output pins, strike inputs, a port for a timecode and a UART. Strikes pass a synchroniser of two
// flip-flops. A rising edge sets a pending bit of depth one, like an interrupt controller's edge
// latch. A strike that comes while its bit is set leaves no trace.
//
// RAM starts at 40000000. The stack of startup and interrupts is at its bottom, so that an overflow
// accesses unmapped memory, as a null pointer does. The core ignores bus errors, so the first such
// access is latched here as a trap. Registers start at 80000000, the region
// that VexRiscv does not cache:
//
//   00 OUT_SET  w   set output pins            20 TRAP_VALUE w  what goes with the trap
//   04 OUT_CLR  w   clear output pins          24 TRAP_CODE  w  not zero: stop, loudly
//   08 STRIKE   rw  pending; write 1 to clear  28 STORM      w  period in cycles, 0 is off
//   0c LOAD     r   the load input             2c STORM_ACK  w  clear its interrupt
//   10 SELECT   r   the loads asked for        30 READY      w  startup is done; loads offered
//   38 NOTE     w   nothing: a number for whoever reads the log of the bus
//   34 CODE     w   as a store to the window, but the code is the lower half of the data
//   40 MTIME lo, 44 hi, 48 MTIMECMP lo, 4c hi
//   50 TIMECODE r   the timecode's pins        60 UART_SEND   w  a byte; needs room
//   54 STEP     rw  pending; write 1 to clear  64 UART_STATE  r  bytes received, << 8: room to send
//   58 SETTING  r   the timecode is Gray code  68 UART_RATE   rw clocks a bit, in sixteenths
//   5c UART_BYTE r  the oldest byte received   6c UART_TAKE   w  forget that byte
//
// A change of the timecode's pins sets STEP. It and a byte in the UART (8 bits, no parity, 1 stop bit,
// 16 bytes each way) are interrupts, which the core masks until a firmware asks for them. A byte that
// finds no room, or has no stop bit, is lost. UART_RATE begins with the input uart_rate.
//
// Codes of the firmware leave through a window at ffffff00, where the address of a store is the code:
// `sb zero, code-256(zero)`. Its data is ignored. As a port, the code is on code_pins one clock after
// the store retires, until the next one. On two wires, it is a word, upper bit first, of 8 bits, or of
// 16 if it came by CODE: pin 3 is its data, which changes while pin 2 is low and counts when that
// rises. A bit takes ten clocks, and pin 2 is low for 42 or more between words, so a code takes 117 or
// 197 clocks. Eight codes wait; a store that finds no room holds the core until there is some.
//
// With PLEXOR_BUS the core is VexRiscv (Min), which has no caches. Each of its accesses is shown, and
// lasts until i_ready or d_ready says so; see bus.h.
module soc #(
  parameter RETIRED = 0           // 1: the outputs `retired` and below show something
) (
  input             clk,
  input             reset,
  input      [2:0]  strikes,      // asynchronous
  input             load,         // asynchronous
  input      [31:0] load_select,  // constant
  input      [15:0] timecode,     // asynchronous
  input             timecode_gray,  // constant
  input             uart_rx,      // asynchronous
  input      [19:0] uart_rate,    // constant
  output            uart_tx,
  input      [1:0]  codes,        // constant; 0: the window is nowhere, 1: a port, 2: two wires
  output     [7:0]  pins,
  output reg [15:0] code_pins,
  output reg        ready,
  output reg [31:0] loads_offered,
  output reg [31:0] trap_code,    // 1: access to nowhere, at trap_value; else the firmware's
  output reg [31:0] trap_value,
  output            busy,         // RAM is written, or a counter may be read; see repetition.h
  output            retired,      // an instruction retires at the next edge of the clock
  output     [31:0] retired_pc,
  output            coded,        // a code is taken at the next edge of the clock
`ifdef PLEXOR_BUS
  input             i_ready,      // the access ends at the next edge of the clock
  input             d_ready,
  output            i_request,
  output     [31:0] i_address,
  output            d_request,
  output            d_held,       // whatever d_ready says: there is no room for a code
  output            d_write,
  output     [31:0] d_address,
  output     [1:0]  d_size,       // its bytes are 2 to the power of this
  output     [31:0] d_data,
  output            masked,       // the core takes no interrupts
`endif
  output     [15:0] code
);
  localparam RAM_WORDS = 32768;
  localparam RAM_TOP = 15'h2000;  // address bits 31 to 17
  localparam REGISTERS_TOP = 24'h800000;
  // The image reserves this for the stack; also in firmware/link.ld.
  localparam RESET_PC = 32'h40001000;

  reg [31:0] ram [0:RAM_WORDS-1];
  reg [8*1024-1:0] image;
  initial
    if ($value$plusargs("firmware=%s", image)) $readmemh(image, ram);

  // Inputs: synchronisers and edge latches.
  reg [2:0] strike_meta, strike_sync, strike_old, strike_pending;
  reg load_meta, load_sync;
  wire [2:0] strike_ack;
  always @(posedge clk) begin
    strike_meta <= strikes;
    strike_sync <= strike_meta;
    strike_old <= strike_sync;
    load_meta <= load;
    load_sync <= load_meta;
    if (reset) strike_pending <= 0;
    else strike_pending <= (strike_pending & ~strike_ack) | (strike_sync & ~strike_old);
  end

  // The timecode: a synchroniser and a latch of changes.
  reg [15:0] timecode_meta, timecode_sync, timecode_old;
  reg step_pending;
  wire step_ack;
  always @(posedge clk) begin
    timecode_meta <= timecode;
    timecode_sync <= timecode_meta;
    timecode_old <= timecode_sync;
    if (reset) step_pending <= 0;
    else step_pending <= step_pending & ~step_ack | timecode_sync != timecode_old;
  end

  // Unmapped fetches read as zero, which is an illegal instruction if it is executed.
  wire i_stb, d_stb, d_we, d_ack;
  wire [29:0] i_adr, d_adr;
  wire [31:0] d_mosi;
  wire [3:0] d_sel;
  reg [31:0] d_miso;
  wire [31:0] i_miso = i_adr[29:15] == RAM_TOP ? ram[i_adr[14:0]] : 32'h0;

  wire d_ram = d_adr[29:15] == RAM_TOP;
  wire d_registers = d_adr[29:6] == REGISTERS_TOP;
  wire [5:0] register = d_adr[5:0];
  wire register_write = d_ack & d_we & d_registers;
  wire d_window = d_adr[29:6] == 24'hffffff & d_we & codes != 0;
  wire code_register = d_registers & register == 6'h0d & d_we & codes != 0;
  assign step_ack = register_write & register == 6'h15 & d_mosi[0];
  assign strike_ack = register_write && register == 6'h02 ? d_mosi[2:0] : 3'h0;

  always @(posedge clk)
    if (d_ack & d_we & d_ram) begin
      if (d_sel[0]) ram[d_adr[14:0]][7:0] <= d_mosi[7:0];
      if (d_sel[1]) ram[d_adr[14:0]][15:8] <= d_mosi[15:8];
      if (d_sel[2]) ram[d_adr[14:0]][23:16] <= d_mosi[23:16];
      if (d_sel[3]) ram[d_adr[14:0]][31:24] <= d_mosi[31:24];
    end

  // Codes: the lowest byte that is written gives the lower bits of the address.
  reg [16:0] code_queue [0:7];     // the upper bit: the word has 16 bits
  reg [2:0] code_first;
  reg [3:0] code_count;
  reg [15:0] code_shift;
  reg [5:0] code_halves;          // that are left of a word, of half a bit each
  reg [2:0] code_wait;            // clocks that are left of a half bit
  reg code_clock, code_data;
  wire [16:0] code_sent = code_queue[code_first];
  wire code_full = codes[1] & code_count[3];
  wire d_full = (d_window | code_register) & code_full;
`ifdef PLEXOR_BUS
  wire i_ack = i_stb & i_ready;
  assign d_ack = d_stb & d_ready & ~d_full;
  assign i_request = i_stb;
  assign i_address = {i_adr, 2'b00};
  assign d_request = d_stb;
  assign d_held = d_full;
  assign d_write = d_we;
  assign d_address = cpu.dBus_cmd_rData_address;
  assign d_size = cpu.dBus_cmd_rData_size;
  assign d_data = d_mosi;
  assign masked = ~cpu.CsrPlugin_mstatus_MIE;
`else
  wire i_ack = i_stb;
  assign d_ack = d_stb & ~d_full;
`endif
  wire code_steps = code_wait == 0;
  wire code_next = codes[1] & code_halves == 0 & code_count != 0;
  wire [1:0] code_low = {d_sel[1:0] == 0, d_sel[1:0] == 0 ? ~d_sel[2] : ~d_sel[0]};
  assign coded = d_ack & (d_window | code_register);
  assign code = d_window ? {8'h0, d_adr[5:0], code_low} : d_mosi[15:0];

  always @(posedge clk)
    if (reset) begin
      code_pins <= 0;
      code_first <= 0;
      code_count <= 0;
      code_halves <= 0;
      code_wait <= 0;
      code_clock <= 0;
      code_data <= 0;
    end else begin
      if (coded & ~codes[1]) code_pins <= code;
      if (coded & codes[1]) code_queue[code_first + code_count[2:0]] <= {code_register, code};
      code_count <= code_count + {3'h0, coded & codes[1]} - {3'h0, code_next};
      if (code_next) begin
        code_shift <= code_sent[16] ? code_sent[15:0] : {code_sent[7:0], 8'h0};
        code_first <= code_first + 1;
        code_halves <= code_sent[16] ? 40 : 24;
      end else if (code_steps & code_halves != 0) code_halves <= code_halves - 1;
      if (code_next | code_halves == 0) code_wait <= 0;
      else code_wait <= code_steps ? 4 : code_wait - 1;
      if (code_steps) begin
        code_clock <= code_halves > 8 & code_halves[0];
        if (code_halves > 8 & ~code_halves[0]) begin
          code_data <= code_shift[15];
          code_shift <= {code_shift[14:0], 1'b0};
        end
      end
    end

  // Both ways of the UART count sixteenths of a clock, so a bit is right on average.
  reg [19:0] rate;
  reg [7:0] receive_queue [0:15], send_queue [0:15];
  reg [3:0] receive_first, send_first;
  reg [4:0] receive_count, send_count;
  reg rx_meta, rx_sync;
  reg [20:0] receive_wait, send_wait;
  reg [3:0] receive_bits, send_bits;  // that are left of a byte, its stop bit included
  reg [7:0] receive_shift;
  reg [8:0] send_shift;
  reg send_level;
  wire receive_steps = receive_wait < 16;
  wire send_steps = send_wait < 16;
  wire receives = receive_bits == 1 & receive_steps & rx_sync & ~receive_count[4];
  wire takes = register_write & register == 6'h1b & receive_count != 0;
  wire sends = register_write & register == 6'h18 & ~send_count[4];
  wire send_next = send_bits == 0 & send_count != 0;
  assign uart_tx = send_level;

  always @(posedge clk)
    if (reset) begin
      rate <= uart_rate;
      rx_meta <= 1;
      rx_sync <= 1;
      receive_first <= 0;
      receive_count <= 0;
      receive_bits <= 0;
      receive_wait <= 0;
      send_first <= 0;
      send_count <= 0;
      send_bits <= 0;
      send_wait <= 0;
      send_level <= 1;
    end else begin
      if (register_write & register == 6'h1a) rate <= d_mosi[19:0];
      rx_meta <= uart_rx;
      rx_sync <= rx_meta;
      // The start bit's middle comes first; a line that is high there had no start bit. After a byte
      // without a stop bit the line must be high before the next one.
      if (receive_bits == 0) begin
        receive_wait <= {2'h0, rate[19:1]} - 16;
        if (~rx_sync) receive_bits <= 10;
      end else if (receive_bits == 11) begin
        if (rx_sync) receive_bits <= 0;
      end else if (receive_steps) begin
        receive_wait <= receive_wait + rate - 16;
        receive_shift <= {rx_sync, receive_shift[7:1]};
        if (receive_bits == 10 & rx_sync) receive_bits <= 0;
        else if (receive_bits == 1 & ~rx_sync) receive_bits <= 11;
        else receive_bits <= receive_bits - 1;
      end else receive_wait <= receive_wait - 16;
      if (receives) receive_queue[receive_first + receive_count[3:0]] <= receive_shift;
      if (takes) receive_first <= receive_first + 1;
      receive_count <= receive_count + {4'h0, receives} - {4'h0, takes};

      if (sends) send_queue[send_first + send_count[3:0]] <= d_mosi[7:0];
      send_count <= send_count + {4'h0, sends} - {4'h0, send_next};
      if (send_next) begin
        send_first <= send_first + 1;
        send_shift <= {1'b1, send_queue[send_first]};
        send_bits <= 10;
        send_level <= 0;
        send_wait <= rate - 16;
      end else if (send_bits != 0) begin
        if (send_steps) begin
          send_wait <= send_wait + rate - 16;
          send_bits <= send_bits - 1;
          send_shift <= {1'b1, send_shift[8:1]};
          send_level <= send_shift[0];
        end else send_wait <= send_wait - 16;
      end
    end

  reg [7:0] outputs;
  assign pins = codes[1] ? {outputs[7:4], code_data, code_clock, outputs[1:0]} : outputs;

  reg [63:0] mtime, mtimecmp;
  reg timer_irq, storm_irq;
  reg [15:0] storm_period, storm_cnt;

  always @* begin
    d_miso = 32'h0;
    if (d_ram) d_miso = ram[d_adr[14:0]];
    else
      case (register)
        6'h02: d_miso = {29'h0, strike_pending};
        6'h03: d_miso = {31'h0, load_sync};
        6'h04: d_miso = load_select;
        6'h10: d_miso = mtime[31:0];
        6'h11: d_miso = mtime[63:32];
        6'h12: d_miso = mtimecmp[31:0];
        6'h13: d_miso = mtimecmp[63:32];
        6'h14: d_miso = {16'h0, timecode_sync};
        6'h15: d_miso = {31'h0, step_pending};
        6'h16: d_miso = {31'h0, timecode_gray};
        6'h17: d_miso = {24'h0, receive_queue[receive_first]};
        6'h19: d_miso = {19'h0, 5'd16 - send_count, 3'h0, receive_count};
        6'h1a: d_miso = {12'h0, rate};
        default: ;
      endcase
  end

  always @(posedge clk)
    if (reset) begin
      outputs <= 0;
      ready <= 0;
      loads_offered <= 0;
      trap_code <= 0;
      trap_value <= 0;
      mtime <= 0;
      mtimecmp <= ~64'h0;
      timer_irq <= 0;
      storm_irq <= 0;
      storm_period <= 0;
      storm_cnt <= 0;
    end else begin
      mtime <= mtime + 1;
      timer_irq <= mtime >= mtimecmp;
      if (storm_period != 0) begin
        storm_cnt <= storm_cnt == 0 ? storm_period - 1 : storm_cnt - 1;
        if (storm_cnt == 0) storm_irq <= 1;
      end
      if (register_write)
        case (register)
          6'h00: outputs <= outputs | d_mosi[7:0];
          6'h01: outputs <= outputs & ~d_mosi[7:0];
          6'h08: trap_value <= d_mosi;
          6'h09: trap_code <= d_mosi;
          6'h0a: storm_period <= d_mosi[15:0];
          6'h0b: storm_irq <= 0;
          6'h0c: begin
            ready <= 1;
            loads_offered <= d_mosi;
          end
          6'h12: mtimecmp[31:0] <= d_mosi;
          6'h13: mtimecmp[63:32] <= d_mosi;
          default: ;
        endcase
      if (d_stb & ~d_ram & ~d_registers & ~d_window & trap_code == 0) begin
        trap_code <= 1;
        trap_value <= {d_adr, 2'b00};
      end
    end

  assign busy = d_stb & d_we & d_ram | d_stb & d_registers & register[5:1] == 5'h08
              | cpu.execute_arbitration_isValid & cpu.execute_IS_CSR;

  assign retired = RETIRED != 0 & cpu.lastStageIsFiring;
  assign retired_pc = RETIRED != 0 ? cpu.lastStagePc : 32'h0;

  VexRiscv cpu (
    .externalResetVector(RESET_PC),
    .timerInterrupt(timer_irq),
    .softwareInterrupt(1'b0),
    .externalInterruptArray({26'h0, receive_count != 0, step_pending, storm_irq, strike_pending}),
    .iBusWishbone_CYC(),
    .iBusWishbone_STB(i_stb),
    .iBusWishbone_ACK(i_ack),
    .iBusWishbone_WE(),
    .iBusWishbone_ADR(i_adr),
    .iBusWishbone_DAT_MISO(i_miso),
    .iBusWishbone_DAT_MOSI(),
    .iBusWishbone_SEL(),
    .iBusWishbone_ERR(1'b0),
    .iBusWishbone_CTI(),
    .iBusWishbone_BTE(),
    .dBusWishbone_CYC(),
    .dBusWishbone_STB(d_stb),
    .dBusWishbone_ACK(d_ack),
    .dBusWishbone_WE(d_we),
    .dBusWishbone_ADR(d_adr),
    .dBusWishbone_DAT_MISO(d_miso),
    .dBusWishbone_DAT_MOSI(d_mosi),
    .dBusWishbone_SEL(d_sel),
    .dBusWishbone_ERR(1'b0),
    .dBusWishbone_CTI(),
    .dBusWishbone_BTE(),
    .clk(clk),
    .reset(reset)
  );
endmodule
