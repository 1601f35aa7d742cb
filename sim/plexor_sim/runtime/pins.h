// SPDX-License-Identifier: Apache-2.0
// The pins between the Verilated instrument and the device. Strike words become edges in ps, and
// the device's edges become sample words, through the front-end (front_end.h).
//
// Tick k is at k * tick_fs femtoseconds, rounded down to whole ps. A strike's edge is at that time.
// The device's times are whole ps. So with an ideal front-end its edge at t is seen in sample k
// exactly if t <= floor(k * tick_fs / 1000): an edge at the sampling instant counts.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device.h"
#include "front_end.h"
#include "port_words.h"
#include "oscillator.h"
#include "sampler.h"
#include "truth.h"

namespace plexor {

// control.input_select, as InputSelect in plexor.protocol.registers.
enum InputSelect { kPins = 0, kAsynchronous = 1, kLoopback = 2, kLow = 3 };

template <int Channels, int Strikes, int W, int Phases, int Codes, typename StrikesPort,
          typename SamplesPort>
class Pins {
 public:
  Pins(Device& device, int64_t tick_fs, EdgeLog& log, const FrontEnd& front_end)
      : device_(device),
        log_(log),
        tick_fs_(tick_fs),
        front_end_(front_end),
        oscillator_(front_end.async_fs, front_end.async_jitter_ps, front_end.async_seed),
        levels_(device.initial_levels()) {
    const int64_t clock_fs = W * tick_fs;
    clock_ps_ = clock_fs / 1000;
    clock_rest_fs_ = clock_fs % 1000;
    for (int channel = 0; channel < Channels; channel++) {
      samplers_.emplace_back(front_end.inputs[channel], tick_fs);
      samplers_[channel].start(pin_level(channel));
      set_word<W>(steady_, channel, samplers_[channel].steady());
    }
    codes_ = code_levels();
    log_.start(Channels, Strikes, Codes, levels_);
    next_ps_ = device_.quiet_until_ps();
  }

  // Whether a run is under way. Without it, a strike output that idles high is an edge for the device.
  void runs(std::function<bool()> runs) { runs_ = std::move(runs); }

  // One core clock. Takes the words of the instrument's outputs; returns the samples of the
  // selected pins for the same ticks. `samples` is written only when it changes.
  void clock(const StrikesPort& strikes, bool load, int select, int output, SamplesPort& samples,
             uint32_t timecode = 0) {
    still_++;
    if (select != select_ || output != output_) choose(select, output);
    if (!same(strikes, idle_) || load != load_ || timecode != timecode_)
      drive(strikes, load, timecode);
    if (next_ps_ < now_ps_ + clock_ps_ + 1) {
      observe(samples);
    } else {
      codes_ = code_levels();
      if (moving_) samples = steady_;
      moving_ = false;
    }
    now_ps_ += clock_ps_;
    now_fs_ += clock_rest_fs_;
    if (now_fs_ >= 1000) {
      now_fs_ -= 1000;
      now_ps_++;
    }
  }

  // Returns how many of the next `most` clocks, beginning with the last one given to `clock`, can
  // pass at once because no pin changes in them. The device runs to the end of `most`, or to its
  // next edge. Strikes and load must not change until then.
  int64_t still_clocks(int64_t most) {
    if (still_ < kStillClocks || moving_ || !pads_.empty() || most < 1) return 0;
    int64_t end_ps = now_ps_ + most * (clock_ps_ + 1);  // a clock may be 1 ps longer
    // Strikes that wait for clocks come sooner if fewer clocks pass at once. The device must not
    // run beyond that.
    if (select_ == kAsynchronous) end_ps = std::min(end_ps, oscillator_.next_ps());
    if (edges_.empty() && next_ps_ < end_ps && ahead_ps_ < end_ps) {
      // A code that starts a strike is answered more than kStepClocks later.
      while (edges_.empty() && ahead_ps_ < end_ps) {
        const int64_t from_ps = std::max(ahead_ps_, now_ps_);
        const int64_t step_ps = from_ps + kStepClocks * clock_ps_;
        advance(std::min(end_ps, std::max(device_.quiet_until_ps(), step_ps)));
      }
      next_ps_ = next_change_ps();
    }
    const int64_t free_ps = std::min(end_ps, next_ps_) - now_ps_;
    return free_ps <= 0 ? 0 : free_ps / (clock_ps_ + 1);
  }

  // Lets `clocks` clocks pass in which no pin changes, as still_clocks has found.
  void pass(int64_t clocks) {
    now_ps_ += clocks * clock_ps_;
    now_fs_ += clocks * clock_rest_fs_;
    now_ps_ += now_fs_ / 1000;
    now_fs_ %= 1000;
  }

  // Whether the device has run ahead, so that an input now would come too late.
  bool is_ahead() const { return ahead_ps_ > now_ps_; }
  // The first time at which the device can have an input that is not a pin. After one: wake.
  int64_t input_ps() const { return std::max(ahead_ps_, now_ps_); }
  void wake() { next_ps_ = INT64_MIN; }

  const SamplesPort& steady() const { return steady_; }
  // Levels of the code pins at the first tick of the last clock.
  uint32_t codes() const { return codes_; }
  int64_t now_ps() const { return now_ps_; }

 private:
  static constexpr uint32_t kOnes = (1u << W) - 1;
  static constexpr int kStillClocks = 17;  // more than kUnitClocks of idle.h
  static constexpr uint8_t kTimecodePad = 255;  // no source: its steps are those of a strike output
  static constexpr int kStepClocks = 16;   // less than TRIGGER_CLOCKS

  // The level at an output's pad, at the load output or at the timecode's pins, from a time on.
  struct Pad {
    int64_t time_ps;
    uint8_t source;
    bool level;
    uint32_t timecode = 0;
  };

  uint32_t code_levels() const { return levels_ >> kFirstCodePin & ((1u << Codes) - 1); }
  bool level(int pin) const { return levels_ >> pin & 1; }
  // The strike whose wire drives a channel's pin, -1 for none.
  int jumper_of(int channel) const {
    return front_end_.inputs[front_end_.inputs[channel].pin].jumper;
  }
  bool pin_level(int channel) const {
    const int jumper = jumper_of(channel);
    return jumper < 0 ? level(front_end_.inputs[channel].pin) : pads_level_ >> jumper & 1;
  }
  // From the pin, or from the multiplexer of oscillator and pads, to a channel's table.
  int64_t way_ps(int channel) const {
    const FrontEnd::Input& input = front_end_.inputs[channel];
    return select_ == kPins ? input.input_ps : input.loop_ps;
  }
  int64_t tick_ps(int tick) const { return now_ps_ + (now_fs_ + tick * tick_fs_) / 1000; }

  // From now on the channels take another input.
  void choose(int select, int output) {
    select_ = select;
    output_ = output;
    oscillator_.resume(now_ps_);
    for (int channel = 0; channel < Channels; channel++) {
      bool standing = false;
      if (select == kPins) standing = pin_level(channel);
      if (select == kAsynchronous) standing = oscillator_.level();
      if (select == kLoopback) standing = pads_level_ >> output & 1;
      samplers_[channel].choose(now_ps_ + way_ps(channel), standing);
    }
    next_ps_ = INT64_MIN;
    still_ = 0;
  }

  void drive(const StrikesPort& strikes, bool load, uint32_t timecode) {
    if (timecode != timecode_) add({now_ps_, kTimecodePad, false, timecode});
    timecode_ = timecode;
    if (load != load_) add({now_ps_, kSourceLoad, load});
    load_ = load;
    if (!struck_ && runs_) {
      struck_ = runs_();
      if (!struck_) idle(strikes);
    }
    for (int strike = 0; strike < Strikes; strike++) {
      const uint32_t word = word_of<W>(strikes, strike);
      for (int tick = 0; tick < W; tick++) {
        const bool active = word >> tick & 1;
        if (active == (strikes_ >> strike & 1)) continue;
        strikes_ ^= 1u << strike;
        const auto source = static_cast<uint8_t>(kSourceStrike + strike);
        add({tick_ps(tick) + front_end_.output_ps[strike], source, active});
      }
      set_word<W>(idle_, strike, strikes_ >> strike & 1 ? kOnes : 0);
    }
    next_ps_ = INT64_MIN;
    still_ = 0;
  }

  // Before the first run, outputs take the level at which they idle. A device can have had it from the
  // beginning, in its reset too.
  void idle(const StrikesPort& strikes) {
    uint32_t high = 0;
    for (int strike = 0; strike < Strikes; strike++)
      if (word_of<W>(strikes, strike) == kOnes) high |= 1u << strike;
    if (high == strikes_ || strikes_ != pads_level_ || !device_.restart(high)) return;
    for (int strike = 0; strike < Strikes; strike++) {
      if (!((high ^ strikes_) >> strike & 1)) continue;
      const auto source = static_cast<uint8_t>(kSourceStrike + strike);
      log_.input(now_ps_, source, high >> strike & 1);
      set_word<W>(idle_, strike, high >> strike & 1 ? kOnes : 0);
    }
    for (int strike = 0; strike < Strikes; strike++)
      if ((high ^ strikes_) >> strike & 1) pad_edge(strike, now_ps_, high >> strike & 1);
    strikes_ = pads_level_ = high;
  }

  // A strike's pad changes: loopback and jumpers bring that to channels.
  void pad_edge(int strike, int64_t time_ps, bool level) {
    for (int channel = 0; channel < Channels; channel++) {
      const int64_t at_ps = time_ps + way_ps(channel);
      if (select_ == kLoopback && strike == output_)
        samplers_[channel].edge(at_ps + front_end_.back_ps[strike], level);
      if (select_ == kPins && jumper_of(channel) == strike)
        samplers_[channel].edge(
            at_ps + front_end_.inputs[front_end_.inputs[channel].pin].wire_ps, level);
    }
  }

  void add(const Pad& pad) {
    const auto later = [](const Pad& a, const Pad& b) { return a.time_ps < b.time_ps; };
    pads_.insert(std::upper_bound(pads_.begin(), pads_.end(), pad, later), pad);
  }

  // Runs the device, with all its inputs, up to a time before which no pad changes any more.
  void advance(int64_t to_ps) {
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
        const int strike = pad.source - kSourceStrike;
        pads_level_ ^= 1u << strike;
        pad_edge(strike, time_ps, pad.level);
      }
      device_.input(time_ps, pads_level_, pads_load_);
    }
    if (to_ps <= ahead_ps_) return;
    device_.advance(to_ps, edges_);
    ahead_ps_ = to_ps;
  }

  void observe(SamplesPort& samples) {
    const int64_t to_ps = tick_ps(W);
    advance(to_ps);
    size_t taken = 0;
    codes_ = code_levels();
    for (; taken < edges_.size() && edges_[taken].time_ps < to_ps; taken++) {
      const Edge& edge = edges_[taken];
      if (edge.time_ps < edge_ps_) misplaced(edge, to_ps);
      edge_ps_ = edge.time_ps;
      still_ = 0;
      const int code = edge.channel - kFirstCodePin;
      if (code >= Codes || (code < 0 && edge.channel >= Channels)) continue;
      if (edge.level == level(edge.channel)) continue;
      levels_ ^= 1u << edge.channel;
      if (code >= 0) {
        if (edge.time_ps <= now_ps_) codes_ = code_levels();
        log_.response(edge.time_ps, static_cast<uint8_t>(kSourceCodePin + code), edge.level);
        continue;
      }
      log_.response(edge.time_ps, edge.channel, edge.level);
      if (select_ != kPins) continue;
      for (int channel = 0; channel < Channels; channel++)
        if (front_end_.inputs[channel].pin == edge.channel && jumper_of(channel) < 0)
          samplers_[channel].edge(edge.time_ps + way_ps(channel), edge.level);
    }
    edges_.erase(edges_.begin(), edges_.begin() + static_cast<std::ptrdiff_t>(taken));
    edge_ps_ = to_ps;
    log_.flush();
    if (select_ == kAsynchronous) {
      for (; oscillator_.next_ps() < to_ps; oscillator_.step())
        for (int channel = 0; channel < Channels; channel++)
          samplers_[channel].edge(oscillator_.next_ps() + way_ps(channel), !oscillator_.level());
    }
    sample(samples);
    next_ps_ = next_change_ps();
  }

  void sample(SamplesPort& samples) {
    samples = steady_;
    moving_ = false;
    for (int channel = 0; channel < Channels; channel++) {
      auto& sampler = samplers_[channel];
      if (!sampler.waits()) continue;
      moving_ = true;
      still_ = 0;
      set_word<W>(samples, channel, sampler.word(now_ps_, now_fs_));
      set_word<W>(steady_, channel, sampler.steady());
    }
  }

  // No pin and no channel changes before this time, unless the instrument changes its outputs.
  int64_t next_change_ps() const {
    if (codes_ != code_levels()) return INT64_MIN;
    for (const auto& sampler : samplers_)
      if (sampler.waits()) return INT64_MIN;
    int64_t next_ps =
        edges_.empty() ? std::max(device_.quiet_until_ps(), ahead_ps_) : edges_[0].time_ps;
    if (!pads_.empty()) next_ps = std::min(next_ps, pads_.front().time_ps);
    if (select_ == kAsynchronous) next_ps = std::min(next_ps, oscillator_.next_ps());
    return next_ps;
  }

  [[noreturn]] void misplaced(const Edge& edge, int64_t to_ps) const {
    throw std::runtime_error("device: an edge of channel " + std::to_string(edge.channel) + " at " +
                             std::to_string(edge.time_ps) + " ps; must lie in " +
                             std::to_string(edge_ps_) + " to " + std::to_string(to_ps - 1) + " ps");
  }

  Device& device_;
  EdgeLog& log_;
  const int64_t tick_fs_;
  const FrontEnd front_end_;
  Oscillator oscillator_;
  std::vector<Sampler<W, Phases>> samplers_;
  int64_t clock_ps_, clock_rest_fs_;
  int64_t now_ps_ = 0, now_fs_ = 0;  // this clock's first tick: now_ps_ + now_fs_ / 1000
  int64_t next_ps_;                  // nothing changes before this
  int64_t edge_ps_ = 0;              // no output edge comes before this any more
  int64_t ahead_ps_ = 0;             // the device has run up to this; edges_ has its edges
  int still_ = 0;                    // clocks since a pin last changed
  int select_ = kPins, output_ = 0;
  uint32_t timecode_ = 0;
  uint32_t strikes_ = 0, pads_level_ = 0, levels_, codes_ = 0;
  std::function<bool()> runs_;
  bool struck_ = false;  // a run has begun
  bool load_ = false, pads_load_ = false, moving_ = true;
  StrikesPort idle_{};
  SamplesPort steady_{};
  std::deque<Pad> pads_;
  std::vector<Edge> edges_;
};

}  // namespace plexor
