// The synthetic device: answers strikes as its options say, with every edge true to the ps.
//
// Options: "key=value,key=value". The keys of one channel may have a prefix chN., N from 0 to 7;
// without it they hold for every channel that has no such option of its own. Later ones win.
//
// of the device
//   seed=N            of all random numbers (1); each channel and purpose has a stream of its own
//   clock_ps=N        its clock's period: inputs are sampled at its rising edges, a level that lies
//                     between two edges is not seen; edges of outputs are at rising edges. 0: none,
//                     inputs are seen and outputs change at once (0)
//   phase_ps=N        of the clock: a rising edge is at this time (0)
//   grid_fs=N         output edges are put off to the next multiple of this; 0: none (0)
//   load_name=NAME    what the options load_latency, load_service and load_width stand for (load)
//   load=NAME         what a high load input switches on: that, or none (that)
// of a channel
//   after=WHAT        what asks for a response: strikeN, chN, either with -fall for the edge down,
//                     or none. Default: strike0 for channel 0, ch0-fall for channel 1, else none
//   latency=DIST      from the request's service to the response's rise (1000000); DIST as in
//                     distribution.h
//   load_latency=DIST in its place while loaded (as without load)
//   width=DIST        of a response, at least 1 (500000)
//   load_width=DIST   in its place while loaded (as without load)
//   service=DIST      how long a request occupies the channel; others wait in order (0)
//   load_service=DIST in its place while loaded (as without load)
//   queue=N           so many requests may wait; one more is dropped (1000000)
//   overload=DIST     once a request was dropped for want of room, service takes so long instead,
//                     loaded or not, until the channel has had nothing to do for a while (as
//                     without overload)
//   rest=N            that while (1000000)
//   deaf=LOW:HIGH     a request from LOW to HIGH ps after the one before it is dropped (none)
//   drop=P            a request is dropped with this probability (0)
//   duplicate=P       a response is followed by a second one with this probability (0)
//   duplicate_delay=DIST  from the first one's rise, unhindered, to the second one's (1000000)
//   spurious=RATE     pulses that nobody asked for, Poisson, on average so many a second (0)
//   tick=PERIOD[:PHASE]  pulses that nobody asked for, at PHASE, PHASE + PERIOD, ... (none)
//   mask=PERIOD:LENGTH[:PHASE]  no pulse rises in the LENGTH ps from PHASE, PHASE + PERIOD, ...;
//                     it waits for their end (none)
//   gap=N             least time from a fall to the next rise, at least 1 (10000)
//   invert=0|1        1: the pin is low when active (0)
//
// A pin gives one pulse after the other: a pulse that is ready while another is out, or within the
// gap, waits. Responses of a channel keep the order of their requests.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "distribution.h"

namespace plexor {

constexpr int kPins = 8;

// What asks a channel for a response.
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
  bool invert = false;
};

struct SyntheticOptions {
  int64_t seed = 1;
  int64_t clock_ps = 0, phase_ps = 0;
  int64_t grid_fs = 0;
  std::string load_name = "load", load;  // `load` empty: as `load_name`
  std::array<ChannelOptions, kPins> channels;

  // Throws BadOption.
  static SyntheticOptions parse(const std::string& text);
};

}  // namespace plexor
