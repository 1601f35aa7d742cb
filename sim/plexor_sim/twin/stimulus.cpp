// SPDX-License-Identifier: Apache-2.0
#include "stimulus.h"

#include <algorithm>

namespace plexor {

namespace {

constexpr int kThresholdBits = 48;
constexpr int kFractionBits = 32;

}  // namespace

void Stimulus::prepare(const Registers& registers) {
  const auto value = [&](Reg reg) { return registers.get(reg, number_); };
  enabled_ = value(kStimulusEnable);
  trigger_ = static_cast<uint32_t>(value(kStimulusTrigger));
  trigger_source_ = static_cast<int>(value(kStimulusTriggerSource));
  interval_ticks_ = value(kStimulusIntervalTicks);
  interval_fraction_ = static_cast<uint64_t>(value(kStimulusIntervalFraction));
  width_ticks_ = value(kStimulusWidthTicks);
  phase_ticks_ = value(kStimulusPhaseTicks);
  burst_count_ = geometry_.has(kFeatureBurst) ? value(kStimulusBurstCount) : 1;
  spacing_ticks_ = value(kStimulusSpacingTicks);
  strike_count_ = value(kStimulusStrikeCount);
  dither_bits_ = geometry_.has(kFeatureDither)
                     ? std::min<int>(static_cast<int>(value(kStimulusDitherBits)), kFractionBits)
                     : 0;
  threshold_ = geometry_.has(kFeaturePoisson)
                   ? static_cast<uint64_t>(value(kStimulusPoissonThreshold))
                   : 0;
  seed_ = static_cast<uint64_t>(value(kStimulusSeed));
  if (!seed_) seed_ = 1;
  has_sequence_ = is_active_ = false;
  is_done_ = true;  // until something starts it
  rise_ticks_ = fall_ticks_ = stop_ticks_ = kNever;
  last_rise_ticks_ = last_fall_ticks_ = last_clock_ = -1;
}

void Stimulus::take_step(const Registers& registers, int step) {
  interval_ticks_ = registers.get(kStepIntervalTicks, step);
  interval_fraction_ = static_cast<uint64_t>(registers.get(kStepIntervalFraction, step));
  width_ticks_ = registers.get(kStepWidthTicks, step);
  strike_count_ = registers.get(kStepStrikeCount, step);
}

void Stimulus::start(int64_t first_ticks) {
  has_sequence_ = true;
  is_done_ = false;
  begun_ = in_burst_ = 0;
  fraction_ = 0;
  state_ = seed_;
  rise_ticks_ = first_ticks;
  if (threshold_) {
    drawn_clock_ = geometry_.clock_of(first_ticks);
    last_rise_ticks_ = std::min(last_rise_ticks_, -(width_ticks_ + geometry_.samples));
    plan_random(drawn_clock_);
  }
  if (rise_ticks_ >= stop_ticks_) stop(stop_ticks_);
}

void Stimulus::stop(int64_t ticks) {
  stop_ticks_ = ticks;
  if (rise_ticks_ < ticks) return;
  rise_ticks_ = kNever;
  has_sequence_ = false;
}

void Stimulus::step() {
  if (is_active_) {
    is_active_ = false;
    fall_ticks_ = kNever;
    return;
  }
  is_active_ = true;
  last_rise_ticks_ = rise_ticks_;
  fall_ticks_ = last_fall_ticks_ = rise_ticks_ + width_ticks_;
  plan_next();
}

void Stimulus::plan_next() {
  begun_++;
  if (strike_count_ && begun_ == strike_count_) {
    has_sequence_ = false;
    is_done_ = true;
    rise_ticks_ = kNever;
    last_clock_ = geometry_.clock_of(last_fall_ticks_);
    return;
  }
  if (threshold_) {
    plan_random(drawn_clock_);
  } else if (++in_burst_ != burst_count_) {
    rise_ticks_ += spacing_ticks_;
  } else {
    in_burst_ = 0;
    fraction_ += interval_fraction_;
    rise_ticks_ += interval_ticks_ + static_cast<int64_t>(fraction_ >> kFractionBits);
    fraction_ &= (uint64_t{1} << kFractionBits) - 1;
    if (dither_bits_)
      rise_ticks_ += static_cast<int64_t>(draw() & ((uint64_t{1} << dither_bits_) - 1));
  }
  if (rise_ticks_ >= stop_ticks_) stop(stop_ticks_);
}

// The generator steps once in each clock. A strike comes where it is low, and not too soon.
void Stimulus::plan_random(int64_t from_clock) {
  const int64_t dead_ticks = width_ticks_ + geometry_.samples;
  for (int64_t clock = from_clock;; clock++) {
    if (clock * geometry_.samples >= stop_ticks_) {
      drawn_clock_ = clock;
      rise_ticks_ = stop_ticks_;
      return;
    }
    const uint64_t state = draw();
    if (state >> (64 - kThresholdBits) >= threshold_) continue;
    const int64_t offset = static_cast<int64_t>(state & static_cast<uint64_t>(geometry_.samples - 1));
    const int64_t ticks = clock * geometry_.samples + offset;
    if (ticks - last_rise_ticks_ < dead_ticks) continue;
    drawn_clock_ = clock + 1;
    rise_ticks_ = ticks;
    return;
  }
}

uint64_t Stimulus::draw() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  return state_ ^= state_ << 17;
}

}  // namespace plexor
