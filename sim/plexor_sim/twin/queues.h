// SPDX-License-Identifier: Apache-2.0
// Whether an event could have been dropped: an upper bound of what waits before the merge and before
// the link, from the clocks that docs/instrument.md gives under Speed. It drops nothing itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "geometry.h"
#include "matcher.h"

namespace plexor {

class Queues {
 public:
  explicit Queues(const Geometry& geometry)
      : geometry_(geometry),
        measures_(geometry.has(kFeatureFall | kFeatureIntervals)) {}

  // A run begins, in which events are held back; the link first sends that.
  void begin(int64_t clock, int64_t hold_clocks) {
    merge_halves_ = 0;
    hold_clocks_ = hold_clocks;
    link_clock_ = clock + kBeginClocks;
    for (Source& source : sources_) source = {};
  }

  // Takes an event in order, the channels that it strikes, and what it costs the matcher in clocks
  // besides.
  // Returns why it, or one behind it, could have been dropped; null: none could.
  const char* take(const Event& event, int64_t struck, int64_t clocks, bool is_sent) {
    const bool is_channel = event.source < kMaxChannels;
    int64_t halves = kOtherHalves + kStruckHalves * std::max<int64_t>(struck - 1, 0);
    if (is_channel && event.polarity) halves += kResponseHalves;
    if (is_channel && !event.polarity && measures_) halves += kTrailingHalves;
    halves += 2 * clocks;
    return wait(event, halves, is_sent);
  }

  // Takes one that a long filter removes.
  const char* take_removed(const Event& event) { return wait(event, kOtherHalves, false); }

 private:
  const char* wait(const Event& event, int64_t halves, bool is_sent) {
    const int64_t clock = geometry_.clock_of(event.ticks);
    Source& source = sources_[event.source];
    while (source.words && source.ends[source.first] <= clock) {
      source.first = (source.first + 1) % kMostWords;
      source.words--;
    }
    merge_halves_ = std::max(merge_halves_, 2 * (clock + hold_clocks_)) + halves;
    if (source.words && source.last_clock == clock) source.words--;
    source.last_clock = clock;
    source.ends[(source.first + source.words++) % kMostWords] = merge_halves_ / 2;
    if (source.words > geometry_.word_fifo_depth - kSpareWords || source.words == kMostWords)
      return "a source's FIFO of words may have been full";
    if (!is_sent) return nullptr;
    link_clock_ = std::max(link_clock_, clock) + kSentClocks * (event.source == kSourceCode ? 2 : 1);
    if (link_clock_ - clock > kSentClocks * (geometry_.upload_depth + geometry_.deep_depth) / 2)
      return "the link's FIFO may have been full";
    return nullptr;
  }

  // In halves of a clock, each with what the results stage needs.
  static constexpr int64_t kOtherHalves = 5, kStruckHalves = 5, kResponseHalves = 14;
  static constexpr int64_t kTrailingHalves = 14;
  static constexpr int64_t kSentClocks = 20;  // an event's bytes and its part of a frame
  static constexpr int64_t kBeginClocks = 400;
  static constexpr int64_t kSpareWords = 4;
  static constexpr int kMostWords = 512;

  struct Source {
    int64_t ends[kMostWords] = {};  // a ring: when each word has been merged
    int first = 0, words = 0;
    int64_t last_clock = -1;
  };

  const Geometry& geometry_;
  const bool measures_;
  int64_t merge_halves_ = 0, link_clock_ = 0, hold_clocks_ = 0;
  Source sources_[kSources];
};

}  // namespace plexor
