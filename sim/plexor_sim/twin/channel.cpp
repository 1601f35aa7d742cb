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
  set_filter(0);
}

void Channel::start(bool level) {
  if (input_.stuck >= 0) level = input_.stuck == 1;
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

void Channel::set_filter(int64_t ticks) {
  ticks = std::min(ticks, samples_);
  const int64_t length_ticks = ticks < 2 ? 0 : ticks;
  if (length_ticks && !filter_ticks_) passed_level_ = mended_level_;
  filter_ticks_ = length_ticks;
  lag_ticks_ = filter_ticks_ + (mends_ ? kMendTicks : 0);
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
  if (group_size_ && group_ticks_ + 1 < horizon) end_group();
  if (has_held_ && held_.tick + filter_ticks_ <= horizon) end_held();
  find_next();
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
  if (!filter_ticks_) {
    ready_.push_back(edge);
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
  ready_.push_back(held_);
}

void Channel::find_next() {
  next_ticks_ = kNever;
  if (!sampled_.empty()) next_ticks_ = sampled_.front().tick;
  if (group_size_) next_ticks_ = std::min(next_ticks_, group_ticks_ + 1);
  if (has_held_) next_ticks_ = std::min(next_ticks_, held_.tick + filter_ticks_ - 1);
}

}  // namespace plexor
