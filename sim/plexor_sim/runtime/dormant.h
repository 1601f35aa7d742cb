// SPDX-License-Identifier: Apache-2.0
// Dormant stages: a stage whose state and inputs stand still gets no clock.
//
// A stage of ../dormant.py has a clock of its own, a bit of the core's input `clk`. Its state is what
// it reads of its own: flip-flops, and memories that are read without a clock. A clock that leaves
// the state as it was, with the same inputs, would do the same again. So the stage needs no clock
// until an input changes. If it writes memories, it needs a second such clock, which may read what
// the first one has written. A stage may also depend on a rhythm: registers with a clock of their
// own that go round a few values, as long as the stage and its inputs stand still. Then all of its
// flip-flops are its state, and it needs two such rounds in succession with the same rhythm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

namespace plexor {

constexpr unsigned kRoundClocks = 2;

// What ../arrange.py makes for a core. A set of stages has bit N for stage N.
class Stages {
 public:
  virtual ~Stages() = default;
  virtual int count() const = 0;
  // All stages that write memories.
  virtual uint64_t writing() const = 0;
  // All stages with a rhythm.
  virtual uint64_t rhythmic() const = 0;
  // All stages that depend on something that is no longer what it was when it was last compared.
  // What has one of these clocks is compared.
  virtual uint64_t changed(uint64_t clocks) = 0;
  // All stages with a rhythm that is not what it was in clock number `clock` of the last round.
  virtual uint64_t off_beat(unsigned clock) = 0;
};

// Whether a value of the core is no longer what it was kept as. Keeps it as it is.
template <typename Value>
bool renewed(Value& kept, const Value& now) {
  const bool differs = std::memcmp(&kept, &now, sizeof kept) != 0;
  kept = now;
  return differs;
}

// The same, of words.
template <size_t kWords>
bool renewed_words(uint64_t* kept, const char* now) {
  uint64_t differ = 0;
  for (size_t at = 0; at < kWords; at++) {
    uint64_t word;
    std::memcpy(&word, now + at * sizeof word, sizeof word);
    differ |= kept[at] ^ word;
    kept[at] = word;
  }
  return differ != 0;
}

class Dormant {
 public:
  explicit Dormant(std::unique_ptr<Stages> stages)
      : stages_(std::move(stages)), all_(~uint64_t{0} >> (64 - stages_->count())) {
    disturb();
  }

  // Both return clocks as the bits of the core's `clk`.
  uint64_t all() const { return all_ << 1 | 1; }

  // The clocks that the next evaluation needs.
  uint64_t due() {
    const uint64_t changed = stages_->changed(given_) | stages_->off_beat(turn_++ % kRoundClocks);
    const uint64_t still = given_ >> 1 & ~changed;
    for (unsigned clocks = kStillClocks; clocks > 1; clocks--)
      still_[clocks] = still_[clocks - 1] & still;
    still_[1] = still;
    const uint64_t once = still_[1] & ~(writing_ | rhythmic_), twice = still_[2] & ~rhythmic_;
    dormant_ = (dormant_ & ~changed) | once | twice | still_[kStillClocks];
    return given_ = (all_ & ~dormant_) << 1 | 1;
  }

  // To be called when anything but an evaluation has changed registers.
  void disturb() {
    dormant_ &= ~stages_->changed(all());
    given_ = 1;
  }

 private:
  static constexpr unsigned kStillClocks = 2 * kRoundClocks;

  const std::unique_ptr<Stages> stages_;
  const uint64_t all_;
  const uint64_t writing_ = stages_->writing(), rhythmic_ = stages_->rhythmic();
  uint64_t dormant_ = 0;
  uint64_t still_[kStillClocks + 1] = {};  // stages that have stood still for at least N clocks
  uint64_t given_ = 1;  // clocks of the last evaluation: no other registers have changed
  unsigned turn_ = 0;
};

}  // namespace plexor
