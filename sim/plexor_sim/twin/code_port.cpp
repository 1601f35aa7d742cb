// SPDX-License-Identifier: Apache-2.0
#include "code_port.h"

#include <algorithm>

namespace plexor {

void CodePort::prepare(const Registers& registers, uint32_t levels) {
  mode_ = geometry_.has(kFeatureCodes) ? static_cast<uint32_t>(registers.get(kCodeMode))
                                       : kCodeModeOff;
  mask_ = static_cast<uint32_t>(registers.get(kCodeMask));
  settle_clocks_ = std::max<int64_t>(registers.get(kCodeSettleClocks), 1);
  skew_clocks_ = registers.get(kCodeSkewClocks);
  strobe_channel_ = static_cast<int>(registers.get(kCodeStrobeChannel));
  changes_.clear();
  strobes_.clear();
  ready_.clear();
  levels_ = levels & mask_;
  has_begun_ = false;
  torn_clock_ = -1;
}

void CodePort::change(int64_t ticks, uint32_t levels) {
  if (!is_on()) return;
  const int64_t clock = (ticks + geometry_.samples - 1) / geometry_.samples;
  if (!changes_.empty() && changes_.back().clock == clock)
    changes_.back().levels = levels & mask_;
  else
    changes_.push_back({clock, levels & mask_});
}

void CodePort::strobe(int64_t ticks) { strobes_.push_back(ticks); }

int64_t CodePort::next_ticks() const {
  int64_t clock = kNever;
  if (!changes_.empty()) clock = changes_.front().clock;
  if (has_begun_) clock = std::min(clock, first_clock_ + settle_clocks_ + 1);
  if (!strobes_.empty()) clock = std::min(clock, geometry_.clock_of(strobes_.front()) + 2);
  return clock == kNever ? kNever : clock * geometry_.samples;
}

void CodePort::pass(int64_t clock) {
  if (mode_ == kCodeModeChange)
    pass_changes(clock);
  else
    pass_strobes(clock);
}

// Takes all changes in clocks before this one.
void CodePort::pass_changes(int64_t clock) {
  while (!changes_.empty() && changes_.front().clock < clock) {
    const Change change = changes_.front();
    if (change.levels == levels_) {
      changes_.pop_front();
      continue;
    }
    if (has_begun_ && change.clock > first_clock_ + settle_clocks_) {
      end_code(last_clock_ == first_clock_ + settle_clocks_ && change.clock == last_clock_ + 1);
      continue;
    }
    changes_.pop_front();
    const uint32_t differ = change.levels ^ levels_;
    levels_ = change.levels;
    if (!has_begun_) {
      has_begun_ = true;
      is_torn_ = torn_clock_ >= 0 && change.clock - torn_clock_ <= skew_clocks_;
      first_clock_ = last_clock_ = change.clock;
      changed_ = differ;
      continue;
    }
    is_torn_ |= change.clock - first_clock_ > skew_clocks_ || differ & changed_;
    changed_ |= differ;
    last_clock_ = change.clock;
  }
  if (has_begun_ && first_clock_ + settle_clocks_ + 1 < clock) end_code(false);
}

void CodePort::end_code(bool changes_behind) {
  has_begun_ = false;
  torn_clock_ = is_torn_ ? last_clock_ : -1;
  ready_.push_back({first_clock_ * geometry_.samples, levels_,
                    static_cast<uint32_t>(last_clock_ - first_clock_), is_torn_ || changes_behind});
}

uint32_t CodePort::levels_at(int64_t clock) const {
  uint32_t levels = levels_;
  for (const Change& change : changes_)
    if (change.clock <= clock) levels = change.levels;
  return levels;
}

void CodePort::pass_strobes(int64_t clock) {
  while (!strobes_.empty() && geometry_.clock_of(strobes_.front()) + 2 < clock) {
    const int64_t ticks = strobes_.front(), word = geometry_.clock_of(ticks);
    bool is_torn = false;
    for (strobes_.pop_front(); !strobes_.empty() && geometry_.clock_of(strobes_.front()) == word;
         strobes_.pop_front())
      is_torn = true;
    const uint32_t levels = levels_at(word + 1);
    is_torn |= levels_at(word + 2) != levels;
    ready_.push_back({ticks, levels, 0, is_torn});
  }
  while (!changes_.empty() && changes_.front().clock < clock - 2) {
    levels_ = changes_.front().levels;
    changes_.pop_front();
  }
}

}  // namespace plexor
