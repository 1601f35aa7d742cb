// SPDX-License-Identifier: Apache-2.0
// The result memories: counts, statistics and bins, in the banks and words in which they are dumped.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"
#include "registers.h"

namespace plexor {

// A value of an engine: which kind of which channel, and the event that completed it.
struct Sample {
  uint32_t kind;
  int channel;
  int64_t value_ticks, index, ticks;
};

struct Figures {
  int64_t count = 0, sum_ticks = 0, min_ticks = 0, max_ticks = 0;
  int64_t min_index = 0, max_index = 0, min_time_ticks = 0, max_time_ticks = 0;
  unsigned __int128 sum_sq_ticks2 = 0;

  void add(const Sample& sample);
};

class Results {
 public:
  explicit Results(const Geometry& geometry);

  // Empties all memories, and takes the registers of the next run.
  void clear(const Registers& registers);
  // Counting goes on in the other bank, on top of what it has.
  void change_bank() { bank_ ^= 1; }
  int bank() const { return bank_; }

  void count_edge(int source, bool polarity) { edges_[bank_][source * 2 + polarity]++; }
  void count_class(int channel, uint32_t response_class) {
    classes_[bank_][channel * kClasses + response_class]++;
  }
  void latency(const Sample& sample);
  void interval(const Sample& sample);

  // Tables of codes.
  void code(int64_t ticks, uint32_t code);
  uint32_t code_place() const { return code_place_; }
  void code_latency(uint32_t place, int64_t value_ticks);

  // Writes the record of a channel at the end of a step.
  void end_step(int step, int channel, int64_t pending, int64_t ticks);

  // A space as it is dumped.
  std::vector<uint32_t> words(uint32_t space, int bank) const;
  bool has_saturated() const { return saturated_; }

 private:
  struct Bins {
    std::vector<uint32_t> counts;
    std::vector<uint8_t> upper;  // by group: whether it has memory for upper bits
    int groups = 0;
  };
  struct CodeFigures {
    int64_t count = 0, sum_ticks = 0, min_ticks = 0, max_ticks = 0;
    void add(int64_t value_ticks);
  };
  struct StepExtremes {
    bool any = false;
    int64_t min_ticks = 0, max_ticks = 0;
  };

  size_t key_of(const Sample& sample) const {
    return static_cast<size_t>(sample.kind) << geometry_.key_bits |
           static_cast<size_t>(sample.channel);
  }
  void count(Bins& bins, int64_t place);
  void bin(uint32_t space, const Sample& sample);
  void zoom(uint32_t space, const Sample& sample, int64_t first_ticks);
  void put_statistics(const Figures& figures, std::vector<uint32_t>& words) const;

  const Geometry& geometry_;
  int bank_ = 0;
  bool saturated_ = false;
  std::vector<int64_t> classes_[2], edges_[2];
  std::vector<Figures> latency_[2], interval_[2];
  Bins bins_[kSpaces];
  int64_t first_bin_[kSpaces][2] = {};
  int bin_bits_[kSpaces][2] = {};
  std::vector<int64_t> zoom_first_[4];  // by kind of latency, then of interval; by channel
  std::vector<uint32_t> steps_;
  std::vector<StepExtremes> extremes_;
  std::vector<CodeFigures> codes_;
  bool has_code_ = false;
  int64_t code_ticks_ = 0;
  uint32_t code_place_ = 0;
};

}  // namespace plexor
