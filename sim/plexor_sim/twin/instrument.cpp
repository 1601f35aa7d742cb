#include "instrument.h"

#include <algorithm>
#include <string>

namespace plexor {

namespace {

constexpr int64_t kOperationClocks = 75;
constexpr int64_t kAnswerByteClocks = 3;
// From the START of a command to the run's first clock: the memories are cleared.
constexpr int64_t kClearClocks = 16400, kClearPlainClocks = 14;
constexpr int64_t kSettleClocks = 2, kRestClocks = 8;
constexpr int64_t kWriteClocks = 10;  // a register is written so long before it could be read
constexpr int64_t kQuietClocks = 1 << 16;  // one without an event ends a frame
constexpr int64_t kFurtherClocks = 1 << 16;  // after a threshold was broken
constexpr int kRankBits = 5;

int rank_of(int source) {
  if (source >= kSourceLoad) return source;
  return source >= kSourceStrike ? source - static_cast<int>(kSourceStrike)
                                 : source + static_cast<int>(kMaxStrikes);
}

}  // namespace

Instrument::Instrument(const Geometry& geometry, Device& device, EdgeLog& log,
                       const FrontEnd& front_end)
    : geometry_(geometry),
      registers_(geometry_),
      pins_(geometry_, device, log, front_end),
      results_(geometry_),
      matcher_(geometry_, results_),
      uplink_(geometry_, results_) {
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
  while (windows-- && is_running() && now_ticks_ < limit_ticks) step(limit_ticks);
  end_quiet_frame(now_ticks_);
}

// Commands.

int64_t Instrument::execute(Command command) {
  const int64_t first_clock = clock();
  const bool rests = !is_running();
  for (size_t n = 0; n < command.operations.size(); n++) {
    Operation& operation = command.operations[n];
    const int64_t read_clock = first_clock + kWriteClocks + static_cast<int64_t>(n) * kOperationClocks;
    if (rests) pass_to(read_clock - kWriteClocks);
    const bool reads = operation.code == kOpCodeRead;
    if (!reads) operate(operation);
    if (rests) pass_to(read_clock);
    if (reads) operate(operation);
  }
  // COBS holds bytes back until the next zero or the end.
  return kAnswerByteClocks * uplink_.respond(command);
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
  if (action & kActionStop && state_ == kRunStateRunning && stop_ticks_ == kNever) {
    stop_reason_ = kStopReasonCommand;
    stop_ticks_ = (clock() + kSettleClocks) * geometry_.samples;
    for (Stimulus& stimulus : stimuli_) stimulus.stop(stop_ticks_);
  }
  if (action & kActionDump && state_ == kRunStateDone) {
    uplink_.dump_all(static_cast<uint32_t>(registers_.get(kControlDumpSpaces)),
                     static_cast<int>(snapshot_), end_ticks_);
    uplink_.log(kLogCodeDumped, static_cast<uint64_t>(snapshot_), end_ticks_);
  }
}

void Instrument::refresh() {
  const std::pair<Reg, int64_t> status[] = {
      {kStatusState, state_},
      {kStatusStopReason, stop_reason_},
      {kStatusFlags, flags_},
      {kStatusSnapshot, snapshot_},
      {kStatusTimeTicks, now_ticks_},
      {kStatusStartTicks, start_ticks_},
      {kStatusEndTicks, end_ticks_},
      {kStatusEvents, events_},
      {kStatusUploadDropped, upload_dropped_},
      {kStatusTriggerIndex, matcher_.threshold().index},
      {kStatusTriggerTicks, matcher_.threshold().ticks},
      {kStatusCommandErrors, command_errors_},
  };
  for (const auto& [reg, value] : status) registers_.set(reg, static_cast<uint64_t>(value));
  for (int channel = 0; channel < geometry_.channels; channel++)
    registers_.set(kChannelStatusPending, static_cast<uint64_t>(matcher_.pending(channel)), channel);
  for (int source = 0; source < kSources; source++) {
    registers_.set(kSourceGenerated, static_cast<uint64_t>(generated_[source]), source);
    registers_.set(kSourceDropped, static_cast<uint64_t>(dropped_[source]), source);
  }
}

// Runs.

void Instrument::start_run() {
  const bool is_plain = !geometry_.has(kFeatureSnapshot);
  const int64_t rise_bins = geometry_.first_bin(kSpaceLatencyBins, kLatencyKindFall, 0);
  const int64_t clocks = is_plain ? rise_bins + kClearPlainClocks : kClearClocks;
  begin_ticks_ = (clock() + kWriteClocks + clocks) * geometry_.samples;
  state_ = kRunStateClearing;
  stop_reason_ = kStopReasonNone;
  stop_ticks_ = kNever;
  flags_ = 0;
  snapshot_ = 0;
  events_ = upload_dropped_ = 0;
  std::fill(std::begin(generated_), std::end(generated_), 0);
  std::fill(std::begin(dropped_), std::end(dropped_), 0);
  waiting_.clear();
  first_waiting_ = 0;
  further_ticks_ = kNever;
  results_.clear(registers_);
  matcher_.prepare(registers_);
  uplink_.clear_events();
  streams_ = geometry_.has(kFeatureEvents) && registers_.get(kControlStream) & kStreamLive;
  enabled_ = inverted_ = 0;
  for (int channel = 0; channel < geometry_.channels; channel++) {
    enabled_ |= static_cast<uint32_t>(registers_.get(kChannelEnable, channel)) << channel;
    inverted_ |= static_cast<uint32_t>(registers_.get(kChannelInvert, channel)) << channel;
    pins_.channels()[channel].set_filter(
        geometry_.has(kFeatureFilter) ? registers_.get(kChannelFilterTicks, channel) : 0);
  }
}

void Instrument::begin_run() {
  state_ = kRunStateRunning;
  has_run_ = true;
  start_ticks_ = begin_ticks_;
  begin_ticks_ = kNever;
  uplink_.log(kLogCodeStarted, 0, start_ticks_);
  if (registers_.get(kControlStopOn) & kStopOnTime) {
    const int64_t run_time = registers_.get(kControlRunTimeTicks), samples = geometry_.samples;
    stop_ticks_ = start_ticks_ + (run_time + samples - 1) / samples * samples;
    stop_reason_ = kStopReasonTime;
  }
  for (Stimulus& stimulus : stimuli_) {
    stimulus.prepare(registers_);
    stimulus.stop(stop_ticks_);
    if (stimulus.is_enabled() && stimulus.trigger() == kTriggerRun)
      stimulus.start(start_ticks_ + stimulus.phase_ticks());
  }
}

// With StopOn.STRIKES the run ends when every counted output is done and has settled.
void Instrument::plan_end() {
  if (!(registers_.get(kControlStopOn) & kStopOnStrikes)) return;
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
  if (end * samples >= stop_ticks_) return;
  stop_ticks_ = end * samples;
  stop_reason_ = kStopReasonStrikes;
  for (Stimulus& stimulus : stimuli_) stimulus.stop(stop_ticks_);
}

void Instrument::end_run() {
  end_ticks_ = stop_ticks_;
  state_ = kRunStateDraining;
  const int64_t reach = 2 * geometry_.samples;  // a filter's length and more
  while (now_ticks_ < end_ticks_ + reach) step(end_ticks_ + reach);
  merge(kNever);
  matcher_.end(end_ticks_, events_);
  break_threshold();
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
  for (const Stimulus& stimulus : stimuli_) next = std::min(next, stimulus.next_ticks());
  for (const Channel& channel : pins_.channels()) next = std::min(next, channel.next_ticks());
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

void Instrument::pass(int64_t horizon) {
  strike_edges(horizon);
  pins_.advance(horizon);
  now_ticks_ = horizon;
  int64_t ready_ticks = horizon;
  for (int number = 0; number < geometry_.channels; number++) {
    Channel& channel = pins_.channels()[number];
    channel.take(horizon, [&](int64_t ticks, bool level) {
      if (enabled_ >> number & 1) capture(number, ticks, level != (inverted_ >> number & 1));
    });
    if (enabled_ >> number & 1) ready_ticks = std::min(ready_ticks, channel.ready_ticks(horizon));
  }
  merge(ready_ticks);
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
    }
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

void Instrument::capture(int source, int64_t ticks, bool polarity, uint32_t code) {
  if (state_ != kRunStateRunning && state_ != kRunStateDraining) return;
  if (ticks < start_ticks_ || ticks >= stop_ticks_) return;
  generated_[source]++;
  const int64_t key = ticks << kRankBits | rank_of(source);
  size_t place = waiting_.size();
  waiting_.emplace_back();
  for (; place > first_waiting_ && waiting_[place - 1].key > key; place--)
    waiting_[place] = waiting_[place - 1];
  waiting_[place] = {key, {ticks, 0, static_cast<uint8_t>(source), polarity, code}};
}

void Instrument::merge(int64_t below_ticks) {
  for (; first_waiting_ < waiting_.size(); first_waiting_++) {
    const Event& event = waiting_[first_waiting_].event;
    if (event.ticks >= below_ticks) return;
    handle(event);
  }
  waiting_.clear();
  first_waiting_ = 0;
}

void Instrument::handle(const Event& merged) {
  Event event = merged;
  event.index = events_++;
  results_.count_edge(event.source, event.polarity);
  if (streams_) {
    end_quiet_frame(event.ticks);
    uplink_.event(event);
  }
  matcher_.take(event);
}

// Time is cut into equal parts. One without an event ends a frame.
void Instrument::end_quiet_frame(int64_t ticks) {
  const int64_t part_ticks = kQuietClocks * geometry_.samples;
  if (ticks / part_ticks - uplink_.last_ticks() / part_ticks > 1) uplink_.end_frame();
}

void Instrument::break_threshold() {}

}  // namespace plexor
