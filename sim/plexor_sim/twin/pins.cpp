// SPDX-License-Identifier: Apache-2.0
#include "pins.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace plexor {

TwinPins::TwinPins(const Geometry& geometry, Device& device, EdgeLog& log,
                   const FrontEnd& front_end)
    : device_(device),
      log_(log),
      tick_fs_(geometry.tick_fs),
      samples_(geometry.samples),
      clock_ps_(geometry.samples * geometry.tick_fs / 1000),
      channels_cnt_(static_cast<int>(geometry.channels)),
      strikes_cnt_(static_cast<int>(geometry.strikes)),
      code_mask_((1u << geometry.code_bits) - 1),
      front_end_(front_end),
      oscillator_(front_end.async_fs, front_end.async_jitter_ps, front_end.async_seed),
      levels_(device.initial_levels()) {
  for (int channel = 0; channel < channels_cnt_; channel++) {
    channels_.emplace_back(geometry, front_end.inputs[channel]);
    channels_.back().start(pin_level(channel));
    has_jumpers_ |= jumper_of(channel) >= 0;
    if (jumper_of(channel) < 0) takers_[front_end.inputs[channel].pin].push_back(channel);
  }
  log_.start(channels_cnt_, strikes_cnt_, static_cast<int>(geometry.code_bits), levels_);
}

void TwinPins::strike(int output, int64_t tick, bool level) {
  const auto source = static_cast<uint8_t>(kSourceStrike + output);
  add({ps_of(tick) + front_end_.output_ps[output], source, level, 0});
}

void TwinPins::load(int64_t tick, bool level) {
  add({ps_of(tick), static_cast<uint8_t>(kSourceLoad), level, 0});
}

void TwinPins::timecode(int64_t tick, uint32_t pins) { add({ps_of(tick), kTimecodePad, false, pins}); }

bool TwinPins::idle(int64_t tick, uint32_t strikes) {
  if (strikes == pads_level_ || !device_.restart(strikes)) return false;
  const uint32_t changed = strikes ^ pads_level_;
  for (int strike = 0; strike < strikes_cnt_; strike++) {
    if (!(changed >> strike & 1)) continue;
    const bool level = strikes >> strike & 1;
    log_.input(ps_of(tick), static_cast<uint8_t>(kSourceStrike + strike), level);
    pad_edge(strike, ps_of(tick), level);
  }
  pads_level_ = strikes;
  return true;
}

void TwinPins::choose(int64_t tick, uint32_t select, int output) {
  if (select == select_ && output == output_) return;
  const int64_t now_ps = ps_of(tick);
  select_ = select;
  output_ = output;
  oscillator_.resume(now_ps);
  for (int channel = 0; channel < channels_cnt_; channel++) {
    bool standing = false;
    if (select == kInputSelectPins) standing = pin_level(channel);
    if (select == kInputSelectAsynchronous) standing = oscillator_.level();
    if (select == kInputSelectLoopback) standing = pads_level_ >> output & 1;
    channels_[channel].choose(now_ps + way_ps(channel), standing);
  }
}

void TwinPins::pad_edge(int strike, int64_t time_ps, bool level) {
  if (select_ == kInputSelectPins && !has_jumpers_) return;
  for (int channel = 0; channel < channels_cnt_; channel++) {
    const int64_t at_ps = time_ps + way_ps(channel);
    if (select_ == kInputSelectLoopback && strike == output_)
      channels_[channel].edge(at_ps + front_end_.back_ps[strike], level);
    if (select_ == kInputSelectPins && jumper_of(channel) == strike)
      channels_[channel].edge(at_ps + front_end_.inputs[front_end_.inputs[channel].pin].wire_ps,
                              level);
  }
}

void TwinPins::add(const Pad& pad) {
  const auto later = [](const Pad& a, const Pad& b) { return a.time_ps < b.time_ps; };
  pads_.insert(std::upper_bound(pads_.begin(), pads_.end(), pad, later), pad);
}

void TwinPins::run_device(int64_t to_ps) {
  while (!pads_.empty() && pads_.front().time_ps < to_ps) {
    const int64_t time_ps = pads_.front().time_ps;
    for (; !pads_.empty() && pads_.front().time_ps == time_ps; pads_.pop_front()) {
      const Pad& pad = pads_.front();
      if (pad.source == kTimecodePad) {
        device_.timecode(time_ps, pad.timecode);
        continue;
      }
      log_.input(time_ps, pad.source, pad.level);
      if (pad.source == kSourceLoad) {
        pads_load_ = pad.level;
        continue;
      }
      const int strike = pad.source - static_cast<int>(kSourceStrike);
      pads_level_ ^= 1u << strike;
      pad_edge(strike, time_ps, pad.level);
    }
    device_.input(time_ps, pads_level_, pads_load_);
  }
  if (to_ps <= ahead_ps_) return;
  device_.advance(to_ps, edges_);
  ahead_ps_ = to_ps;
}

void TwinPins::advance(int64_t to_tick) {
  const int64_t to_ps = ps_of(to_tick);
  run_device(to_ps);
  for (; taken_ < edges_.size() && edges_[taken_].time_ps < to_ps; taken_++) {
    const Edge& edge = edges_[taken_];
    if (edge.time_ps < edge_ps_) misplaced(edge, to_ps);
    edge_ps_ = edge.time_ps;
    const int code = edge.channel - kFirstCodePin;
    const bool is_code = code >= 0;
    if (is_code ? !(code_mask_ >> code & 1) : edge.channel >= channels_cnt_) continue;
    if (edge.level == level(edge.channel)) continue;
    levels_ ^= 1u << edge.channel;
    if (is_code) {
      codes_.push_back({tick_at(edge.time_ps), code_levels()});
      log_.response(edge.time_ps, static_cast<uint8_t>(kSourceCodePin + code), edge.level);
      continue;
    }
    log_.response(edge.time_ps, edge.channel, edge.level);
    if (select_ != kInputSelectPins) continue;
    for (const int channel : takers_[edge.channel])
      channels_[channel].edge(edge.time_ps + way_ps(channel), edge.level);
  }
  if (taken_ == edges_.size()) {
    edges_.clear();
    taken_ = 0;
  }
  edge_ps_ = std::max(edge_ps_, to_ps);
  log_.flush();
  if (select_ != kInputSelectAsynchronous) return;
  for (; oscillator_.next_ps() < to_ps; oscillator_.step())
    for (int channel = 0; channel < channels_cnt_; channel++)
      channels_[channel].edge(oscillator_.next_ps() + way_ps(channel), !oscillator_.level());
}

int64_t TwinPins::quiet_to(int64_t limit) {
  int64_t next_ps = limit == kNever ? kNever : ps_of(limit);
  if (select_ == kInputSelectAsynchronous) next_ps = std::min(next_ps, oscillator_.next_ps());
  if (!pads_.empty()) next_ps = std::min(next_ps, pads_.front().time_ps);
  while (taken_ == edges_.size() && ahead_ps_ < next_ps) {
    const int64_t quiet_ps = device_.quiet_until_ps();
    if (quiet_ps > ahead_ps_) {
      next_ps = std::min(next_ps, quiet_ps);
      break;
    }
    // A code that starts a strike is answered more than kStepClocks later.
    run_device(std::min(next_ps, ahead_ps_ + kStepClocks * clock_ps_));
  }
  if (taken_ < edges_.size()) next_ps = std::min(next_ps, edges_[taken_].time_ps);
  if (next_ps == kNever) return kNever;
  return std::min(limit, next_ps * 1000 / tick_fs_);
}

void TwinPins::misplaced(const Edge& edge, int64_t to_ps) const {
  throw std::runtime_error("device: an edge of channel " + std::to_string(edge.channel) + " at " +
                           std::to_string(edge.time_ps) + " ps; must lie in " +
                           std::to_string(edge_ps_) + " to " + std::to_string(to_ps - 1) + " ps");
}

}  // namespace plexor
