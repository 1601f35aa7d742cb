// When things happen on the simulated board: multiples of a period that is a fraction of a
// femtosecond.
#pragma once

#include <cstdint>

namespace plexor {

// Equal steps, each `numerator / denominator` fs after the one before.
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

// The edges of the PLL's two clocks: B, then A some time later, both with equal halves.
class FastClocks {
 public:
  constexpr FastClocks(int64_t half_numerator, int64_t half_denominator, int64_t late_fs)
      : halves_(half_numerator, half_denominator), late_fs_(late_fs) {}

  int64_t next_fs() const { return halves_.next_fs() + (late_ ? late_fs_ : 0); }

  // Lets the next edge happen. Bit 0 of the levels is B, bit 1 is A.
  unsigned step() {
    levels_ ^= late_ ? 2 : 1;
    if (late_) halves_.step();
    late_ = !late_;
    return levels_;
  }

 private:
  Steps halves_;
  const int64_t late_fs_;
  bool late_ = false;
  unsigned levels_ = 0;
};

}  // namespace plexor
