// SPDX-License-Identifier: Apache-2.0
#include "instrument.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace plexor {

namespace {

constexpr int64_t kOperationClocks = 75;
// From the START of a command to the run's first clock: the memories are cleared.
constexpr int64_t kClearClocks = 16, kClearPlainClocks = 14;  // besides one for each place
constexpr int64_t kClearCountsClocks = 2061;  // or one more: without Feature.MATCH, in even clocks
constexpr int64_t kSettleClocks = 2, kRestClocks = 8;
// A register is written so long before it could be read; what an output shows changes first.
constexpr int64_t kWriteClocks = 10, kOutputClocks = 11;
constexpr int64_t kQuietClocks = 1 << 16;  // one without an event ends a frame
constexpr int64_t kLampClocks = 1 << 22;  // one lamp is lit
constexpr int kLampFaultsBits = 8;
constexpr int64_t kFirstReportClocks = 12, kReportClocks = 3;  // besides those of the register
constexpr int64_t kBeatClocks = 1 << 14;  // without an event, so often
constexpr int64_t kSnapshotClocks = 31;  // from an event that a snapshot just leaves out to its time
constexpr int64_t kReadWordClocks = 17, kSentWordClocks = 61;  // about, of a dump
// From the end of a step to the next edge that the matcher takes, besides the clocks of each channel;
// and from one that has waited to the next.
constexpr int64_t kRecordedClocks = 27, kFollowClocks = 4;
constexpr int64_t kTimecodeClocks = 2;
constexpr int64_t kArmedClocks = 18;  // before a run, triggers count
constexpr int kRankBits = 5;
constexpr const char* kByThreshold = "a threshold ends it";

int rank_of(int source) {
  if (source >= kSourceLoad) return source;
  return source >= kSourceStrike ? source - static_cast<int>(kSourceStrike)
                                 : source + static_cast<int>(kMaxStrikes);
}

}  // namespace

Instrument::Instrument(const Geometry& geometry, Device& device, EdgeLog& log,
                       const FrontEnd& front_end)
    : geometry_(geometry),
      matches_(geometry_.has(kFeatureMatch)),
      registers_(geometry_),
      pins_(geometry_, device, log, front_end),
      results_(geometry_),
      matcher_(geometry_, results_),
      uplink_(geometry_, results_),
      front_end_(front_end),
      queues_(geometry_),
      port_(geometry_) {
  for (int number = 0; number < geometry_.strikes; number++)
    stimuli_.emplace_back(geometry_, number);
  results_.clear(registers_);
  matcher_.prepare(registers_);
}

void Instrument::pass_to(int64_t clock) {
  const int64_t to_ticks = clock * geometry_.samples;
  while (now_ticks_ < to_ticks) step(to_ticks);
}

void Instrument::run(int windows, int64_t limit_clock) {
  const int64_t limit_ticks = limit_clock * geometry_.samples;
  const int64_t snapshot = snapshot_;
  while (windows-- && is_running() && now_ticks_ < limit_ticks && snapshot_ == snapshot)
    step(limit_ticks);
  end_quiet_frame(now_ticks_);
}

// Commands.

int64_t Instrument::execute(Command command) {
  const int64_t first_clock = clock();
  const bool rests = !is_running();
  for (size_t n = 0; n < command.operations.size(); n++) {
    Operation& operation = command.operations[n];
    const int64_t read_clock = first_clock + kOutputClocks + static_cast<int64_t>(n) * kOperationClocks;
    const bool is_output = operation.address == kControlLoad.address ||
                           operation.address == kControlInputSelect.address ||
                           operation.address == kControlLoopbackOutput.address;
    if (rests) pass_to(read_clock - (is_output ? kOutputClocks : kWriteClocks));
    const bool reads = operation.code == kOpCodeRead;
    if (!reads) operate(operation);
    if (rests) pass_to(read_clock);
    if (reads) operate(operation);
  }
  return uplink_.respond(command);
}

void Instrument::answer(Command command) {
  now_ticks_ += geometry_.samples;  // an instrument whose time stands still counts as dead
  for (Operation& operation : command.operations) operate(operation);
  uplink_.respond(command);
}

void Instrument::reject() {
  command_errors_++;
  uplink_.log(kLogCodeRejected, static_cast<uint64_t>(command_errors_), now_ticks_);
}

void Instrument::operate(Operation& operation) {
  const uint16_t address = operation.address;
  if (operation.code != kOpCodeRead && operation.code != kOpCodeWrite) {
    operation.status = kOpStatusNoOperation;
  } else if (!registers_.has(address)) {
    operation.status = kOpStatusNoRegister;
  } else if (operation.code == kOpCodeRead) {
    refresh();
    operation.value = registers_.read(address);
  } else if (registers_.access(address) == kRead) {
    operation.status = kOpStatusReadOnly;
  } else if (registers_.access(address) == kSetup && is_running()) {
    operation.status = kOpStatusRunning;
  } else if (address == kControlAction.address) {
    act(operation.value);
  } else {
    registers_.write(address, operation.value);
    wrote(address);
  }
}

// What a register does besides being kept.
void Instrument::wrote(uint16_t address) {
  channels_ticks_ = now_ticks_;
  if (address == kControlLoad.address) {
    const bool load = registers_.get(kControlLoad);
    if (load != load_) {
      load_ = load;
      pins_.load(now_ticks_, load);
      capture(kSourceLoad, now_ticks_, load);
    }
  } else if (address == kControlInputSelect.address || address == kControlLoopbackOutput.address) {
    pins_.choose(now_ticks_, static_cast<uint32_t>(registers_.get(kControlInputSelect)),
                 static_cast<int>(registers_.get(kControlLoopbackOutput)));
  } else if (address == kScheduleEntry.address) {
    add_entry();
  } else {
    set_idle_levels();
  }
}

// Strike outputs idle at their inactive levels.
void Instrument::set_idle_levels() {
  uint32_t levels = 0;
  for (int number = 0; number < geometry_.strikes; number++)
    levels |= static_cast<uint32_t>(registers_.get(kStimulusInvert, number)) << number;
  if (levels == idle_levels_) return;
  if (has_run_ || !pins_.idle(now_ticks_, levels))
    for (int number = 0; number < geometry_.strikes; number++)
      if ((levels ^ idle_levels_) >> number & 1)
        pins_.strike(number, now_ticks_, levels >> number & 1);
  idle_levels_ = levels;
}

void Instrument::act(uint32_t action) {
  if (action & kActionStart && !is_running()) start_run();
  if (action & kActionStop && state_ == kRunStateRunning) {
    stop_at((clock() + kSettleClocks) * geometry_.samples, kStopReasonCommand);
  }
  if (action & kActionSnapshot && state_ == kRunStateRunning && streams_ &&
      geometry_.has(kFeatureSnapshot))
    asked_ticks_ = (clock() + kFirstReportClocks) * geometry_.samples;
  if (action & kActionTrace && state_ == kRunStateDone)
    uplink_.trace({ring_.begin(), ring_.end()});
  if (action & kActionForget && !is_running()) {
    schedule_.clear();
    is_due_ = false;
    entry_number_ = schedule_id_ = 0;
    schedule_refused_ = schedule_past_ = 0;
  }
  if (action & kActionDump && state_ == kRunStateDone) {
    uplink_.dump_all(static_cast<uint32_t>(registers_.get(kControlDumpSpaces)),
                     static_cast<int>(snapshot_), end_ticks_);
    uplink_.log(kLogCodeDumped, static_cast<uint64_t>(snapshot_), end_ticks_);
  }
}

void Instrument::refresh() {
  const bool is_told = geometry_.has(kFeatureRing);
  const std::pair<Reg, int64_t> status[] = {
      {kStatusState, state_},
      {kStatusStopReason, stop_reason_},
      {kStatusFlags, flags_},
      {kStatusSnapshot, snapshot_},
      {kStatusTimeTicks, now_ticks_},
      {kStatusStartTicks, start_ticks_},
      {kStatusEndTicks, end_ticks_},
      {kStatusEvents, geometry_.has(kFeatureEvents) ? events_ : 0},
      {kStatusTriggerIndex, is_told ? matcher_.threshold().index : 0},
      {kStatusTriggerTicks, is_told ? matcher_.threshold().ticks : 0},
      {kStatusCommandErrors, command_errors_},
      {kStatusStep, steps_ended_},
      {kStatusMasked, masked_},
      {kStatusMended, mended_},
      {kLongFilterStatusRemoved, removed_},
      {kStatusScheduleWaiting, static_cast<int64_t>(schedule_.size())},
      {kStatusScheduleRefused, schedule_refused_},
      {kStatusSchedulePast, schedule_past_},
      {kStatusScheduleId, schedule_id_},
      {kStatusLampFaults, lamp_faults()},
  };
  for (const auto& [reg, value] : status) registers_.set(reg, static_cast<uint64_t>(value));
  for (int channel = 0; channel < geometry_.channels; channel++)
    registers_.set(kChannelStatusPending, static_cast<uint64_t>(matcher_.pending(channel)), channel);
  for (int source = 0; source < kSources; source++)
    registers_.set(kSourceGenerated, matches_ ? static_cast<uint64_t>(generated_[source]) : 0, source);
}

// What the lamps that have had their turn since power-up have shown.
int64_t Instrument::lamp_faults() const {
  if (!geometry_.lamps) return 0;
  const int64_t turns = std::min(clock() / kLampClocks, geometry_.lamps);
  uint32_t faults = 0;
  for (int64_t lamp = 0; lamp < turns; lamp++) {
    const uint32_t lit = 1u << lamp;
    faults |= ((lit | front_end_.lamps_high) & ~front_end_.lamps_low) ^ lit;
  }
  return faults | static_cast<int64_t>(turns == geometry_.lamps) << kLampFaultsBits;
}

// Runs.

void Instrument::start_run() {
  const bool is_plain = !geometry_.has(kFeatureSnapshot);
  const int64_t rise_bins = geometry_.first_bin(kSpaceLatencyBins, kLatencyKindFall, 0);
  const int64_t clocks =
      !matches_  ? kClearCountsClocks + (clock() + kWriteClocks + kClearCountsClocks) % 2
      : is_plain ? rise_bins + kClearPlainClocks
                 : geometry_.bin_places() + kClearClocks;
  begin_ticks_ = (clock() + kWriteClocks + clocks) * geometry_.samples;
  state_ = kRunStateClearing;
  stop_reason_ = kStopReasonNone;
  stop_ticks_ = kNever;
  flags_ = 0;
  snapshot_ = 0;
  events_ = 0;
  std::fill(std::begin(generated_), std::end(generated_), 0);
  removed_ = 0;
  slot_clock_ = -1;
  told_clock_ = recorded_clock_ = 0;
  waiting_.clear();
  first_waiting_ = 0;
  ring_.clear();
  masked_ = mended_ = 0;
  mended_clock_ = -1;
  steps_ended_ = step_ = 0;
  step_level_ = false;
  step_end_ticks_ = report_ticks_ = asked_ticks_ = kNever;
  timecode_steps_ = 0;
  timecode_clock_ = -1;
  results_.clear(registers_);
  matcher_.prepare(registers_);
  uplink_.clear_events();
  // A code that begins before the run is none of it, but what changes soon behind belongs to it.
  port_.prepare(registers_, pins_.code_levels());
  early_codes_.clear();
  streams_ = geometry_.has(kFeatureEvents) && registers_.get(kControlStream) & kStreamLive;
  enabled_ = inverted_ = either_ = 0;
  active_only_ = static_cast<uint32_t>(registers_.get(kControlActiveOnly));
  lag_ticks_ = 0;
  int64_t joined_ticks = 0;
  for (int channel = 0; channel < geometry_.channels; channel++) {
    enabled_ |= static_cast<uint32_t>(registers_.get(kChannelEnable, channel)) << channel;
    inverted_ |= static_cast<uint32_t>(registers_.get(kChannelInvert, channel)) << channel;
    either_ |= static_cast<uint32_t>(registers_.get(kChannelEither, channel)) << channel;
    int64_t long_ticks = 0;
    if (geometry_.has(kFeatureLongFilter) && enabled_ >> channel & 1)
      long_ticks = registers_.get(kLongFilterTicks, channel) %
                   (kLongFilterClocks * geometry_.samples);
    joined_ticks |= long_ticks;
    pins_.channels()[channel].set_filter(
        geometry_.has(kFeatureFilter) ? registers_.get(kChannelFilterTicks, channel) : 0,
        long_ticks, now_ticks_ + kWriteClocks * geometry_.samples);
    if (enabled_ >> channel & 1)
      lag_ticks_ = std::max(lag_ticks_, pins_.channels()[channel].lag_ticks());
  }
  const int64_t filter_clocks = joined_ticks / geometry_.samples;
  hold_clocks_ = joined_ticks ? kLeastHoldClocks + filter_clocks / kHoldStepClocks * kHoldStepClocks
                              : 0;
}

void Instrument::begin_run() {
  if (geometry_.has(kFeatureCodes) && registers_.get(kControlStopOn) & kStopOnStall)
    throw NeedsGateware("a stall ends it, and single clocks decide when");
  for (int output = 0; output < geometry_.strikes; output++) {
    const int64_t trigger = registers_.get(kStimulusTrigger, output);
    if (registers_.get(kStimulusEnable, output) &&
        (trigger == kTriggerLatency || trigger == kTriggerMissed))
      throw NeedsGateware("a decision starts strikes, at a clock of the matcher's");
  }
  state_ = kRunStateRunning;
  has_run_ = true;
  start_ticks_ = handled_ticks_ = begin_ticks_;
  begin_ticks_ = kNever;
  uplink_.log(kLogCodeStarted, 0, start_ticks_);
  queues_.begin(geometry_.clock_of(start_ticks_), hold_clocks_ ? merge_clocks() : 0);
  if (registers_.get(kControlStopOn) & kStopOnTime) {
    const int64_t run_time = registers_.get(kControlRunTimeTicks), samples = geometry_.samples;
    stop_ticks_ = start_ticks_ + (run_time + samples - 1) / samples * samples;
    stop_reason_ = kStopReasonTime;
  }
  const bool is_swept = geometry_.has(kFeatureSweep);
  steps_ = is_swept ? static_cast<int>(std::min(registers_.get(kControlStepCount),
                                                geometry_.table_steps))
                    : 0;
  for (Stimulus& stimulus : stimuli_) {
    stimulus.prepare(registers_);
    stimulus.stop(stop_ticks_);
  }
  if (steps_) begin_step(start_ticks_);
  for (Stimulus& stimulus : stimuli_)
    if (stimulus.is_enabled() && stimulus.trigger() == kTriggerRun &&
        !(steps_ && &stimulus == &stimuli_.front()))
      stimulus.start(start_ticks_ + stimulus.phase_ticks());
  zone_mask_ = static_cast<uint32_t>(registers_.get(kCodeZoneMask));
  for (const Code& code : early_codes_) meet_start(code);
  report_clocks_ = registers_.get(kControlReportClocks);
  if (report_clocks_ && geometry_.has(kFeatureSnapshot) && streams_)
    report_ticks_ = start_ticks_ + (report_clocks_ + kFirstReportClocks) * geometry_.samples;
  serve_schedule();
}

void Instrument::stop_at(int64_t ticks, uint32_t reason) {
  if (ticks >= stop_ticks_) return;
  stop_ticks_ = ticks;
  stop_reason_ = reason;
  for (Stimulus& stimulus : stimuli_) stimulus.stop(ticks);
}

// With StopOn.STRIKES the run ends when every counted output is done and has settled.
void Instrument::plan_end() {
  if (steps_ || !(registers_.get(kControlStopOn) & kStopOnStrikes)) return;
  int64_t rise_ticks = -1, fall_ticks = -1;
  for (const Stimulus& stimulus : stimuli_) {
    if (!stimulus.is_counted()) continue;
    if (!stimulus.is_done()) return;
    rise_ticks = std::max(rise_ticks, stimulus.last_rise_ticks());
    fall_ticks = std::max(fall_ticks, stimulus.last_fall_ticks());
  }
  if (rise_ticks < 0) return;
  const int64_t samples = geometry_.samples;
  const int64_t settle_clocks = registers_.get(kControlSettleTicks) / samples;
  const int64_t end = std::max(rise_ticks / samples + settle_clocks + kSettleClocks,
                               (fall_ticks - 1) / samples + kRestClocks);
  stop_at(end * samples, kStopReasonStrikes);
}

void Instrument::end_run() {
  end_ticks_ = stop_ticks_;
  state_ = kRunStateDraining;
  // A filter's length, or the time in which a code settles.
  const int64_t reach_clocks = port_.is_on() ? port_.settle_clocks() + 4 : 2;
  const int64_t reach =
      std::max(reach_clocks, lag_ticks_ / geometry_.samples + 2) * geometry_.samples;
  while (now_ticks_ < end_ticks_ + reach) step(end_ticks_ + reach);
  merge(kNever);
  if (matches_) matcher_.end(end_ticks_, events_);
  tell_threshold();
  if (steps_) end_step(end_ticks_);
  uplink_.end_frame();
  if (results_.has_saturated()) flags_ |= kStatusFlagBinSaturated;
  if (matcher_.has_overflowed()) flags_ |= kStatusFlagQueueFull;
  state_ = kRunStateDone;
  uplink_.log(kLogCodeStopped, stop_reason_, end_ticks_);
  uplink_.dump_all(static_cast<uint32_t>(registers_.get(kControlFinalSpaces)),
                   static_cast<int>(snapshot_), end_ticks_);
  uplink_.log(kLogCodeDumped, static_cast<uint64_t>(snapshot_), end_ticks_);
}

// Passes the next clock with an edge, or all to the limit. Returns whether there was an edge.
bool Instrument::step(int64_t limit_ticks) {
  int64_t next = std::min(limit_ticks, begin_ticks_);
  if (state_ == kRunStateRunning) next = std::min(next, stop_ticks_);
  const int64_t bound = next;
  next = std::min(next, next_own_ticks());
  if (next >= now_ticks_) next = pins_.quiet_to(next);
  next = std::max(next, now_ticks_);
  if (next >= bound) {
    if (bound > now_ticks_) pass(bound);
    if (bound == begin_ticks_)
      begin_run();
    else if (state_ == kRunStateRunning && bound == stop_ticks_)
      end_run();
    return false;
  }
  pass(std::min(bound, (next / geometry_.samples + 1) * geometry_.samples));
  return true;
}

// The tick of what the instrument does next by itself.
int64_t Instrument::next_own_ticks() const {
  int64_t next = kNever;
  for (const Stimulus& stimulus : stimuli_) next = std::min(next, stimulus.next_ticks());
  next = std::min(next, channels_ticks_);
  if (state_ != kRunStateRunning && state_ != kRunStateDraining) return next;
  next = std::min({next, step_end_ticks_, report_ticks_, asked_ticks_});
  if (port_.is_on()) next = std::min(next, port_.next_ticks());
  if (state_ == kRunStateRunning) next = std::min(next, matcher_.expiry_ticks());
  return next;
}

void Instrument::pass(int64_t horizon) {
  if (step_end_ticks_ < horizon) {
    capture(kSourceStep, step_end_ticks_, step_level_ = !step_level_);
    const int64_t first_ticks = step_end_ticks_ + kStepClocks * geometry_.samples;
    step_end_ticks_ = kNever;
    step_++;
    begin_step(first_ticks);
  }
  strike_edges(horizon);
  pins_.advance(horizon);
  now_ticks_ = horizon;
  int64_t ready_ticks = horizon - lag_ticks_;
  channels_ticks_ = kNever;
  for (int number = 0; number < geometry_.channels; number++) {
    Channel& channel = pins_.channels()[number];
    if (channel.next_ticks() >= horizon) {
      channels_ticks_ = std::min(channels_ticks_, channel.next_ticks());
      continue;
    }
    channel.take(horizon, [&](const TickEdge& edge) {
      const bool active = edge.level != (inverted_ >> number & 1);
      if (enabled_ >> number & 1)
        capture(number, edge.tick, active || either_ >> number & 1, 0, !edge.passes);
    });
    for (const TickEdge& edge : channel.unfiltered())
      if (number == port_.strobe_channel() && edge.level != (inverted_ >> number & 1))
        port_.strobe(edge.tick);
    channel.unfiltered().clear();
    for (const int64_t clock : channel.mended()) count_mended(number, clock);
    channel.mended().clear();
    channels_ticks_ = std::min(channels_ticks_, channel.next_ticks());
  }
  if (!pins_.codes().empty()) {
    for (const TwinPins::CodeEdge& edge : pins_.codes()) port_.change(edge.tick, edge.levels);
    pins_.codes().clear();
  }
  if (port_.is_on()) {
    port_.take(horizon, [&](const Code& code) { take_code(code); });
    ready_ticks = std::min(ready_ticks, port_.ready_ticks(horizon));
  }
  take_snapshots(ready_ticks);
  merge(ready_ticks);
  if (first_waiting_ < waiting_.size())
    ready_ticks = std::min(ready_ticks, waiting_[first_waiting_].event.ticks);
  if (state_ == kRunStateRunning && matcher_.expiry_ticks() < ready_ticks)
    need_gateware(kByThreshold, matcher_.expiry_ticks());
}

void Instrument::strike_edges(int64_t horizon) {
  for (int number = 0; number < geometry_.strikes; number++) {
    Stimulus& stimulus = stimuli_[number];
    bool was_struck = false;
    while (stimulus.next_ticks() < horizon) {
      const int64_t ticks = stimulus.next_ticks();
      const bool active = stimulus.next_level();
      stimulus.step();
      pins_.strike(number, ticks, active != (idle_levels_ >> number & 1));
      capture(static_cast<int>(kSourceStrike) + number, ticks, active);
      if (!active) continue;
      was_struck = true;
      trigger_from(number, ticks);
      if (number == 0) drive_timecode(ticks);
      if (number == 0 && steps_) plan_step_end();
    }
    if (is_due_ && was_struck && stimulus.trigger() == kTriggerDue) serve_schedule();
    if (was_struck && state_ == kRunStateRunning) plan_end();
  }
}

// A strike starts a sequence of each stimulus that waits for it.
void Instrument::trigger_from(int number, int64_t ticks) {
  const int64_t clock = geometry_.clock_of(ticks);
  for (Stimulus& stimulus : stimuli_) {
    if (!stimulus.is_enabled() || stimulus.trigger() != kTriggerStrike ||
        stimulus.trigger_source() != number || stimulus.is_busy(clock))
      continue;
    stimulus.start((clock + kTriggerClocks) * geometry_.samples + stimulus.phase_ticks());
  }
}

// Takes an edge in the run; returns whether it is.
bool Instrument::capture(int source, int64_t ticks, bool polarity, uint32_t code,
                         bool is_removed) {
  if (state_ != kRunStateRunning && state_ != kRunStateDraining) return false;
  if (ticks < start_ticks_ || ticks >= stop_ticks_) return false;
  generated_[source]++;
  if (source == kSourceCode) generated_[kSourceCodeValue]++;
  removed_ += is_removed;
  const int64_t key = ticks << kRankBits | rank_of(source);
  size_t place = waiting_.size();
  waiting_.emplace_back();
  for (; place > first_waiting_ && waiting_[place - 1].key > key; place--)
    waiting_[place] = waiting_[place - 1];
  waiting_[place] = {key, {ticks, 0, static_cast<uint8_t>(source), polarity, code}, is_removed};
  return true;
}

// Counts clocks of the run in which samples of any enabled channel were mended.
void Instrument::count_mended(int channel, int64_t clock) {
  const int64_t ticks = clock * geometry_.samples;
  if (!(enabled_ >> channel & 1) || ticks < start_ticks_ || ticks >= stop_ticks_) return;
  if (state_ != kRunStateRunning && state_ != kRunStateDraining) return;
  if (clock == mended_clock_) return;
  mended_clock_ = clock;
  mended_ = std::min<int64_t>(mended_ + 1, 65535);
}

void Instrument::merge(int64_t below_ticks) {
  for (; first_waiting_ < waiting_.size(); first_waiting_++) {
    const Event& event = waiting_[first_waiting_].event;
    if (event.ticks >= below_ticks || is_behind_snapshot(event)) return;
    if (waiting_[first_waiting_].is_removed)
      remove(event);
    else
      handle(event);
  }
  waiting_.clear();
  first_waiting_ = 0;
}

// An edge that is removed tells the time if it was due while the edge was held back.
void Instrument::remove(const Event& event) {
  if (event.ticks >= stop_ticks_) return;
  const int64_t clock = geometry_.clock_of(event.ticks);
  const int64_t due_clock = (clock + merge_clocks()) / kBeatClocks * kBeatClocks;
  if (clock <= due_clock && due_clock > told_clock_) {
    handled_ticks_ = event.ticks;
    told_clock_ = clock + merge_clocks();
  }
  slot_clock_ = clock;
  const char* why = queues_.take_removed(event);
  if (why) need_gateware(why, event.ticks);
}

void Instrument::handle(const Event& merged) {
  Event event = merged;
  if (event.ticks >= stop_ticks_) return;
  handled_ticks_ = event.ticks;
  slot_clock_ = geometry_.clock_of(event.ticks);
  told_clock_ = slot_clock_ + merge_clocks();
  if (slot_clock_ < recorded_clock_) recorded_clock_ += kFollowClocks;
  const char* why = queues_.take(event, matcher_.struck_by(event), matcher_.extra_clocks(event),
                                 streams_);
  if (why) need_gateware(why, event.ticks);
  if (!matches_ && !event.polarity && active_only_ >> event.source & 1) return;
  const bool is_code = event.source == kSourceCode;
  const bool masked = is_code && is_masked(event.code);
  if (!masked) {
    event.index = events_++;
    events_ += is_code;
    if (matches_ && !is_code) results_.count_edge(event.source, event.polarity);
    if (streams_) {
      end_quiet_frame(event.ticks);
      uplink_.event(event);
    }
    keep(event);
  }
  masked_ += masked;
  if (!matches_) return;
  if (matcher_.expiry_ticks() <= event.ticks) matcher_.look(event.ticks, event.index);
  if (!masked) matcher_.take(event);
  if (is_code) {
    const uint32_t value = event.code & ((1u << geometry_.code_bits) - 1);
    results_.code(event.ticks, value);
    if (registers_.get(kControlStopOn) & kStopOnCode && value == static_cast<uint32_t>(registers_.get(kCodeStopCode)))
      matcher_.break_by_code(event.index + 1, event.ticks);
  }
  if (event.source == kSourceStep) end_step(event.ticks);
  // Single clocks decide when the run ends.
  if (matcher_.threshold().is_broken) need_gateware(kByThreshold, event.ticks);
}

// A threshold that the end of the run has broken.
void Instrument::tell_threshold() {
  const Threshold& threshold = matcher_.threshold();
  if (!threshold.is_broken) return;
  flags_ |= kStatusFlagTriggered;
  const bool is_told = geometry_.has(kFeatureRing);
  uplink_.log(kLogCodeTriggered, is_told ? static_cast<uint64_t>(threshold.index) : 0,
              is_told ? threshold.ticks : 0);
}

// Keeps the last events, for a trigger.
void Instrument::keep(const Event& event) {
  if (!geometry_.has(kFeatureRing)) return;
  ring_.push_back(event);
  if (static_cast<int64_t>(ring_.size()) > geometry_.ring_depth) ring_.pop_front();
}

// Beyond what queues surely hold, single clocks decide.
void Instrument::need_gateware(const std::string& why, int64_t ticks) const {
  throw NeedsGateware(why + " at " + std::to_string(ticks - start_ticks_) +
                      " ticks from the run's start");
}

// Codes.

bool Instrument::is_masked(uint32_t code) const {
  const uint32_t value = code & ((1u << geometry_.code_bits) - 1);
  return zone_mask_ >> (value >> std::max<int64_t>(geometry_.code_bits - 4, 0) & 15) & 1;
}

void Instrument::take_code(const Code& code) {
  const uint32_t word = code.value | code.skew_clocks << kSkewShift |
                        (code.is_torn ? static_cast<uint32_t>(kTorn) : 0);
  const bool is_captured = capture(kSourceCode, code.ticks, true, word);
  if (code.is_torn || code.value != static_cast<uint32_t>(registers_.get(kCodeTriggerCode))) return;
  if (is_captured)
    trigger_by_code(code);
  else if (state_ == kRunStateRunning)
    meet_start(code);
  else if (state_ == kRunStateClearing)
    early_codes_.push_back(code);
}

int64_t Instrument::code_trigger_clock(const Code& code) const {
  return geometry_.clock_of(code.ticks) + port_.settle_clocks() + kCodeTriggerClocks;
}

// A code that begins before a run strikes in it where its time to strike has not come by then.
void Instrument::meet_start(const Code& code) {
  if (code.ticks >= start_ticks_) return;
  if (code_trigger_clock(code) + kArmedClocks >= geometry_.clock_of(start_ticks_))
    trigger_by_code(code);
}

void Instrument::trigger_by_code(const Code& code) {
  const int64_t clock = code_trigger_clock(code);
  for (Stimulus& stimulus : stimuli_)
    if (stimulus.is_enabled() && stimulus.trigger() == kTriggerCode && !stimulus.is_busy(clock)) {
      // It may come in time to go on with a run that is about to end.
      if (stimulus.is_counted() && stop_ticks_ != kNever && stop_reason_ == kStopReasonStrikes)
        need_gateware("a code strikes while the run ends,", code.ticks);
      stimulus.start((clock + kTriggerClocks) * geometry_.samples + stimulus.phase_ticks());
    }
}

// The sweep table.

void Instrument::begin_step(int64_t first_ticks) {
  Stimulus& stimulus = stimuli_.front();
  stimulus.take_step(registers_, step_);
  if (stimulus.is_enabled() && stimulus.trigger() == kTriggerRun)
    stimulus.start(first_ticks + stimulus.phase_ticks());
}

void Instrument::plan_step_end() {
  const Stimulus& stimulus = stimuli_.front();
  if (!stimulus.is_counted() || !stimulus.is_done()) return;
  const int64_t samples = geometry_.samples;
  const int64_t guard_clocks = registers_.get(kStepGuardTicks, step_) / samples;
  const int64_t end = std::max(stimulus.last_rise_ticks() / samples + guard_clocks + kSettleClocks,
                               (stimulus.last_fall_ticks() - 1) / samples + kRestClocks);
  if (step_ + 1 < steps_)
    step_end_ticks_ = end * samples;
  else if (registers_.get(kControlStopOn) & kStopOnStrikes)
    stop_at(end * samples, kStopReasonStrikes);
}

void Instrument::end_step(int64_t ticks) {
  if (steps_ended_ == geometry_.table_steps) return;
  matcher_.look(ticks, events_);
  for (int channel = 0; channel < geometry_.channels; channel++)
    results_.end_step(static_cast<int>(steps_ended_), channel, matcher_.pending(channel), ticks);
  steps_ended_++;
  recorded_clock_ =
      geometry_.clock_of(ticks) + Matcher::kRecordClocks * geometry_.channels + kRecordedClocks;
}

int64_t Instrument::snapshot_clocks() const { return kSnapshotClocks + hold_clocks_; }

// Whether an edge still waits behind the end of a step when the next snapshot is taken.
bool Instrument::is_behind_snapshot(const Event& event) const {
  const int64_t ticks = std::min(report_ticks_, asked_ticks_);
  if (state_ != kRunStateRunning || ticks == kNever) return false;
  return geometry_.clock_of(event.ticks) < recorded_clock_ &&
         recorded_clock_ >= geometry_.clock_of(ticks) - snapshot_clocks();
}

// Takes those that are due. Each is of the events that the matcher has handed on by then.
void Instrument::take_snapshots(int64_t ready_ticks) {
  const int64_t before_ticks = snapshot_clocks() * geometry_.samples;
  while (state_ == kRunStateRunning) {
    const int64_t ticks = std::min(report_ticks_, asked_ticks_);
    if (ticks == kNever || ticks - before_ticks > ready_ticks) return;
    merge(ticks - before_ticks);
    if (ticks == asked_ticks_) {
      asked_ticks_ = kNever;
      take_snapshot(ticks, static_cast<uint32_t>(registers_.get(kControlDumpSpaces)));
    } else {
      report_ticks_ += (report_clocks_ + kReportClocks) * geometry_.samples;
      take_snapshot(ticks, static_cast<uint32_t>(registers_.get(kControlReportSpaces)));
    }
  }
}

// A snapshot is of all events so far. While one is being sent, there is no other.
void Instrument::take_snapshot(int64_t ticks, uint32_t spaces) {
  if (ticks < dumped_ticks_) return;
  // It knows the time of the last event, or of the last beat that tells the time.
  const int64_t beat_ticks = kBeatClocks * geometry_.samples;
  const int64_t before_ticks = snapshot_clocks() * geometry_.samples;
  int64_t told_ticks = (ticks - before_ticks) / beat_ticks * beat_ticks;
  // While an edge is held back, no beat tells the time.
  const int64_t told_clock = geometry_.clock_of(told_ticks);
  if (hold_clocks_ && slot_clock_ <= told_clock && told_clock <= slot_clock_ + merge_clocks())
    told_ticks = 0;
  // Nor while the end of a step is recorded.
  if (told_clock < recorded_clock_) told_ticks = 0;
  matcher_.look(std::max(told_ticks, handled_ticks_), events_);
  const int bank = results_.bank();
  results_.change_bank();
  snapshot_++;
  const auto [read, sent] =
      uplink_.dump(spaces & ~(1u << kSpaceCodes), bank, 0, static_cast<int>(snapshot_), ticks);
  dumped_ticks_ = ticks + (kReadWordClocks * read + kSentWordClocks * sent) * geometry_.samples;
  uplink_.log(kLogCodeDumped, static_cast<uint64_t>(snapshot_), ticks);
}

// The schedule.

void Instrument::add_entry() {
  const auto entry = static_cast<uint32_t>(registers_.get(kScheduleEntry));
  if (entry >> kEntryIdBits != entry_number_) return;
  entry_number_ = (entry_number_ + 1) & ((1u << kEntryNumberBits) - 1);
  if (static_cast<int64_t>(schedule_.size()) == kScheduleEntries) {
    schedule_refused_ = std::min<int64_t>(schedule_refused_ + 1, 65535);
    return;
  }
  schedule_.push_back({registers_.get(kScheduleDueTicks), entry & ((1u << kEntryIdBits) - 1)});
  if (state_ == kRunStateRunning && !is_due_) serve_schedule();
}

// The next entry's turn comes when the sequence of the one before is over.
void Instrument::serve_schedule() {
  Stimulus& stimulus = stimuli_.back();
  if (is_due_) {
    if (stimulus.next_ticks() != kNever && !stimulus.is_done()) return;
    schedule_id_ = schedule_.front().id;
    schedule_.pop_front();
    is_due_ = false;
  }
  if (!stimulus.is_enabled() || stimulus.trigger() != kTriggerDue) return;
  const int64_t turn_ticks = std::max({now_ticks_, start_ticks_, stimulus.last_fall_ticks()});
  for (; !schedule_.empty(); schedule_.pop_front()) {
    const int64_t due_ticks = start_ticks_ + schedule_.front().due_ticks;
    if (due_ticks >= turn_ticks + kDueClocks * geometry_.samples) {
      is_due_ = true;
      stimulus.start(due_ticks);
      return;
    }
    // One that is near may be past: that depends on the clock in which it is looked at.
    if (due_ticks >= turn_ticks)
      need_gateware("the schedule has a due time that may be too near,", due_ticks);
    schedule_past_ = std::min<int64_t>(schedule_past_ + 1, 65535);
  }
}

// Output 0 advances the timecode, once in each clock.
void Instrument::drive_timecode(int64_t ticks) {
  if (!geometry_.timecode_bits || !registers_.get(kScheduleTimecodeOn)) return;
  const int64_t clock = geometry_.clock_of(ticks);
  if (clock == timecode_clock_) return;
  timecode_clock_ = clock;
  timecode_steps_++;
  auto pins = static_cast<uint32_t>(timecode_steps_) & ((1u << geometry_.timecode_bits) - 1);
  if (registers_.get(kScheduleTimecodeGray)) pins ^= pins >> 1;
  pins_.timecode((clock + kTimecodeClocks) * geometry_.samples, pins);
}

// Time is cut into equal parts. One without an event ends a frame.
void Instrument::end_quiet_frame(int64_t ticks) {
  const int64_t part_ticks = kQuietClocks * geometry_.samples;
  if (ticks / part_ticks - uplink_.last_ticks() / part_ticks > 1) uplink_.end_frame();
}

}  // namespace plexor
