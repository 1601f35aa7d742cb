// The path between a pin and its sample words: the instants of the flip-flops, pad delays, the
// oscillator for calibration, and defects. Without options all is ideal.
//
// Options, "key=value,key=value"; C is a channel, N a strike output:
//   rise.C=P:P:...     by how many ps each phase's instant is later than its tick, for rising
//                      edges; as many values as there are phases (0); instants must increase
//   fall.C=P:P:...     the same for falling edges (as rise)
//   input_ps.C=P       from the pin of channel C to its flip-flops (0)
//   output_ps.N=P      from the tick of strike N to its pad, and so to the device (0)
//   async_fs=N         period of the asynchronous oscillator (413223000)
//   async_jitter_ps=N  standard deviation of each half period (30)
//   async_seed=N       seed of that jitter (1)
//   stuck.C=0|1        channel C always samples this level
//   dead.C=P           the flip-flop of phase P of channel C is always 0
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
    int64_t input_ps = 0;
    int stuck = -1;       // the stuck level, -1 for none
    uint32_t dead = 0;    // bit p: phase p gives 0
    int pin = 0;          // the pin whose level it gets
  };

  std::vector<Input> inputs;
  std::vector<int64_t> output_ps;
  uint32_t lamps_high = 0, lamps_low = 0;  // bit n: the pad of lamp n has this level
  int64_t async_fs = 413'223'000;
  int64_t async_jitter_ps = 30;
  uint64_t async_seed = 1;

  // Throws BadOption.
  static FrontEnd parse(const std::string& text, int channels, int strikes, int phases,
                        int lamps, int64_t tick_fs);
};

}  // namespace plexor
