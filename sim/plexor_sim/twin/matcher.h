// SPDX-License-Identifier: Apache-2.0
// Matches responses to strikes, on every channel: docs/instrument.md, Matching and Samples.
//
// A channel changes only at events of its own pin and of its reference. What expires in between is
// settled at the next one, or where `look` asks for it.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"
#include "registers.h"
#include "results.h"

namespace plexor {

struct Event {
  int64_t ticks;
  int64_t index;
  uint8_t source;
  bool polarity;
  uint32_t code;  // of SOURCE_CODE: the word of its value
};

// The event that broke a threshold, if one has.
struct Threshold {
  bool is_broken = false;
  uint32_t reason = 0;
  int64_t index = 0, ticks = 0;
};

class Matcher {
 public:
  // At the end of a step each channel is looked at, and its record is written.
  static constexpr int64_t kRecordClocks = 120;

  Matcher(const Geometry& geometry, Results& results) : geometry_(geometry), results_(results) {}

  void prepare(const Registers& registers);
  void take(const Event& event);
  // Updates all channels to a time, for an event of that index.
  void look(int64_t ticks, int64_t index);
  // The end of the run: what is held is settled.
  void end(int64_t ticks, int64_t index);
  int64_t pending(int channel) const;
  // The channels that an event strikes.
  int64_t struck_by(const Event& event) const {
    return static_cast<int64_t>(struck_[event.source * 2 + event.polarity].size());
  }
  // What an event costs besides, in clocks: channels that are looked at before it, queues that it
  // finds full, responses that it finds held, strikes that have expired, and the records of a step.
  int64_t extra_clocks(const Event& event);
  // Before this tick nothing expires that would break a threshold.
  int64_t expiry_ticks() const;
  const Threshold& threshold() const { return threshold_; }
  void break_by_code(int64_t index, int64_t ticks) {
    if (!threshold_.is_broken) threshold_ = {true, kStopReasonCode, index, ticks};
  }
  bool has_overflowed() const { return overflowed_; }

 private:
  struct Strike {
    int64_t ticks;
    uint32_t code_place;
  };
  struct Rules {
    bool enabled = false;
    int reference_source = 0;
    bool reference_polarity = false;
    int64_t deadline_ticks = 0;
    bool triggers = false;
  };
  struct State {
    std::vector<Strike> queue;  // a ring
    size_t first = 0, size = 0;
    int64_t stale = 0;  // that have expired here, and in the gateware may still be queued
    bool has_held = false, has_matched = false, has_active = false;
    bool is_high = false, is_answered = false;
    int64_t held_ticks = 0, matched_ticks = 0, active_ticks = 0, answered_ticks = 0;
  };

  int64_t take_expired(State& state, int64_t ticks) const;
  int64_t take_looks(int64_t ticks);
  void update(int channel, int64_t ticks, int64_t index);
  void strike(int channel, const Event& event);
  void response(int channel, const Event& event);
  void trailing(int channel, const Event& event);
  void match(int channel, int64_t value_ticks, const Event& event, uint32_t code_place);
  void miss(int channel, int64_t ticks, int64_t index);
  void settle(int channel, int64_t response_ticks);
  void pop(State& state);

  const Geometry& geometry_;
  Results& results_;
  uint32_t policy_ = 0;
  int64_t timeout_ticks_ = 0, window_min_ticks_ = 0, early_ticks_ = 0;
  bool stops_on_latency_ = false, stops_on_missed_ = false;
  int64_t trigger_latency_ticks_ = 0;
  int code_channel_ = -1;
  std::vector<Rules> rules_;
  std::vector<State> states_;
  // The last look at all that waits, and the time by which there may be another one.
  int64_t looked_ticks_ = 0, horizon_ticks_ = 0;
  std::vector<int> struck_[kSources * 2];  // channels, by the event that is their strike
  Threshold threshold_;
  bool overflowed_ = false;
};

}  // namespace plexor
