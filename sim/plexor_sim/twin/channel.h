// SPDX-License-Identifier: Apache-2.0
// The path of one response channel: its flip-flops turn edges in ps into edges between samples; mend,
// filter and long filter follow. Edges stay in each stage until no later edge can change them.
//
// Flip-flops: the sample of tick k shows an edge at t if t <= k * tick plus the delay of its phase
// (front_end.h). Edges come in order of time; those of one level may overtake those of the other.
#pragma once

#include <cstdint>
#include <vector>

#include "front_end.h"
#include "geometry.h"
#include "stimulus.h"

namespace plexor {

struct TickEdge {
  int64_t tick;
  bool level;
  bool passes = true;  // else the long filter has removed it
};

class Channel {
 public:
  Channel(const Geometry& geometry, const FrontEnd::Input& input);

  // The level before all edges.
  void start(bool level);
  void edge(int64_t time_ps, bool level);
  // Discards edges under way, for another input with a constant level from a time on.
  void choose(int64_t time_ps, bool level);
  // The lengths of the glitch filter and of the long one, which begins anew, for the next run.
  void set_filter(int64_t ticks, int64_t long_ticks, int64_t now_ticks);

  // Passes on each edge that no edge at `horizon` or later can change: out(edge). All edges at the
  // flip-flops before that tick are known.
  template <typename Out>
  void take(int64_t horizon, Out&& out) {
    if (next_ticks_ >= horizon) return;
    pass(horizon);
    for (const TickEdge& edge : ready_) out(edge);
    ready_.clear();
  }
  // Nothing becomes ready at this horizon or before, if no edge comes.
  int64_t next_ticks() const { return next_ticks_; }
  // Edges so long before a horizon have become ready.
  int64_t lag_ticks() const { return lag_ticks_; }

  // Edges before the glitch filter that have passed since it was last emptied.
  std::vector<TickEdge>& unfiltered() { return unfiltered_; }
  // Core clocks in which samples were mended; the clock of the sample that stays.
  std::vector<int64_t>& mended() { return mended_; }

 private:
  int64_t seen(int64_t time_ps, bool level) const;
  void pass(int64_t horizon);
  void pass_edges(int64_t horizon);
  void pass_words(int64_t horizon);
  uint32_t shown(uint32_t samples) const;
  void mend(const TickEdge& edge);
  void end_group();
  void filter(const TickEdge& edge);
  void end_held();
  void filter_long(const TickEdge& edge);
  void end_waiting(bool lasts);
  void find_next();

  const int64_t tick_fs_, samples_, phases_;
  const FrontEnd::Input input_;
  const bool mends_;
  bool is_even_ = true;  // all instants are at their ticks
  // Flip-flops that are dead, or that sample in the other order, by tick of a word.
  uint32_t ones_ = 0, alive_ = 0, exchanged_ = 0;
  bool is_whole_ = true;     // there are none
  bool level_ = false;       // behind the edges of all words that have passed
  int64_t passed_word_ = 0;  // words before it have passed
  int64_t filter_ticks_ = 0, long_ticks_ = 0, lag_ticks_ = 0;
  int64_t next_ticks_ = kNever;

  std::vector<TickEdge> sampled_, group_, unfiltered_, ready_;
  bool sampled_level_ = false;  // of the last sample that was passed on
  bool mended_level_ = false;
  int64_t group_size_ = 0;      // edges in a row, those of them that were passed on included
  int64_t group_ticks_ = 0;     // the last one's
  bool has_held_ = false, passed_level_ = false;
  TickEdge held_{};             // waits in the filter
  // The long filter. An edge before `near_ticks_` is too near to the one before it.
  bool has_waiting_ = false;
  TickEdge waiting_{};
  bool before_ = false;  // the level in front of the last edge
  int64_t near_ticks_ = 0;
  std::vector<int64_t> mended_;
};

}  // namespace plexor
