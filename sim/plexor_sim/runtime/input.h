// SPDX-License-Identifier: Apache-2.0
// An input of the instrument that changes at given core clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plexor {

class Input {
 public:
  Input(const std::vector<int64_t>& clocks, uint8_t& pin) : clocks_(clocks), pin_(pin) {}

  // To be called once in each core clock that is not skipped.
  void step(int64_t clock) {
    if (is_over() || clock != clocks_[next_]) return;
    pin_ = !pin_;
    next_++;
  }

  bool is_over() const { return next_ == clocks_.size(); }

  // The clock of the next change, if there is one.
  int64_t next() const { return clocks_[next_]; }

  // Whether it changed since the look before this clock's (idle.h).
  bool moved(int64_t clock) const { return next_ > 0 && clock - clocks_[next_ - 1] < kKnownClocks; }

 private:
  static constexpr int kKnownClocks = 16;  // kUnitClocks

  const std::vector<int64_t>& clocks_;
  uint8_t& pin_;
  size_t next_ = 0;
};

}  // namespace plexor
