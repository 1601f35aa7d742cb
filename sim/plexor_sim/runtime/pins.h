// The pins between the Verilated instrument and the device: strike words become edges in ps, the
// device's edges become sample words.
//
// Tick k is at k * tick_fs femtoseconds, in whole ps rounded down; a strike edge happens there. The
// device's times are whole ps, so that its edge at t is seen in sample k exactly if
// t <= floor(k * tick_fs / 1000): an edge on the sampling instant counts.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "device.h"
#include "lanes.h"
#include "truth.h"

namespace plexor {

template <int Channels, int Strikes, int W, typename StrikesPort, typename SamplesPort>
class Pins {
 public:
  Pins(Device& device, int64_t tick_fs, EdgeLog& log)
      : device_(device), log_(log), tick_fs_(tick_fs), levels_(device.initial_levels()) {
    const int64_t clock_fs = W * tick_fs;
    clock_ps_ = clock_fs / 1000;
    clock_rest_fs_ = clock_fs % 1000;
    window_ps_ = (W - 1) * tick_fs / 1000;
    for (int channel = 0; channel < Channels; channel++)
      set_lane<W>(steady_, channel, level(channel) ? kOnes : 0);
    log_.start(Channels, Strikes, levels_);
    next_ps_ = device_.quiet_until_ps();
  }

  // One core clock: takes the words of the instrument's outputs, gives the samples of the same
  // ticks. Returns through `samples`, which is written only when it changes.
  void clock(const StrikesPort& strikes, bool load, SamplesPort& samples) {
    still_++;
    if (!same(strikes, idle_) || load != load_) drive(strikes, load);
    // The last tick of this clock may be one ps later than window_ps_ says; never earlier.
    if (now_ps_ + window_ps_ + 1 >= next_ps_) {
      observe(samples);
    } else if (moving_) {
      samples = steady_;
      moving_ = false;
    }
    now_ps_ += clock_ps_;
    now_fs_ += clock_rest_fs_;
    if (now_fs_ >= 1000) {
      now_fs_ -= 1000;
      now_ps_++;
    }
  }

  // How many of the next `most` clocks, from the one that `clock` was last called for on, can pass
  // at once because no pin changes in them. The device is taken to the end of `most`, in which
  // strikes and load must not change.
  int64_t still_clocks(int64_t most) {
    if (still_ < kStillClocks || moving_ || most < 1) return 0;
    const int64_t end_ps = now_ps_ + most * (clock_ps_ + 1);  // a clock may be 1 ps longer
    if (edges_.empty() && next_ps_ < end_ps && ahead_ps_ < end_ps) {
      device_.advance(end_ps, edges_);
      ahead_ps_ = end_ps;
      next_ps_ = edges_.empty() ? std::max(device_.quiet_until_ps(), end_ps) : edges_[0].time_ps;
    }
    const int64_t free_ps = std::min(end_ps, next_ps_) - now_ps_;
    return free_ps <= 0 ? 0 : free_ps / (clock_ps_ + 1);
  }

  // Lets `clocks` pass in which, as still_clocks said, no pin changes.
  void pass(int64_t clocks) {
    now_ps_ += clocks * clock_ps_;
    now_fs_ += clocks * clock_rest_fs_;
    now_ps_ += now_fs_ / 1000;
    now_fs_ %= 1000;
  }

  // Until when the device has already run: an input before this would come too late.
  bool is_ahead() const { return ahead_ps_ > now_ps_; }

  const SamplesPort& steady() const { return steady_; }
  int64_t now_ps() const { return now_ps_; }

 private:
  static constexpr uint32_t kOnes = (1u << W) - 1;
  static constexpr int kStillClocks = 12;  // hdl/plexor_hdl/instrument.py, Instrument

  bool level(int channel) const { return levels_ >> channel & 1; }
  int64_t tick_ps(int tick) const { return now_ps_ + (now_fs_ + tick * tick_fs_) / 1000; }

  void drive(const StrikesPort& strikes, bool load) {
    for (int tick = 0; tick < W; tick++) {
      uint32_t mask = 0;
      for (int strike = 0; strike < Strikes; strike++)
        mask |= (lane<W>(strikes, strike) >> tick & 1) << strike;
      if (mask == strikes_ && load == load_) continue;
      device_.input(tick_ps(tick), mask, load);
      for (uint32_t changed = mask ^ strikes_; changed; changed &= changed - 1) {
        const int strike = __builtin_ctz(changed);
        log_.input(tick_ps(tick), kSourceStrike + strike, mask >> strike & 1);
      }
      if (load != load_) log_.input(tick_ps(tick), kSourceLoad, load);
      strikes_ = mask;
      load_ = load;
    }
    for (int strike = 0; strike < Strikes; strike++)
      set_lane<W>(idle_, strike, strikes_ >> strike & 1 ? kOnes : 0);
    next_ps_ = INT64_MIN;
    still_ = 0;
  }

  void observe(SamplesPort& samples) {
    const int64_t to_ps = tick_ps(W - 1) + 1;
    if (to_ps > ahead_ps_) {
      device_.advance(to_ps, edges_);
      ahead_ps_ = to_ps;
    }
    samples = steady_;
    moving_ = false;
    size_t taken = 0;
    for (; taken < edges_.size() && edges_[taken].time_ps < to_ps; taken++) {
      const Edge& edge = edges_[taken];
      if (edge.time_ps < edge_ps_ || edge.time_ps >= to_ps) misplaced(edge, to_ps);
      edge_ps_ = edge.time_ps;
      moving_ = true;
      still_ = 0;
      if (edge.channel >= Channels || edge.level == level(edge.channel)) continue;
      levels_ ^= 1u << edge.channel;
      log_.response(edge.time_ps, edge.channel, edge.level);
      const int64_t into_fs = (edge.time_ps - now_ps_) * 1000 - now_fs_;
      const int tick = into_fs <= 0 ? 0 : static_cast<int>((into_fs + tick_fs_ - 1) / tick_fs_);
      const uint32_t after = kOnes << tick & kOnes;
      const uint32_t word = lane<W>(samples, edge.channel);
      set_lane<W>(samples, edge.channel, edge.level ? word | after : word & ~after);
      set_lane<W>(steady_, edge.channel, edge.level ? kOnes : 0);
    }
    edges_.erase(edges_.begin(), edges_.begin() + static_cast<std::ptrdiff_t>(taken));
    next_ps_ = edges_.empty() ? std::max(device_.quiet_until_ps(), ahead_ps_) : edges_[0].time_ps;
    edge_ps_ = to_ps;
    log_.flush();
  }

  [[noreturn]] void misplaced(const Edge& edge, int64_t to_ps) const {
    throw std::runtime_error("device: an edge of channel " + std::to_string(edge.channel) + " at " +
                             std::to_string(edge.time_ps) + " ps; must lie in " +
                             std::to_string(edge_ps_) + " to " + std::to_string(to_ps - 1) + " ps");
  }

  Device& device_;
  EdgeLog& log_;
  const int64_t tick_fs_;
  int64_t clock_ps_, clock_rest_fs_, window_ps_;
  int64_t now_ps_ = 0, now_fs_ = 0;  // this clock's first tick: now_ps_ + now_fs_ / 1000
  int64_t next_ps_;                  // no output edge before this
  int64_t edge_ps_ = 0;              // no output edge before this may come any more
  int64_t ahead_ps_ = 0;             // the device has run up to this; edges_ has what came
  int still_ = 0;                    // clocks since a pin last changed
  uint32_t strikes_ = 0, levels_;
  bool load_ = false, moving_ = true;
  StrikesPort idle_{};
  SamplesPort steady_{};
  std::vector<Edge> edges_;
};

}  // namespace plexor
