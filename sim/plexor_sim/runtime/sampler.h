// SPDX-License-Identifier: Apache-2.0
// The flip-flops of one channel turn edges at its table, in ps and in order of time, into words of W
// samples. The sample of tick k shows an edge at t if t <= k * tick plus the delay of its phase.
// Delays of rising and falling edges may differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "front_end.h"

namespace plexor {

template <int W, int Phases>
class Sampler {
 public:
  Sampler(const FrontEnd::Input& input, int64_t tick_fs) : input_(input), tick_fs_(tick_fs) {
    for (int tick = 0; tick < W; tick++) {
      if (!(input.dead >> tick % Phases & 1)) alive_ |= 1u << tick;
      if (input.exchanged >> tick % Phases & 1) exchanged_ |= 1u << tick;
    }
    start(false);
  }

  // The level before all edges.
  void start(bool level) { level_ = input_.stuck < 0 ? level : input_.stuck == 1; }

  bool waits() const { return !edges_.empty(); }

  // The word of a constant level.
  uint32_t steady() const { return level_ ? kOnes & alive_ : 0; }

  void edge(int64_t time_ps, bool level) {
    if (input_.stuck < 0) edges_.push_back({time_ps, level});
  }

  // Discards edges under way, for another input with a constant level from a time on.
  void choose(int64_t time_ps, bool level) {
    edges_.clear();
    edge(time_ps, level);
  }

  // The word whose tick 0 is at now_ps + now_fs / 1000. All edges up to its last instant are known.
  uint32_t word(int64_t now_ps, int64_t now_fs) {
    uint32_t samples = level_ ? kOnes : 0;
    while (!edges_.empty()) {
      const Entry edge = edges_.front();
      const int64_t tick = seen((edge.time_ps - now_ps) * 1000 - now_fs, edge.level);
      if (tick >= W) break;
      const uint32_t after = tick <= 0 ? kOnes : kOnes << tick & kOnes;
      samples = edge.level ? samples | after : samples & ~after;
      level_ = edge.level;
      edges_.pop_front();
    }
    const uint32_t differ = (samples ^ samples >> 1) & exchanged_;
    return (samples ^ differ ^ differ << 1) & alive_;
  }

 private:
  static constexpr uint32_t kOnes = (1u << W) - 1;

  struct Entry {
    int64_t time_ps;
    bool level;
  };

  // The first tick, counted from the word's first, that shows an edge at `into_fs` after that.
  int64_t seen(int64_t into_fs, bool level) const {
    const std::vector<int64_t>& late_fs = level ? input_.rise_fs : input_.fall_fs;
    const auto shows = [&](int64_t tick) {
      const auto phase = static_cast<size_t>((tick % Phases + Phases) % Phases);
      return into_fs <= tick * tick_fs_ + late_fs[phase];
    };
    int64_t tick = into_fs / tick_fs_;
    while (!shows(tick)) tick++;
    while (shows(tick - 1)) tick--;
    return tick;
  }

  const FrontEnd::Input input_;
  const int64_t tick_fs_;
  uint32_t alive_ = 0;
  uint32_t exchanged_ = 0;  // bit n: the samples of ticks n and n + 1 come in the other order
  bool level_ = false;
  std::deque<Entry> edges_;
};

}  // namespace plexor
