// Dormant stages: a stage whose state and inputs stand still gets no clock.
//
// A stage of ../dormant.py has a clock of its own, a bit of the core's input `clk`. Its state is
// its flip-flops and the memories that it reads without a clock. It may also depend on a rhythm:
// registers with a clock of their own that go round a few values, as long as the stage and its
// inputs stand still. If two rounds in succession are the same and leave the state as it was, with
// the same inputs, then each further round does so too: the first one has written to memories what
// the second one writes. So the stage needs no clock until an input changes. Without a rhythm a
// clock is a round.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace plexor {

constexpr unsigned kRoundClocks = 2;

// What ../dormant.py makes for a core. A set of stages has bit N for stage N.
class Stages {
 public:
  virtual ~Stages() = default;
  virtual int count() const = 0;
  // All stages with an input that is no longer what it was when it was last compared. Inputs are
  // compared if they have one of these clocks.
  virtual uint64_t inputs_moved(uint64_t clocks) = 0;
  // Keeps the state of these stages as it is.
  virtual void keep(uint64_t of) = 0;
  // Those of the stages whose state is no longer as it was kept.
  virtual uint64_t state_moved(uint64_t of) const = 0;
  // All stages with a rhythm.
  virtual uint64_t rhythmic() const = 0;
  // Keeps the rhythms of these stages as they are, for clock number `clock` of a round.
  virtual void beat(uint64_t of, unsigned clock) = 0;
  // Those of the stages whose rhythms are not as they were kept for this clock.
  virtual uint64_t off_beat(uint64_t of, unsigned clock) const = 0;
};

// The bits in which two values of the core differ; of long ones, folded.
template <typename Value>
uint64_t differing(const Value& one, const Value& other) {
  if constexpr (std::is_integral_v<Value>) {
    return one ^ other;
  } else if constexpr (sizeof one % sizeof(uint32_t) == 0) {
    uint32_t differ = 0;
    for (size_t at = 0; at < sizeof one; at += sizeof differ) {
      uint32_t words[2];
      std::memcpy(&words[0], reinterpret_cast<const char*>(&one) + at, sizeof differ);
      std::memcpy(&words[1], reinterpret_cast<const char*>(&other) + at, sizeof differ);
      differ |= words[0] ^ words[1];
    }
    return differ;
  } else {
    return std::memcmp(&one, &other, sizeof one) != 0;
  }
}

// The same, and makes the first one like the second one.
template <typename Value>
uint64_t renewed(Value& kept, const Value& now) {
  const uint64_t differ = differing(kept, now);
  kept = now;
  return differ;
}

class Dormant {
 public:
  explicit Dormant(std::unique_ptr<Stages> stages)
      : stages_(std::move(stages)), all_(~uint64_t{0} >> (64 - stages_->count())) {}

  // Both return clocks as the bits of the core's `clk`.
  uint64_t all() const { return all_ << 1 | 1; }

  // The clocks that the next evaluation needs.
  uint64_t due() {
    const uint64_t woken = stages_->inputs_moved(given_);
    uint64_t watched = 0;
    for (const uint64_t still : still_) watched |= still;
    watched &= ~stages_->state_moved(watched);
    for (unsigned clocks = kStillClocks; clocks > 0; clocks--)
      still_[clocks] = still_[clocks - 1] & watched & ~woken;
    still_[0] = (dormant_ | watched) & woken;  // their state is still as it was kept
    dormant_ &= ~woken;
    if (turn_++ % kTurnClocks == 0) {
      const uint64_t others = all_ & ~(dormant_ | watched | still_[0]);
      stages_->keep(others);
      still_[0] |= others;
    }
    for (unsigned clock = 0; clock < kRoundClocks; clock++) stages_->beat(still_[clock], clock);
    for (unsigned clock = kRoundClocks; clock <= kStillClocks; clock++)
      still_[clock] &= ~stages_->off_beat(still_[clock], clock % kRoundClocks);
    const uint64_t asleep = still_[kStillClocks] | (still_[2] & ~rhythmic_);
    for (uint64_t& still : still_) still &= ~asleep;
    dormant_ |= asleep;
    return given_ = (all_ & ~dormant_) << 1 | 1;
  }

  // To be called when anything but an evaluation has changed registers.
  void disturb() {
    dormant_ &= ~stages_->state_moved(dormant_);
    for (uint64_t& still : still_) still = 0;
    given_ = all();
  }

 private:
  static constexpr unsigned kTurnClocks = 4;
  static constexpr unsigned kStillClocks = 2 * kRoundClocks;

  const std::unique_ptr<Stages> stages_;
  const uint64_t all_;
  const uint64_t rhythmic_ = stages_->rhythmic();
  uint64_t dormant_ = 0;
  uint64_t still_[kStillClocks + 1] = {};  // stages that have stood still for 0, 1, … clocks
  uint64_t given_ = all();  // clocks of the last evaluation: no other registers have changed
  unsigned turn_ = 0;
};

}  // namespace plexor
