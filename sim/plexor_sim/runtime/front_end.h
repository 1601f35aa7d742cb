// What lies between a pin and the words of samples: when each flip-flop samples, delays of pads, the
// oscillator that calibrates, and defects. Without options all is ideal.
//
// Options, "key=value,key=value"; C is a channel, N a strike output:
//   rise.C=P:P:...     by how many ps each phase's instant is later than its tick, for a pin's edge
//                      up; as many as the build has phases (0); instants must rise
//   fall.C=P:P:...     the same for an edge down (as rise)
//   input_ps.C=P       from the pin of channel C to its flip-flops (0)
//   output_ps.N=P      from the tick of strike N to its pad, and so to the device (0)
//   async_fs=N         period of the asynchronous oscillator (413223000)
//   async_jitter_ps=N  standard deviation of each half period (30)
//   async_seed=N       of that jitter (1)
//   stuck.C=0|1        channel C samples this level, whatever it is given
//   dead.C=P           the flip-flop of phase P of channel C gives 0 always
//   swap=A:B           the pins of channels A and B are swapped
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plexor {

struct FrontEnd {
  struct Lane {
    std::vector<int64_t> rise_fs, fall_fs;  // later than the tick, by phase
    int64_t input_ps = 0;
    int stuck = -1;       // the level, -1 for none
    uint32_t dead = 0;    // bit p: phase p gives 0
    int pin = 0;          // whose level it gets
  };

  std::vector<Lane> lanes;
  std::vector<int64_t> output_ps;
  int64_t async_fs = 413'223'000;
  int64_t async_jitter_ps = 30;
  uint64_t async_seed = 1;

  // Throws BadOption.
  static FrontEnd parse(const std::string& text, int channels, int strikes, int phases,
                        int64_t tick_fs);
};

}  // namespace plexor
