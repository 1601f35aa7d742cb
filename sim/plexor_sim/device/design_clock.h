// SPDX-License-Identifier: Apache-2.0
// A clock of a design, asynchronous to all others.
//
// Edge n is nominally n half periods after the phase, rounded down to whole ps. Jitter displaces
// each edge by itself: displacements are nearly normal, do not add up, and are within 6 RMS.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "random.h"

namespace plexor {

// What a manifest says of a clock and of a reset beside their options.
struct ClockPort {
  const char* name;
  bool has_random;  // inputs change at random behind its rising edges
};

struct ResetPort {
  const char* name;
  size_t clock;  // the one that counts its cycles
  int64_t early_cycles;
  bool is_synchronous;
};

struct ClockOptions {
  int64_t clock_ps = 10'000, phase_ps = 0, ppm = 0, jitter_ps = 0;
};

// A jitter's RMS is at most this part of a period: no edge then passes another.
constexpr int64_t kJitterParts = 24;

class DesignClock {
 public:
  // Stream `number` of the seed is the jitter's.
  void start(const ClockOptions& options, uint64_t seed, uint64_t number) {
    // Nominal over actual frequency: half a period is in units of 1e-6 ps, so 1 ppm is exact.
    const __int128 nominal = static_cast<__int128>(options.clock_ps) * kUnits * 1'000'000;
    half_units_ = static_cast<int64_t>(nominal / (1'000'000 + options.ppm) / 2);
    units_ = 0;
    nominal_ps_ = options.phase_ps;
    jitter_ps_ = options.jitter_ps;
    random_ = Random(seed, number);
    level_ = false;
    displace();
  }

  int64_t next_ps() const { return next_ps_; }
  bool level() const { return level_; }

  // Passes the next edge.
  void step() {
    level_ = !level_;
    units_ += half_units_;
    nominal_ps_ += units_ / kUnits;
    units_ %= kUnits;
    displace();
  }

 private:
  static constexpr int64_t kUnits = 1'000'000;
  static constexpr int kDraws = 12, kBits = 16;  // the sum's deviation is 2^16
  static constexpr int64_t kMean = kDraws * ((int64_t{1} << kBits) - 1) / 2;

  void displace() {
    next_ps_ = nominal_ps_;
    if (!jitter_ps_) return;
    int64_t sum = -kMean;
    for (int i = 0; i < kDraws; i++) sum += static_cast<int64_t>(random_.next() >> (64 - kBits));
    next_ps_ = std::max<int64_t>(nominal_ps_ + (sum * jitter_ps_ >> kBits), 0);
  }

  int64_t half_units_ = 0, units_ = 0, nominal_ps_ = 0, jitter_ps_ = 0, next_ps_ = 0;
  bool level_ = false;
  Random random_{0, 0};
};

}  // namespace plexor
