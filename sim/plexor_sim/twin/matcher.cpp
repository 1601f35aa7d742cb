// SPDX-License-Identifier: Apache-2.0
#include "matcher.h"

#include <algorithm>
#include <utility>

#include "stimulus.h"

namespace plexor {

namespace {

// As docs/instrument.md has them under Speed.
constexpr int64_t kLookClocks = 10, kSearchClocks = 10, kExpiredClocks = 8, kHeldClocks = 8;
constexpr int64_t kJoinClocks = 8;
constexpr int64_t kRecordsClocks = 60;  // of a step, at most, besides those of each channel

}  // namespace

void Matcher::prepare(const Registers& registers) {
  policy_ = static_cast<uint32_t>(registers.get(kMatcherPolicy));
  timeout_ticks_ = registers.get(kMatcherTimeoutTicks);
  window_min_ticks_ =
      policy_ == kPolicyWindow ? registers.get(kMatcherWindowMinTicks) : -kValueMost;
  early_ticks_ = geometry_.has(kFeatureEarly) ? registers.get(kMatcherEarlyTicks) : 0;
  const auto stop_on = static_cast<uint32_t>(registers.get(kControlStopOn));
  stops_on_latency_ = stop_on & kStopOnLatency;
  stops_on_missed_ = stop_on & kStopOnMissed;
  trigger_latency_ticks_ = registers.get(kControlTriggerLatencyTicks);
  const auto triggers = static_cast<uint32_t>(registers.get(kControlTriggerChannels));
  code_channel_ = geometry_.has(kFeatureCodes)
                      ? static_cast<int>(registers.get(kCodeLatencyChannel))
                      : -1;
  threshold_ = {};
  overflowed_ = false;
  looked_ticks_ = horizon_ticks_ = 0;
  for (auto& channels : struck_) channels.clear();
  rules_.assign(static_cast<size_t>(geometry_.channels), {});
  states_.assign(static_cast<size_t>(geometry_.channels), {});
  for (int channel = 0; channel < geometry_.channels; channel++) {
    Rules& rules = rules_[channel];
    rules.enabled = registers.get(kChannelEnable, channel);
    if (!rules.enabled) continue;
    rules.reference_source = static_cast<int>(registers.get(kChannelReferenceSource, channel));
    rules.reference_polarity = registers.get(kChannelReferencePolarity, channel);
    rules.deadline_ticks = registers.get(kChannelDeadlineTicks, channel);
    rules.triggers = triggers >> channel & 1;
    states_[channel].queue.resize(static_cast<size_t>(geometry_.queue_depth));
    if (rules.reference_source < kSources)
      struck_[rules.reference_source * 2 + rules.reference_polarity].push_back(channel);
  }
}

void Matcher::take(const Event& event) {
  if (event.source < geometry_.channels && event.source < kMaxChannels &&
      rules_[event.source].enabled) {
    if (event.polarity)
      response(event.source, event);
    else
      trailing(event.source, event);
  }
  for (const int channel : struck_[event.source * 2 + event.polarity]) strike(channel, event);
}

void Matcher::look(int64_t ticks, int64_t index) {
  for (int channel = 0; channel < geometry_.channels; channel++)
    if (rules_[channel].enabled) update(channel, ticks, index);
}

void Matcher::end(int64_t ticks, int64_t index) {
  look(ticks, index);
  for (int channel = 0; channel < geometry_.channels; channel++) {
    State& state = states_[channel];
    if (!state.has_held) continue;
    state.has_held = false;
    settle(channel, state.held_ticks);
  }
}

int64_t Matcher::pending(int channel) const {
  return channel < static_cast<int>(states_.size()) ? static_cast<int64_t>(states_[channel].size) : 0;
}

// A look at all that waits costs an event only where something may have expired by then. It tells the
// next time at which that can be. Nothing can while all that waits is younger than half the limit.
int64_t Matcher::take_looks(int64_t ticks) {
  if (ticks <= horizon_ticks_) return 0;
  const int64_t least_ticks = early_ticks_ ? std::min(early_ticks_, timeout_ticks_) : timeout_ticks_;
  int64_t clocks = kSearchClocks, next_ticks = ticks + least_ticks;
  bool is_due = false;
  // What had expired at the last look is gone.
  const auto waits = [&](int64_t since_ticks, int64_t limit_ticks) {
    if (looked_ticks_ - since_ticks > limit_ticks) return false;
    is_due |= ticks - since_ticks > least_ticks / 2;
    if (ticks - since_ticks <= limit_ticks)
      next_ticks = std::min(next_ticks, since_ticks + limit_ticks);
    return true;
  };
  for (const State& state : states_) {
    bool is_looked_at = false;
    for (size_t n = 0; n < state.size; n++) {
      const int64_t since_ticks = state.queue[(state.first + n) % state.queue.size()].ticks;
      is_looked_at |= waits(since_ticks, timeout_ticks_);
      if (ticks - since_ticks <= timeout_ticks_) break;
    }
    if (state.has_held && waits(state.held_ticks, early_ticks_)) {
      is_looked_at = true;
      clocks += kHeldClocks;
    }
    if (is_looked_at) clocks += kLookClocks;
  }
  if (!is_due) return 0;
  looked_ticks_ = ticks;
  horizon_ticks_ = next_ticks;
  return clocks;
}

// A build with SNAPSHOT finds what has expired before each event, others where a response, or a strike
// that finds the queue full, meets it.
int64_t Matcher::extra_clocks(const Event& event) {
  int64_t clocks = 0;
  if (geometry_.has(kFeatureSnapshot)) {
    clocks += take_looks(event.ticks);
    for (State& state : states_) clocks += take_expired(state, event.ticks);
  }
  const bool is_response = event.source < geometry_.channels && event.polarity;
  if (is_response && states_[event.source].has_held) clocks += kHeldClocks;
  if (event.source == kSourceStep) {
    // Its records are written.
    clocks += kRecordClocks * geometry_.channels + kRecordsClocks;
  } else if (!geometry_.has(kFeatureSnapshot) && is_response) {
    clocks += take_expired(states_[event.source], event.ticks);
  }
  for (const int channel : struck_[event.source * 2 + event.polarity]) {
    State& state = states_[channel];
    const auto most = static_cast<int64_t>(policy_ == kPolicyLatest ? 1 : state.queue.size());
    // A response that is held is looked at by itself, then answered.
    if (state.has_held) clocks += kHeldClocks + kJoinClocks;
    if (state.has_held || static_cast<int64_t>(state.size) + state.stale >= most)
      clocks += kLookClocks + take_expired(state, event.ticks);
  }
  return clocks;
}

// The clocks that a channel's expired strikes cost, which are gone then.
int64_t Matcher::take_expired(State& state, int64_t ticks) const {
  int64_t expired = 0;
  for (size_t n = 0; n < state.size; n++, expired++)
    if (ticks - state.queue[(state.first + n) % state.queue.size()].ticks <= timeout_ticks_) break;
  const int64_t count = std::exchange(state.stale, -expired) + expired;
  return kExpiredClocks * count;
}

int64_t Matcher::expiry_ticks() const {
  int64_t ticks = kNever;
  if (!stops_on_missed_) return ticks;
  for (int channel = 0; channel < geometry_.channels; channel++) {
    const State& state = states_[channel];
    if (rules_[channel].triggers && state.size)
      ticks = std::min(ticks, state.queue[state.first].ticks + timeout_ticks_ + 1);
  }
  return ticks;
}

void Matcher::pop(State& state) {
  if (++state.first == state.queue.size()) state.first = 0;
  state.size--;
}

void Matcher::update(int channel, int64_t ticks, int64_t index) {
  State& state = states_[channel];
  while (state.size && ticks - state.queue[state.first].ticks > timeout_ticks_) {
    pop(state);
    state.stale++;
    miss(channel, ticks, index);
  }
  if (state.has_held && ticks - state.held_ticks > early_ticks_) {
    state.has_held = false;
    settle(channel, state.held_ticks);
  }
}

void Matcher::miss(int channel, int64_t ticks, int64_t index) {
  results_.count_class(channel, kResponseClassMissed);
  if (stops_on_missed_ && rules_[channel].triggers && !threshold_.is_broken)
    threshold_ = {true, kStopReasonMissed, index, ticks};
}

// A response that no strike has, by the last strike that was matched.
void Matcher::settle(int channel, int64_t response_ticks) {
  const State& state = states_[channel];
  const bool is_duplicate =
      state.has_matched && response_ticks - state.matched_ticks <= timeout_ticks_;
  results_.count_class(channel, is_duplicate ? kResponseClassDuplicate : kResponseClassSpurious);
}

void Matcher::match(int channel, int64_t value_ticks, const Event& event, uint32_t code_place) {
  const Rules& rules = rules_[channel];
  const bool in_time = value_ticks <= rules.deadline_ticks;
  results_.count_class(channel, in_time ? kResponseClassAnswered : kResponseClassLate);
  results_.latency({kLatencyKindRise, channel, value_ticks, event.index, event.ticks});
  if (channel == code_channel_) results_.code_latency(code_place, value_ticks);
  if (stops_on_latency_ && rules.triggers && value_ticks > trigger_latency_ticks_ &&
      !threshold_.is_broken)
    threshold_ = {true, kStopReasonLatency, event.index, event.ticks};
}

void Matcher::strike(int channel, const Event& event) {
  State& state = states_[channel];
  update(channel, event.ticks, event.index);
  results_.count_class(channel, kResponseClassStrikes);
  if (state.has_held) {
    state.has_held = false;
    state.has_matched = true;
    state.matched_ticks = event.ticks;
    results_.count_class(channel, kResponseClassEarly);
    match(channel, state.held_ticks - event.ticks, event, results_.code_place());
    return;
  }
  if (policy_ == kPolicyLatest && state.size) {
    pop(state);
    miss(channel, event.ticks, event.index);
  }
  if (state.size == state.queue.size()) {
    overflowed_ = true;
    results_.count_class(channel, kResponseClassQueueFull);
    miss(channel, event.ticks, event.index);
    return;
  }
  size_t place = state.first + state.size++;
  if (place >= state.queue.size()) place -= state.queue.size();
  state.queue[place] = {event.ticks, results_.code_place()};
}

void Matcher::response(int channel, const Event& event) {
  State& state = states_[channel];
  update(channel, event.ticks, event.index);
  if (state.has_active)
    results_.interval({kIntervalKindPeriod, channel,
                       std::min(event.ticks - state.active_ticks, kValueMost), event.index,
                       event.ticks});
  state.has_active = state.is_high = true;
  state.active_ticks = event.ticks;
  state.is_answered =
      state.size && event.ticks - state.queue[state.first].ticks >= window_min_ticks_;
  if (state.is_answered) {
    const Strike answered = state.queue[state.first];
    pop(state);
    state.has_matched = true;
    state.matched_ticks = state.answered_ticks = answered.ticks;
    match(channel, event.ticks - answered.ticks, event, answered.code_place);
    return;
  }
  if (!early_ticks_) {
    settle(channel, event.ticks);
    return;
  }
  if (state.has_held) settle(channel, state.held_ticks);
  state.has_held = true;
  state.held_ticks = event.ticks;
}

void Matcher::trailing(int channel, const Event& event) {
  State& state = states_[channel];
  if (!state.is_high) return;
  state.is_high = false;
  if (state.is_answered)
    results_.latency({kLatencyKindFall, channel,
                      std::min(event.ticks - state.answered_ticks, kValueMost), event.index,
                      event.ticks});
  results_.interval({kIntervalKindWidth, channel,
                     std::min(event.ticks - state.active_ticks, kValueMost), event.index,
                     event.ticks});
}

}  // namespace plexor
