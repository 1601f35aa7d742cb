// SPDX-License-Identifier: Apache-2.0
// The path between a pin and its sample words: the instants of the flip-flops, the ways over pads, the
// oscillator for calibration, jumpers, and defects. Without options all is ideal.
//
// The ways are those of plexor_hdl/front/front_end.py. A strike leaves by its pad. Its level is read
// back from that pad, passes a multiplexer that the oscillator enters too, and goes to each channel's
// table. A channel's own pin has a pad and a way of its own to that table, which loopback never sees:
//
//   strike N --output_ps--> pad --back_ps--> multiplexer --loop_ps--> table of channel C -> flip-flops
//                            |                    ^                         ^
//                            +--wire_ps--> pin    oscillator                |
//                                           +----------input_ps-------------+
//
// Options, "key=value,key=value"; C is a channel, N a strike output:
//   rise.C=P:P:...     by how many ps each phase's instant is later than its tick, for rising
//                      edges; as many values as there are phases (0); instants must increase
//   fall.C=P:P:...     the same for falling edges (as rise)
//   output_ps.N=P      from the tick of strike N to its pad, and so to the device (0)
//   input_ps.C=P       from the pin of channel C, over its pad, to its table (0)
//   back_ps.N=P        from the pad of strike N, read back, to the multiplexer (0)
//   loop_ps.C=P        from the multiplexer to the table of channel C (0)
//   jumper.C=N         a wire from the pin of strike N to that of channel C, in place of the device's
//   wire_ps.C=P        its delay (0)
//   ribbon=T:T:...     wires from pins of the timecode to those of the code port, in its order, in
//                      place of the device's; -1: none
//   async_fs=N         period of the asynchronous oscillator (413223000)
//   async_jitter_ps=N  standard deviation of each half period (30)
//   async_seed=N       seed of that jitter (1)
//   stuck.C=0|1        channel C always samples this level
//   dead.C=P           the flip-flop of phase P of channel C is always 0
//   exchange.C=P       the flip-flops of phases P and P + 1 of channel C sample in the other order
//   lamp.N=0|1         the pad of lamp N always has this level
//   swap=A:B           the pins of channels A and B are swapped
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plexor {

struct FrontEnd {
  struct Input {
    std::vector<int64_t> rise_fs, fall_fs;  // later than the tick, by phase
    int64_t input_ps = 0, loop_ps = 0;
    int stuck = -1;       // the stuck level, -1 for none
    uint32_t dead = 0;    // bit p: phase p gives 0
    uint32_t exchanged = 0;  // bit p: phases p and p + 1 sample in the other order
    int pin = 0;          // the pin whose level it gets
    int jumper = -1;      // the strike that its pin is wired to, -1 for none
    int64_t wire_ps = 0;
  };

  std::vector<Input> inputs;
  std::vector<int64_t> output_ps, back_ps;
  uint32_t lamps_high = 0, lamps_low = 0;  // bit n: the pad of lamp n has this level
  int64_t async_fs = 413'223'000;
  int64_t async_jitter_ps = 30;
  uint64_t async_seed = 1;

  // Throws BadOption.
  static FrontEnd parse(const std::string& text, int channels, int strikes, int phases,
                        int lamps, int64_t tick_fs);
};

}  // namespace plexor
