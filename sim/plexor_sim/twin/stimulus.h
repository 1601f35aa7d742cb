// SPDX-License-Identifier: Apache-2.0
// One strike output: its sequences of strikes, one edge after the other. See docs/instrument.md,
// Stimulus.
#pragma once

#include <cstdint>
#include <limits>

#include "geometry.h"
#include "registers.h"

namespace plexor {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

class Stimulus {
 public:
  Stimulus(const Geometry& geometry, int number) : geometry_(geometry), number_(number) {}

  // Takes the registers; without a sequence until one is started.
  void prepare(const Registers& registers);
  // Takes those of a step of the sweep table, all others as before.
  void take_step(const Registers& registers, int step);

  // Starts a sequence whose first strike is at a tick.
  void start(int64_t first_ticks);
  // No strike starts at this tick or later.
  void stop(int64_t ticks);

  // The tick of the next edge, kNever without one, and its level.
  int64_t next_ticks() const { return is_active_ ? fall_ticks_ : rise_ticks_; }
  bool next_level() const { return !is_active_; }
  // Passes the next edge.
  void step();

  bool is_enabled() const { return enabled_; }
  bool is_counted() const { return enabled_ && strike_count_ > 0; }
  // Whether a sequence is under way in a clock; it lasts up to the clock in which its last strike ends.
  bool is_busy(int64_t clock) const { return has_sequence_ || clock <= last_clock_; }
  // Whether every strike of a sequence has begun, and none has been asked for since.
  bool is_done() const { return is_done_; }
  int64_t last_rise_ticks() const { return last_rise_ticks_; }
  int64_t last_fall_ticks() const { return last_fall_ticks_; }
  uint32_t trigger() const { return trigger_; }
  int trigger_source() const { return trigger_source_; }
  int64_t phase_ticks() const { return phase_ticks_; }

 private:
  void plan_next();
  void plan_random(int64_t from_clock);
  uint64_t draw();

  const Geometry& geometry_;
  const int number_;
  bool enabled_ = false;
  uint32_t trigger_ = 0;
  int trigger_source_ = 0, dither_bits_ = 0;
  int64_t interval_ticks_ = 0, width_ticks_ = 0, phase_ticks_ = 0, spacing_ticks_ = 0;
  int64_t burst_count_ = 1, strike_count_ = 0;
  uint64_t interval_fraction_ = 0, threshold_ = 0, seed_ = 1;

  bool has_sequence_ = false;  // strikes of it are still to begin
  bool is_done_ = false, is_active_ = false;
  int64_t rise_ticks_ = kNever, fall_ticks_ = kNever;
  int64_t last_rise_ticks_ = -1, last_fall_ticks_ = -1, last_clock_ = -1;
  int64_t stop_ticks_ = kNever;
  int64_t begun_ = 0;     // strikes of the sequence that have begun
  int64_t in_burst_ = 0;  // strikes of the burst that have begun
  uint64_t fraction_ = 0, state_ = 1;
  int64_t drawn_clock_ = 0;  // the generator has stepped up to this clock
};

}  // namespace plexor
