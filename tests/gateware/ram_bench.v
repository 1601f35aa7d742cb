// A block RAM of each mode of writing and reading beside the model of yosys, with random inputs. At
// the end the number of reads, and of those that differ.
`timescale 1ns / 1ns
module ram_bench;
  localparam CLOCKS = 20000;
  // Beside one another, so that reads meet writes; both ends of the memory have initial values.
  localparam FIRST = 248;

  reg clk = 0;
  always #1 clk = ~clk;

  reg [10:0] write_address, read_address;
  reg [15:0] mask, data;
  reg write, write_clock, read, read_clock;
  wire [15:0] differs;
  integer reads = 0, errors = 0, clock;

  genvar mode;
  generate
    for (mode = 0; mode < 16; mode = mode + 1) begin : modes
      wire [15:0] ours, theirs;
      SB_RAM40_4K #(
        .WRITE_MODE(mode / 4), .READ_MODE(mode % 4), .INIT_F({16{16'h1234}}), .INIT_0({16{16'hfedc}})
      ) our_ram (
        .RCLK(clk), .RCLKE(read_clock), .RE(read), .RADDR(read_address), .RDATA(ours),
        .WCLK(clk), .WCLKE(write_clock), .WE(write), .WADDR(write_address), .MASK(mask),
        .WDATA(data)
      );
      YOSYS_RAM #(
        .WRITE_MODE(mode / 4), .READ_MODE(mode % 4), .INIT_F({16{16'h1234}}), .INIT_0({16{16'hfedc}})
      ) their_ram (
        .RCLK(clk), .RCLKE(read_clock), .RE(read), .RADDR(read_address), .RDATA(theirs),
        .WCLK(clk), .WCLKE(write_clock), .WE(write), .WADDR(write_address), .MASK(mask),
        .WDATA(data)
      );
      assign differs[mode] = ours !== theirs;
    end
  endgenerate

  initial begin
    for (clock = 0; clock < CLOCKS; clock = clock + 1) begin
      @(negedge clk);
      reads = reads + (clock > 0 && read && read_clock);
      errors = errors + (differs != 0);
      write_address = {3'($urandom), 8'(FIRST + $urandom % 16)};
      read_address = {3'($urandom), 8'(FIRST + $urandom % 16)};
      {mask, data} = $urandom;
      {write, write_clock, read, read_clock} = $urandom | $urandom;
    end
    $display("%0d reads, %0d wrong", reads, errors);
    $finish;
  end
endmodule
