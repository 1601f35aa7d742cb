// SPDX-License-Identifier: Apache-2.0
// The instrument, event by event: registers and commands, runs, and the stages between the pins and
// the link. See docs/instrument.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "code_port.h"
#include "device.h"
#include "frames.h"
#include "front_end.h"
#include "geometry.h"
#include "matcher.h"
#include "pins.h"
#include "queues.h"
#include "registers.h"
#include "results.h"
#include "stimulus.h"
#include "truth.h"
#include "uplink.h"

namespace plexor {

// A run that only the gateware can take. The text says why.
struct NeedsGateware : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Instrument {
 public:
  Instrument(const Geometry& geometry, Device& device, EdgeLog& log, const FrontEnd& front_end);

  int64_t clock() const { return now_ticks_ / geometry_.samples; }
  int64_t now_ps() const { return pins_.ps_of(now_ticks_); }
  // The first time at which the device can have an input that is not a pin.
  int64_t input_ps() const { return std::max(pins_.input_ps(), now_ps()); }
  // Whether time goes on by itself: a run is under way, from its command to its last result.
  bool is_running() const { return state_ != kRunStateIdle && state_ != kRunStateDone; }

  // Lets time pass up to a core clock.
  void pass_to(int64_t clock);
  // Lets a run go on by a number of clocks with edges, at most to a core clock or a snapshot.
  void run(int windows, int64_t limit_clock);
  // Number of the run's snapshots.
  int64_t snapshots() const { return snapshot_; }

  // Executes a command whose first operation comes now; between runs each takes its time.
  // Returns the clocks from its last operation to the end of its answer, besides a constant.
  int64_t execute(Command command);
  void reject();
  // Answers one as things stand.
  void answer(Command command);
  // Sends the events so far.
  void flush() { uplink_.end_frame(); }

  Uplink& uplink() { return uplink_; }
  std::vector<uint8_t>& sent() { return uplink_.bytes(); }

 private:
  static constexpr int64_t kMergeClocks = 16;

  struct Waiting {
    int64_t key;  // time and rank
    Event event;
    bool is_removed;  // by a long filter
  };

  void operate(Operation& operation);
  void wrote(uint16_t address);
  void act(uint32_t action);
  void refresh();

  void start_run();
  void begin_run();
  void end_run();
  void plan_end();
  bool step(int64_t limit_ticks);
  void pass(int64_t horizon);
  void strike_edges(int64_t horizon);
  bool capture(int source, int64_t ticks, bool polarity, uint32_t code = 0,
               bool is_removed = false);
  void count_mended(int channel, int64_t clock);
  void merge(int64_t below_ticks);
  void handle(const Event& event);
  void remove(const Event& event);
  // From an edge's clock to its event at the matcher, if no other is before it.
  int64_t merge_clocks() const { return kMergeClocks + hold_clocks_; }
  void end_quiet_frame(int64_t ticks);
  void tell_threshold();
  int64_t lamp_faults() const;
  void keep(const Event& event);
  [[noreturn]] void need_gateware(const std::string& why, int64_t ticks) const;
  void stop_at(int64_t ticks, uint32_t reason);
  void trigger_from(int number, int64_t ticks);
  void trigger_by_code(const Code& code);
  void meet_start(const Code& code);
  int64_t code_trigger_clock(const Code& code) const;
  void set_idle_levels();
  void take_code(const Code& code);
  bool is_masked(uint32_t code) const;
  void begin_step(int64_t first_ticks);
  void plan_step_end();
  void end_step(int64_t ticks);
  void take_snapshots(int64_t ready_ticks);
  bool is_behind_snapshot(const Event& event) const;
  int64_t snapshot_clocks() const;
  void take_snapshot(int64_t ticks, uint32_t spaces);
  void add_entry();
  void serve_schedule();
  void drive_timecode(int64_t ticks);
  int64_t next_own_ticks() const;

  const Geometry geometry_;
  const bool matches_;
  Registers registers_;
  TwinPins pins_;
  Results results_;
  Matcher matcher_;
  Uplink uplink_;
  std::vector<Stimulus> stimuli_;

  uint32_t state_ = kRunStateIdle, stop_reason_ = kStopReasonNone, flags_ = 0;
  int64_t now_ticks_ = 0;  // all before this has passed
  int64_t start_ticks_ = 0, end_ticks_ = 0;
  int64_t begin_ticks_ = kNever, stop_ticks_ = kNever;  // planned; kNever: not yet
  bool streams_ = false;
  int64_t events_ = 0, snapshot_ = 0, command_errors_ = 0;
  int64_t generated_[kSources] = {}, removed_ = 0;
  uint32_t enabled_ = 0, inverted_ = 0, either_ = 0;  // channels
  uint32_t active_only_ = 0;                          // sources
  int64_t channels_ticks_ = 0;           // the first at which a channel has something, or earlier
  int64_t lag_ticks_ = 0;                // of the enabled channel with the longest filter
  int64_t hold_clocks_ = 0;              // events are held back so long, because of long filters
  uint32_t idle_levels_ = 0;             // of strike outputs
  bool has_run_ = false;
  bool load_ = false;
  std::vector<Waiting> waiting_;
  size_t first_waiting_ = 0;

  std::deque<Event> ring_;  // the last events

  const FrontEnd front_end_;
  Queues queues_;
  CodePort port_;
  int64_t masked_ = 0, mended_ = 0, mended_clock_ = -1;
  uint32_t zone_mask_ = 0;
  std::vector<Code> early_codes_;  // that would strike; they are from before the run

  // The sweep table.
  int steps_ = 0, step_ = 0;  // in the table; the step under way
  int64_t steps_ended_ = 0;
  int64_t step_end_ticks_ = kNever;
  bool step_level_ = false;

  // Snapshots.
  int64_t report_ticks_ = kNever, report_clocks_ = 0, asked_ticks_ = kNever;
  int64_t dumped_ticks_ = 0;  // the last dump is over
  int64_t handled_ticks_ = 0;  // of the last event
  int64_t slot_clock_ = -1;    // of the last edge, removed ones included
  int64_t told_clock_ = 0;     // when the matcher was last told the time, or an event
  int64_t recorded_clock_ = 0;  // edges wait at the matcher until then, behind the end of a step

  // The schedule.
  struct Entry {
    int64_t due_ticks;
    uint32_t id;
  };
  std::deque<Entry> schedule_;
  bool is_due_ = false;  // the first entry's strike is planned
  uint32_t entry_number_ = 0, schedule_id_ = 0;
  int64_t schedule_refused_ = 0, schedule_past_ = 0;
  int64_t timecode_steps_ = 0, timecode_clock_ = -1;
};

}  // namespace plexor
