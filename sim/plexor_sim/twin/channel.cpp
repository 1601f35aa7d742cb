// SPDX-License-Identifier: Apache-2.0
#include "channel.h"

#include <algorithm>

namespace plexor {

namespace {

constexpr int64_t kMendTicks = 3;  // edges of an exchange, and one tick behind them

}  // namespace

Channel::Channel(const Geometry& geometry, const FrontEnd::Input& input)
    : tick_fs_(geometry.tick_fs),
      samples_(geometry.samples),
      phases_(geometry.phases),
      input_(input),
      mends_(geometry.has(kFeatureMend)) {
  for (const auto* late_fs : {&input.rise_fs, &input.fall_fs})
    is_even_ &= std::all_of(late_fs->begin(), late_fs->end(), [](int64_t fs) { return fs == 0; });
  ones_ = (1u << samples_) - 1;
  for (int64_t tick = 0; tick < samples_; tick++) {
    if (!(input.dead >> tick % phases_ & 1)) alive_ |= 1u << tick;
    if (input.exchanged >> tick % phases_ & 1) exchanged_ |= 1u << tick;
  }
  is_whole_ = alive_ == ones_ && !exchanged_;
  set_filter(0, 0, 0);
}

void Channel::start(bool level) {
  if (input_.stuck >= 0) level = input_.stuck == 1;
  level_ = level;
  if (!is_whole_) level &= alive_ >> (samples_ - 1) & 1;
  sampled_level_ = mended_level_ = passed_level_ = level;
}

void Channel::edge(int64_t time_ps, bool level) {
  if (input_.stuck >= 0) return;
  int64_t tick = seen(time_ps, level);
  if (!sampled_.empty()) {
    // An edge that overtakes others waits for their word, and ends them.
    tick = std::max(tick, sampled_.back().tick / samples_ * samples_);
    while (!sampled_.empty() && sampled_.back().tick >= tick) sampled_.pop_back();
  }
  sampled_.push_back({tick, level});
  next_ticks_ = std::min(next_ticks_, sampled_.front().tick);
}

void Channel::choose(int64_t time_ps, bool level) {
  sampled_.clear();
  edge(time_ps, level);
}

void Channel::set_filter(int64_t ticks, int64_t long_ticks, int64_t now_ticks) {
  ticks = long_ticks ? samples_ : std::min(ticks, samples_);
  const int64_t length_ticks = ticks < 2 ? 0 : ticks;
  if (length_ticks && !filter_ticks_) passed_level_ = mended_level_;
  filter_ticks_ = length_ticks;
  long_ticks_ = long_ticks;
  has_waiting_ = before_ = false;
  near_ticks_ = now_ticks + kLongFilterClocks * samples_;
  lag_ticks_ = filter_ticks_ + long_ticks_ + (mends_ ? kMendTicks : 0);
}

int64_t Channel::seen(int64_t time_ps, bool level) const {
  const int64_t time_fs = time_ps * 1000;
  int64_t tick = (time_fs + tick_fs_ - 1) / tick_fs_;
  if (is_even_) return tick;
  const std::vector<int64_t>& late_fs = level ? input_.rise_fs : input_.fall_fs;
  const auto shows = [&](int64_t at) {
    return time_fs <= at * tick_fs_ + late_fs[static_cast<size_t>(at % samples_ % phases_)];
  };
  while (!shows(tick)) tick++;
  while (tick > 0 && shows(tick - 1)) tick--;
  return tick;
}

void Channel::pass(int64_t horizon) {
  if (is_whole_)
    pass_edges(horizon);
  else
    pass_words(horizon);
  if (group_size_ && group_ticks_ + 1 < horizon) end_group();
  // Edges that wait to be mended come first.
  const int64_t filtered = group_.empty() ? horizon : group_.front().tick;
  if (has_held_ && held_.tick + filter_ticks_ <= filtered) end_held();
  if (has_waiting_ && waiting_.tick + long_ticks_ <= (has_held_ ? held_.tick : filtered))
    end_waiting(true);
  find_next();
}

void Channel::pass_edges(int64_t horizon) {
  size_t taken = 0;
  for (; taken < sampled_.size() && sampled_[taken].tick < horizon; taken++) {
    const TickEdge& edge = sampled_[taken];
    if (edge.level == sampled_level_) continue;
    sampled_level_ = edge.level;
    if (mends_)
      mend(edge);
    else
      filter(edge);
  }
  sampled_.erase(sampled_.begin(), sampled_.begin() + static_cast<std::ptrdiff_t>(taken));
}

// What the flip-flops make of the samples of a word.
uint32_t Channel::shown(uint32_t samples) const {
  const uint32_t differ = (samples ^ samples >> 1) & exchanged_;
  return (samples ^ differ ^ differ << 1) & alive_;
}

// The same as pass_edges, word by word.
void Channel::pass_words(int64_t horizon) {
  const int64_t end = horizon / samples_;
  for (; passed_word_ < end; passed_word_++) {
    const uint32_t steady = level_ ? alive_ : 0;
    if (steady == 0 || steady == ones_) {
      const int64_t next = sampled_.empty() ? end : sampled_.front().tick / samples_;
      // The word behind that of an edge still brings the level to rest.
      if (sampled_level_ == level_) passed_word_ = std::max(passed_word_, std::min(next, end));
      if (passed_word_ == end) return;
    }
    const int64_t first_tick = passed_word_ * samples_;
    uint32_t samples = level_ ? ones_ : 0;
    size_t taken = 0;
    for (; taken < sampled_.size() && sampled_[taken].tick < first_tick + samples_; taken++) {
      const int64_t tick = std::max<int64_t>(sampled_[taken].tick - first_tick, 0);
      const uint32_t after = ones_ << tick & ones_;
      level_ = sampled_[taken].level;
      samples = level_ ? samples | after : samples & ~after;
    }
    sampled_.erase(sampled_.begin(), sampled_.begin() + static_cast<std::ptrdiff_t>(taken));
    samples = shown(samples);
    for (int64_t tick = 0; tick < samples_; tick++) {
      const bool level = samples >> tick & 1;
      if (level == sampled_level_) continue;
      sampled_level_ = level;
      if (mends_)
        mend({first_tick + tick, level});
      else
        filter({first_tick + tick, level});
    }
  }
}

// Of three edges in a row, and no more, the middle one stays, with the level of the first.
void Channel::mend(const TickEdge& edge) {
  if (group_size_ && edge.tick != group_ticks_ + 1) end_group();
  group_size_++;
  group_ticks_ = edge.tick;
  group_.push_back(edge);
  if (group_size_ <= kMendTicks) return;
  for (const TickEdge& each : group_) filter(each);
  group_.clear();
}

void Channel::end_group() {
  if (group_size_ == kMendTicks) {
    filter({group_[1].tick, group_[0].level});
    mended_.push_back(group_[1].tick / samples_);
  } else {
    for (const TickEdge& each : group_) filter(each);
  }
  group_.clear();
  group_size_ = 0;
}

// An edge passes if its level lasts.
void Channel::filter(const TickEdge& edge) {
  mended_level_ = edge.level;
  unfiltered_.push_back(edge);
  if (!filter_ticks_) {
    filter_long(edge);
    return;
  }
  if (has_held_ && edge.tick - held_.tick >= filter_ticks_) end_held();
  held_ = edge;
  has_held_ = true;
}

void Channel::end_held() {
  has_held_ = false;
  if (held_.level == passed_level_) return;
  passed_level_ = held_.level;
  filter_long(held_);
}

// The next edge tells whether one lasts. One that lasts passes if its level is a new one.
void Channel::filter_long(const TickEdge& edge) {
  const bool is_near = edge.tick < near_ticks_;
  if (has_waiting_) end_waiting(!is_near);
  if (!is_near) before_ = !edge.level;
  near_ticks_ = edge.tick + long_ticks_;
  if (long_ticks_) {
    waiting_ = edge;
    has_waiting_ = true;
  } else {
    ready_.push_back(edge);
  }
}

void Channel::end_waiting(bool lasts) {
  has_waiting_ = false;
  waiting_.passes = lasts && waiting_.level != before_;
  ready_.push_back(waiting_);
}

void Channel::find_next() {
  next_ticks_ = kNever;
  if (!sampled_.empty()) next_ticks_ = sampled_.front().tick;
  if (!is_whole_ && (level_ ? alive_ != ones_ : sampled_level_))
    next_ticks_ = std::min(next_ticks_, passed_word_ * samples_);
  if (group_size_) next_ticks_ = std::min(next_ticks_, group_ticks_ + 1);
  if (has_held_) next_ticks_ = std::min(next_ticks_, held_.tick + filter_ticks_ - 1);
  if (has_waiting_) next_ticks_ = std::min(next_ticks_, waiting_.tick + long_ticks_ - 1);
}

}  // namespace plexor
