// Dormant stages: a stage whose state and inputs stand still gets no clock.
//
// A stage of ../dormant.py has a clock of its own, a bit of the core's input `clk`. Its state is
// its flip-flops and the memories that it reads without a clock. If two clocks in succession leave
// the state as it was, with the same inputs, then each further clock with these inputs does so too:
// the first one has written to memories what the second one writes. So the stage needs no clock
// until an input changes.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace plexor {

// What ../dormant.py makes for a core. A set of stages has bit N for stage N.
class Stages {
 public:
  virtual ~Stages() = default;
  virtual int count() const = 0;
  // Keeps inputs and state of these stages as they are.
  virtual void keep(uint64_t of) = 0;
  // Those of the stages whose inputs, or whose state, are no longer as they were kept.
  virtual uint64_t inputs_moved(uint64_t of) const = 0;
  virtual uint64_t state_moved(uint64_t of) const = 0;
};

// Whether two values of the core differ.
template <typename Value>
bool moved(const Value& one, const Value& other) {
  if constexpr (std::is_integral_v<Value>) {
    return one != other;
  } else if constexpr (sizeof one % sizeof(uint32_t) == 0) {
    uint32_t differ = 0;
    for (size_t at = 0; at < sizeof one; at += sizeof differ) {
      uint32_t words[2];
      std::memcpy(&words[0], reinterpret_cast<const char*>(&one) + at, sizeof differ);
      std::memcpy(&words[1], reinterpret_cast<const char*>(&other) + at, sizeof differ);
      differ |= words[0] ^ words[1];
    }
    return differ != 0;
  } else {
    return std::memcmp(&one, &other, sizeof one) != 0;
  }
}

class Dormant {
 public:
  explicit Dormant(std::unique_ptr<Stages> stages)
      : stages_(std::move(stages)), all_(~uint64_t{0} >> (64 - stages_->count())) {}

  // Both return clocks as the bits of the core's `clk`.
  uint64_t all() const { return all_ << 1 | 1; }

  // The clocks that the next evaluation needs.
  uint64_t due() {
    if (dormant_) dormant_ &= ~stages_->inputs_moved(dormant_);
    const unsigned turn = turn_++ % kTurns;
    if (turn == 0) {
      still_ = all_ & ~dormant_;
      stages_->keep(still_);
    } else if (turn <= kStillClocks && still_) {
      still_ &= ~stages_->inputs_moved(still_);
      still_ &= ~stages_->state_moved(still_);
      if (turn == kStillClocks) dormant_ |= still_;
    }
    return (all_ & ~dormant_) << 1 | 1;
  }

  // To be called when anything but an evaluation has changed registers.
  void disturb() {
    dormant_ &= ~stages_->state_moved(dormant_);
    still_ = 0;
  }

 private:
  static constexpr unsigned kTurns = 13;
  static constexpr unsigned kStillClocks = 2;

  const std::unique_ptr<Stages> stages_;
  const uint64_t all_;
  uint64_t dormant_ = 0;
  uint64_t still_ = 0;  // stages that have stood still since the last turn
  unsigned turn_ = 0;
};

}  // namespace plexor
