// SPDX-License-Identifier: Apache-2.0
// The pins between the emulated instrument and the device, event by event. Strikes become edges in
// ps, and the device's edges reach the channels, through the front-end (front_end.h).
//
// Tick k is at k * tick_fs femtoseconds, rounded down to whole ps. A strike's edge is at that time.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "channel.h"
#include "device.h"
#include "front_end.h"
#include "geometry.h"
#include "oscillator.h"
#include "truth.h"

namespace plexor {

class TwinPins {
 public:
  TwinPins(const Geometry& geometry, Device& device, EdgeLog& log, const FrontEnd& front_end);

  std::vector<Channel>& channels() { return channels_; }
  const std::vector<Channel>& channels() const { return channels_; }
  int64_t ps_of(int64_t tick) const { return tick * tick_fs_ / 1000; }

  // Outputs of the instrument, in order of time and before `advance` has come to that tick.
  void strike(int output, int64_t tick, bool level);
  void load(int64_t tick, bool level);
  void timecode(int64_t tick, uint32_t pins);
  // Before the first run the device can have had the levels of its strikes from the beginning.
  bool idle(int64_t tick, uint32_t strikes);
  // From a tick on, the channels take another input.
  void choose(int64_t tick, uint32_t select, int output);

  // Runs the device to a tick, with all outputs of the instrument before it.
  void advance(int64_t to_tick);
  // The first tick, at most `limit`, before which no pin changes unless the instrument changes its
  // outputs. The device runs ahead where it does not say so.
  int64_t quiet_to(int64_t limit);

  // The first time at which the device can have an input that is not a pin.
  int64_t input_ps() const { return ahead_ps_; }

  // Levels of the code port, and its changes in ticks, in order; the reader clears them.
  struct CodeEdge {
    int64_t tick;
    uint32_t levels;
  };
  std::vector<CodeEdge>& codes() { return codes_; }
  uint32_t code_levels() const { return levels_ >> kFirstCodePin & code_mask_; }


 private:
  struct Pad {
    int64_t time_ps;
    uint8_t source;
    bool level;
    uint32_t timecode;
  };
  static constexpr uint8_t kTimecodePad = 255;
  static constexpr int kStepClocks = 16;  // less than TRIGGER_CLOCKS

  bool level(int pin) const { return levels_ >> pin & 1; }
  int jumper_of(int channel) const {
    return front_end_.inputs[front_end_.inputs[channel].pin].jumper;
  }
  bool pin_level(int channel) const {
    const int jumper = jumper_of(channel);
    return jumper < 0 ? level(front_end_.inputs[channel].pin) : pads_level_ >> jumper & 1;
  }
  int64_t way_ps(int channel) const {
    const FrontEnd::Input& input = front_end_.inputs[channel];
    return select_ == kInputSelectPins ? input.input_ps : input.loop_ps;
  }
  int64_t tick_at(int64_t time_ps) const { return (time_ps * 1000 + tick_fs_ - 1) / tick_fs_; }
  void add(const Pad& pad);
  void pad_edge(int strike, int64_t time_ps, bool level);
  void run_device(int64_t to_ps);
  [[noreturn]] void misplaced(const Edge& edge, int64_t to_ps) const;

  Device& device_;
  EdgeLog& log_;
  const int64_t tick_fs_, samples_, clock_ps_;
  const int channels_cnt_, strikes_cnt_;
  const uint32_t code_mask_;
  const FrontEnd front_end_;
  Oscillator oscillator_;
  std::vector<Channel> channels_;
  std::vector<CodeEdge> codes_;
  std::deque<Pad> pads_;
  std::vector<Edge> edges_;
  size_t taken_ = 0;      // of edges_
  int64_t edge_ps_ = 0;   // no output edge comes before this any more
  int64_t ahead_ps_ = 0;  // the device has run up to this
  uint32_t select_ = kInputSelectPins;
  int output_ = 0;
  uint32_t pads_level_ = 0, levels_;
  bool pads_load_ = false;
  bool has_jumpers_ = false;
  std::vector<int> takers_[kMaxChannels];  // channels that the device's pin goes to
};

}  // namespace plexor
