// SPDX-License-Identifier: Apache-2.0
// The synthetic device answers strikes as its options say. Every edge is exact to the ps.
//
// Its options are declared in ../device_options.py, which checks a user's options. Here times are
// whole ps, those of the grid whole fs. A channel's keys may have a prefix chN., N from 0 to 7.
// Without it they hold for every channel that has no such option of its own. Later options win.
//
// A pin gives one pulse at a time. A pulse that is ready during another pulse, or within the gap,
// waits. A channel's responses keep the order of their requests.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "distribution.h"

namespace plexor {

constexpr int kPins = 8;

// The edge that requests a response of a channel.
struct After {
  enum class Source { kNone, kStrike, kChannel } source = Source::kNone;
  int number = 0;
  bool rise = true;

  bool is(Source from, int index, bool up) const {
    return source == from && number == index && rise == up;
  }
};

struct ChannelOptions {
  After after;
  Distribution latency{1'000'000}, width{500'000}, service{0};
  std::optional<Distribution> load_latency, load_width, load_service, overload_service;
  int64_t overload_rest_ps = 1'000'000;
  int64_t deaf_low_ps = 0, deaf_high_ps = -1;
  Distribution duplicate_delay{1'000'000};
  int64_t queue = 1'000'000;
  double drop = 0, duplicate = 0;
  double spurious_hz = 0;
  int64_t tick_period_ps = 0, tick_phase_ps = 0;
  int64_t mask_period_ps = 0, mask_length_ps = 0, mask_phase_ps = 0;
  int64_t gap_ps = 10'000;
  bool invert = false, toggle = false;

  // Whether the channel draws anything at random.
  bool draws() const;

  // Whether it has options of its own under load.
  bool loadable() const { return load_latency || load_width || load_service; }
};

struct SyntheticOptions {
  int64_t seed = 1;
  int64_t clock_ps = 0, phase_ps = 0;
  int64_t grid_fs = 0;
  std::string load_name = "load", load;  // `load` empty: as `load_name`
  std::array<ChannelOptions, kPins> channels;
  std::string codes;  // file of lines "time_ps value"; empty: the code pins stay low
  int64_t code_skew_ps = 0;
  bool code_strobe = false;

  // The load that a high load input applies, or none; empty: no channel has options under load.
  std::string loaded() const;

  // Throws BadOption.
  static SyntheticOptions parse(const std::string& text);
};

}  // namespace plexor
