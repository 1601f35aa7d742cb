// SPDX-License-Identifier: Apache-2.0
// The code port: turns levels of its pins into codes. See docs/instrument.md, Codes.
#pragma once

#include <cstdint>
#include <deque>

#include "geometry.h"
#include "registers.h"
#include "stimulus.h"

namespace plexor {

struct Code {
  int64_t ticks;
  uint32_t value, skew_clocks;
  bool is_torn;
};

class CodePort {
 public:
  explicit CodePort(const Geometry& geometry) : geometry_(geometry) {}

  // Takes the registers; the port shows these levels.
  void prepare(const Registers& registers, uint32_t levels);
  // The port shows other levels from a tick on. Ticks do not fall.
  void change(int64_t ticks, uint32_t levels);
  // A rising edge of the strobe.
  void strobe(int64_t ticks);

  // Passes on each code that is known at a horizon.
  template <typename Out>
  void take(int64_t horizon, Out&& out) {
    if (!is_on()) return;
    pass(horizon / geometry_.samples);
    for (; !ready_.empty(); ready_.pop_front()) out(ready_.front());
  }
  bool is_on() const { return mode_ == kCodeModeChange || mode_ == kCodeModeStrobed; }
  int strobe_channel() const { return mode_ == kCodeModeStrobed ? strobe_channel_ : -1; }
  int64_t settle_clocks() const { return mode_ == kCodeModeChange ? settle_clocks_ : 1; }
  // Codes before this tick are known.
  int64_t ready_ticks(int64_t horizon) const {
    return horizon - (settle_clocks() + 2) * geometry_.samples;
  }
  // Nothing becomes known at this horizon or before, without a change.
  int64_t next_ticks() const;

 private:
  struct Change {
    int64_t clock;
    uint32_t levels;
  };

  void pass(int64_t clock);
  void pass_changes(int64_t clock);
  void pass_strobes(int64_t clock);
  void end_code(bool changes_behind);
  uint32_t levels_at(int64_t clock) const;

  const Geometry& geometry_;
  uint32_t mode_ = kCodeModeOff, mask_ = 0;
  int64_t settle_clocks_ = 3, skew_clocks_ = 0;
  int strobe_channel_ = 0;
  std::deque<Change> changes_;  // those that are not taken yet; the levels of each clock
  std::deque<int64_t> strobes_;
  std::deque<Code> ready_;
  uint32_t levels_ = 0;         // before changes_
  // A code that has begun.
  bool has_begun_ = false, is_torn_ = false;
  int64_t first_clock_ = 0, last_clock_ = 0;
  uint32_t changed_ = 0;
  int64_t torn_clock_ = -1;     // the last change of a code that tears one soon behind it
};

}  // namespace plexor
