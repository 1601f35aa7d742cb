// A small interrupt controller with a handler that can be late.
//
// A rising edge on irq[n] is latched. The handler takes the lowest pending one: `entry` is high while
// it saves its context, then `handled[n]` is high while it works. While `busy` is high, every other
// cycle is lost to a bus master with a higher priority, so the same handler takes twice as long.
// Edges that come meanwhile find their latch still set, and go unseen.
module irq #(
  parameter SAVE_CYCLES = 12,
  parameter WORK_CYCLES = 30
) (
  input            clk,
  input            rst_n,
  input      [1:0] irq,      // asynchronous
  input            busy,     // asynchronous
  output reg       entry,
  output reg [1:0] handled
);
  localparam [1:0] IDLE = 0, SAVE = 1, WORK = 2;

  reg [1:0] irq_meta, irq_sync, irq_old, pending;
  reg busy_meta, busy_sync, stolen;
  reg [1:0] state;
  reg [7:0] cycle_cnt;
  reg chosen;
  wire [1:0] taken = state == IDLE && pending != 0 && !stolen ? (pending[0] ? 2'b01 : 2'b10) : 2'b00;

  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      {irq_meta, irq_sync, irq_old, pending} <= 0;
      {busy_meta, busy_sync, stolen} <= 0;
      state <= IDLE;
      cycle_cnt <= 0;
      chosen <= 0;
      entry <= 0;
      handled <= 0;
    end else begin
      irq_meta <= irq;
      irq_sync <= irq_meta;
      irq_old <= irq_sync;
      busy_meta <= busy;
      busy_sync <= busy_meta;
      stolen <= busy_sync & ~stolen;
      pending <= (pending & ~taken) | (irq_sync & ~irq_old);
      if (!stolen)
        case (state)
          IDLE: if (pending != 0) begin
            chosen <= !pending[0];
            state <= SAVE;
            cycle_cnt <= SAVE_CYCLES - 1;
            entry <= 1;
          end
          SAVE: if (cycle_cnt == 0) begin
            state <= WORK;
            cycle_cnt <= WORK_CYCLES - 1;
            entry <= 0;
            handled[chosen] <= 1;
          end else cycle_cnt <= cycle_cnt - 1;
          default: if (cycle_cnt == 0) begin
            state <= IDLE;
            handled <= 0;
          end else cycle_cnt <= cycle_cnt - 1;
        endcase
    end
endmodule
