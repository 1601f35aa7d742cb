// SPDX-License-Identifier: Apache-2.0
// Idle clocks: detects that only counters of clocks change in the core, tells how many clocks can
// pass before one of them has an effect, and lets these clocks pass.
//
// It looks each kUnitClocks. If the inputs stood still, and all flip-flops are unchanged except the
// watched ones, which have counted as their models here say, then the core does the same in the
// next kUnitClocks, and so on until a counter comes to its end. ../idle.py chooses the watched
// registers. All others are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace plexor {

constexpr int64_t kUnitClocks = 16;
constexpr int64_t kAnyUnits = std::numeric_limits<int64_t>::max();

// A register of the Verilated core, of up to 64 bits. At least 8 bytes of the core begin with it.
class Register {
 public:
  template <typename Member>
  Register(Member& member, int bits)
      : at_(&member), bytes_(sizeof member), mask_(~uint64_t{0} >> (64 - bits)) {
    static_assert(sizeof member <= 8);
  }

  uint64_t get() const {
    uint64_t value;
    std::memcpy(&value, at_, sizeof value);
    return value & mask_;
  }
  void set(uint64_t value) const { std::memcpy(at_, &value, bytes_); }
  uint64_t mask() const { return mask_; }

 private:
  void* at_;
  size_t bytes_;
  uint64_t mask_;
};

// Registers that change with time even if nothing else does.
class Watched {
 public:
  virtual ~Watched() = default;
  // Whether they stand still, or have counted as modelled, since the previous look.
  virtual bool look() = 0;
  // Units that can pass from this look on: fewer than to the next effect, or since the last one.
  virtual int64_t room() const { return kAnyUnits; }
  virtual void pass(int64_t units) = 0;
};

// Counts clocks up, and wraps.
class Count : public Watched {
 public:
  explicit Count(Register value) : value_(value) {}
  bool look() override;
  void pass(int64_t units) override;

 protected:
  bool counts() const { return counts_; }
  uint64_t seen() const { return seen_; }

 private:
  const Register value_;
  uint64_t seen_ = 0;
  bool counts_ = false;
};

// The same, with an effect at each multiple of `period`, a power of two.
class PeriodicCount : public Count {
 public:
  PeriodicCount(Register value, uint64_t period) : Count(value), period_(period) {}
  int64_t room() const override;

 private:
  const uint64_t period_;
};

// A Countdown. Its low bits take a unit from its pool's lowest limb each time they run out. While
// it is off, they wrap, if they step at all.
class CountdownCount : public Watched {
 public:
  CountdownCount(Register count, Register on, Register limb)
      : count_(count), on_(on), limb_(limb) {}
  bool look() override;
  int64_t room() const override;
  void pass(int64_t units) override;

 private:
  const Register count_, on_, limb_;
  uint64_t count_seen_ = 0, limb_seen_ = 0;
  bool takes_ = false, turns_ = false;
};

// A value that advances by `steps` of `places` positions in each unit.
class Round : public Watched {
 public:
  Round(Register place, uint64_t places, uint64_t steps = 1)
      : place_(place), places_(places), steps_(steps) {}
  bool look() override;
  void pass(int64_t units) override;

 private:
  const Register place_;
  const uint64_t places_, steps_;
  uint64_t seen_ = 0;
  bool goes_ = false;
};

// A flip-flop that is low while nothing changes, whatever the others are.
class Low : public Watched {
 public:
  explicit Low(Register value) : value_(value) {}
  bool look() override { return value_.get() == 0; }
  void pass(int64_t) override {}

 private:
  const Register value_;
};

class Idle {
 public:
  // `core` has `bytes` bytes; `time` is its count of clocks. Both must stay in place.
  void begin(void* core, size_t bytes, Register time);

  template <typename Member>
  void still(const Member& member, const char* name) {
    set(masks_, &member, sizeof member, 0xff);
    names_.push_back({reinterpret_cast<const unsigned char*>(&member) - core_, name});
  }
  // A register that follows the pins. It may change as long as no run captures it.
  template <typename Member>
  void follows(const Member& member) {
    set(follows_, &member, sizeof member, 0xff);
  }
  // Memory that gets the same contents sooner or later. It is excluded from proofs.
  template <typename Member>
  void settles(const Member& member) {
    set(proof_, &member, sizeof member, 0);
  }
  template <typename Model, typename... Arguments>
  void watch(Arguments... arguments) {
    watched_.push_back(std::make_unique<Model>(arguments...));
  }
  // A flag that is high during a run or a dump; the first one, during a run alone.
  void busy(Register flag) { busy_.push_back(flag); }
  // Must be called last.
  void end();

  bool is_due() const { return (time_->get() + 1) % kUnitClocks == 0; }
  bool is_resting() const;
  bool is_running() const { return busy_.front().get() != 0; }
  // To be called in each clock in which it is due. Returns whether only watched registers have
  // changed since the previous look, provided the inputs stood still.
  bool look();
  // Whether nothing else has changed then, except registers that follow the pins.
  bool rested() const { return rested_; }
  // The minimum room of all watched registers, in units.
  int64_t room() const;
  // A name of a register that changed at the last look.
  std::string restless() const;
  void pass(int64_t units);
  // The same, but proves by `evaluate`, one clock with constant inputs, that the whole core becomes
  // what it would have. Throws std::runtime_error if it does not.
  template <typename Evaluate>
  void pass_proved(int64_t units, Evaluate evaluate) {
    const std::vector<unsigned char> before = state();
    for (int64_t clock = 0; clock < (units + 1) * kUnitClocks; clock++) evaluate();
    const std::vector<unsigned char> wanted = state();
    restore(before);
    pass(units);
    const std::vector<unsigned char> passed = state();
    for (int64_t clock = 0; clock < kUnitClocks; clock++) evaluate();
    compare(state(), wanted, units);
    restore(passed);
  }

 private:
  static constexpr size_t kWords = 8;
  struct Block {
    const unsigned char* at;
    uint64_t mask[kWords], follows[kWords], seen[kWords];
  };
  struct Name {
    ptrdiff_t place;
    const char* name;
  };

  void set(std::vector<unsigned char>& masks, const void* at, size_t bytes, int mask);
  std::vector<unsigned char> state() const { return {core_, core_ + masks_.size()}; }
  void restore(const std::vector<unsigned char>& state);
  void compare(const std::vector<unsigned char>& found, const std::vector<unsigned char>& wanted,
               int64_t units) const;

  unsigned char* core_ = nullptr;
  std::unique_ptr<Register> time_;
  bool rested_ = false;
  const unsigned char* restless_ = nullptr;  // a byte that moved at the last look
  std::vector<unsigned char> masks_, follows_, proof_;
  std::vector<Block> blocks_;
  std::vector<Name> names_;
  std::vector<std::unique_ptr<Watched>> watched_;
  std::vector<Register> busy_;
};

}  // namespace plexor
