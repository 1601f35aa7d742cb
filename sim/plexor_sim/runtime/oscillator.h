// SPDX-License-Identifier: Apache-2.0
// An oscillator that is asynchronous to the instrument's clocks. Each half period has jitter.
#pragma once

#include <algorithm>
#include <cstdint>

#include "random.h"

namespace plexor {

class Oscillator {
 public:
  Oscillator(int64_t period_fs, int64_t jitter_ps, uint64_t seed)
      : half_fs_(period_fs / 2), jitter_fs_(jitter_ps * 1000), random_(seed, 0) {}

  // Continues at a time, if it is later: nobody has used the edges before.
  void resume(int64_t now_ps) {
    if (next_fs_ >= now_ps * 1000) return;
    next_fs_ = now_ps * 1000;
    step();
  }

  int64_t next_ps() const { return next_fs_ / 1000; }
  bool level() const { return level_; }

  void step() {
    level_ = !level_;
    // The sum of twelve uniform numbers has a variance of one and is nearly normal.
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += random_.unit();
    const auto jitter_fs = static_cast<int64_t>(sum * static_cast<double>(jitter_fs_));
    next_fs_ += std::max<int64_t>(half_fs_ + jitter_fs, 1000);
  }

 private:
  const int64_t half_fs_, jitter_fs_;
  Random random_;
  int64_t next_fs_ = 0;
  bool level_ = false;  // before next_ps()
};

}  // namespace plexor
