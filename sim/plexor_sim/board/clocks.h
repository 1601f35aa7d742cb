// SPDX-License-Identifier: Apache-2.0
// Times of events on the simulated board: multiples of a period that is a fraction of a
// femtosecond.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plexor {

// Equal steps of `numerator / denominator` fs.
class Steps {
 public:
  constexpr Steps(int64_t numerator, int64_t denominator)
      : numerator_(numerator), denominator_(denominator) {}

  int64_t next_fs() const { return count_ * numerator_ / denominator_; }
  void step() { count_++; }

 private:
  const int64_t numerator_, denominator_;
  int64_t count_ = 0;
};

// The edges of the PLL's clocks, which share a period and have equal halves. Each clock is `lates`
// after the first one, in order, within half a period. Times are in parts of a femtosecond.
template <size_t kClocks>
class FastClocks {
 public:
  constexpr FastClocks(int64_t half, int64_t fs_parts, const int64_t (&lates)[kClocks])
      : half_(half), fs_parts_(fs_parts), lates_(lates) {}

  int64_t next_fs() const { return (halves_ * half_ + lates_[clock_]) / fs_parts_; }

  // Advances to the next edge. Bit n of the levels is clock n.
  unsigned step() {
    levels_ ^= 1u << clock_;
    if (++clock_ == kClocks) {
      clock_ = 0;
      halves_++;
    }
    return levels_;
  }

 private:
  const int64_t half_, fs_parts_;
  const int64_t (&lates_)[kClocks];
  int64_t halves_ = 0;
  size_t clock_ = 0;
  unsigned levels_ = 0;
};

}  // namespace plexor
