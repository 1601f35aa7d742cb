// SPDX-License-Identifier: Apache-2.0
#include "results.h"

#include <algorithm>

namespace plexor {

namespace {

constexpr uint32_t kBinMost = 0xffffffff;
// Builds with Feature.SNAPSHOT: groups of adjacent bins share a memory for the upper bits.
constexpr uint32_t kLowMost = (1u << 12) - 1;
constexpr int kGroupBits = 4, kGroups = 256;

void put(std::vector<uint32_t>& words, uint64_t value) {
  words.push_back(static_cast<uint32_t>(value));
  words.push_back(static_cast<uint32_t>(value >> 32));
}

}  // namespace

void Figures::add(const Sample& sample) {
  const int64_t value = sample.value_ticks;
  if (!count || value < min_ticks) {
    min_ticks = value;
    min_index = sample.index;
    min_time_ticks = sample.ticks;
  }
  if (!count || value > max_ticks) {
    max_ticks = value;
    max_index = sample.index;
    max_time_ticks = sample.ticks;
  }
  count++;
  sum_ticks += value;
  sum_sq_ticks2 += static_cast<unsigned __int128>(static_cast<__int128>(value) * value);
}

void Results::CodeFigures::add(int64_t value_ticks) {
  const int64_t shown = std::min(value_ticks, kValueMost);
  min_ticks = count ? std::min(min_ticks, shown) : shown;
  max_ticks = count ? std::max(max_ticks, shown) : shown;
  count++;
  sum_ticks += value_ticks;
}

Results::Results(const Geometry& geometry) : geometry_(geometry) {
  for (const uint32_t space :
       {kSpaceLatencyBins, kSpaceIntervalBins, kSpaceLatencyZoom, kSpaceIntervalZoom})
    for (uint32_t kind = 0; kind < kKinds; kind++) {
      first_bin_[space][kind] = geometry.first_bin(space, kind, 0);
      bin_bits_[space][kind] = geometry.bin_bits(space, kind);
    }
}

void Results::clear(const Registers& registers) {
  bank_ = 0;
  saturated_ = false;
  const auto channels = static_cast<size_t>(geometry_.channels);
  for (int bank = 0; bank < 2; bank++) {
    classes_[bank].assign(channels * kClasses, 0);
    edges_[bank].assign(kSources * 2, 0);
    latency_[bank].assign(static_cast<size_t>(kKinds) << geometry_.key_bits, {});
    interval_[bank] = latency_[bank];
  }
  for (int space = 0; space < kSpaces; space++) {
    if (!(kHistogramSpaces >> space & 1)) continue;
    const auto entries = static_cast<size_t>(geometry_.entries[space]);
    bins_[space].counts.assign(entries, 0);
    bins_[space].upper.assign((entries >> kGroupBits) + 1, 0);
    bins_[space].groups = 0;
  }
  const Reg firsts[] = {kChannelZoomRiseTicks, kChannelZoomFallTicks, kChannelZoomWidthTicks,
                        kChannelZoomPeriodTicks};
  for (int kind = 0; kind < 4; kind++) {
    zoom_first_[kind].clear();
    for (int channel = 0; channel < geometry_.channels; channel++)
      zoom_first_[kind].push_back(registers.get(firsts[kind], channel));
  }
  steps_.assign(static_cast<size_t>(geometry_.entries[kSpaceSteps]) * kStepBytes / 4, 0);
  extremes_.assign(channels, {});
  codes_.assign(static_cast<size_t>(geometry_.entries[kSpaceCodes]), {});
  has_code_ = false;
  code_place_ = 0;
}

void Results::latency(const Sample& sample) {
  if (sample.kind == kLatencyKindFall && !geometry_.has(kFeatureFall)) return;
  latency_[bank_][key_of(sample)].add(sample);
  bin(kSpaceLatencyBins, sample);
  zoom(kSpaceLatencyZoom, sample, zoom_first_[sample.kind][sample.channel]);
  if (sample.kind != kLatencyKindRise) return;
  StepExtremes& extremes = extremes_[sample.channel];
  const int64_t value = sample.value_ticks;
  extremes.min_ticks = extremes.any ? std::min(extremes.min_ticks, value) : value;
  extremes.max_ticks = extremes.any ? std::max(extremes.max_ticks, value) : value;
  extremes.any = true;
}

void Results::interval(const Sample& sample) {
  if (!geometry_.has(kFeatureIntervals)) return;
  interval_[bank_][key_of(sample)].add(sample);
  bin(kSpaceIntervalBins, sample);
  zoom(kSpaceIntervalZoom, sample, zoom_first_[2 + sample.kind][sample.channel]);
}

void Results::bin(uint32_t space, const Sample& sample) {
  const int64_t value = sample.value_ticks;
  const int bits = bin_bits_[space][sample.kind], mantissa = bits - kBinBits;
  int64_t number;
  if (value < 0) {
    number = (int64_t{1} << bits) - 1;
  } else if (value >= kValueMost) {
    number = (int64_t{1} << bits) - 2;
  } else {
    const int length = value ? 64 - __builtin_clzll(static_cast<uint64_t>(value)) : 0;
    const int shift = std::max(length - mantissa - 1, 0);
    number = (static_cast<int64_t>(shift) << mantissa) + (value >> shift);
  }
  count(bins_[space], first_bin_[space][sample.kind] +
                          (static_cast<int64_t>(sample.channel) << bits) + number);
}

void Results::zoom(uint32_t space, const Sample& sample, int64_t first_ticks) {
  if (!geometry_.entries[space]) return;
  const int bits = bin_bits_[space][sample.kind];
  const int64_t most = (int64_t{1} << bits) - 1;
  const int64_t number = std::clamp<int64_t>(sample.value_ticks - first_ticks + 1, 0, most);
  count(bins_[space], first_bin_[space][sample.kind] +
                          (static_cast<int64_t>(sample.channel) << bits) + number);
}

void Results::count(Bins& bins, int64_t place) {
  uint32_t& value = bins.counts[place];
  if (value < kLowMost) {
    value++;
    return;
  }
  if (geometry_.has(kFeatureSnapshot) && !bins.upper[place >> kGroupBits]) {
    if (bins.groups == kGroups) {
      saturated_ = true;
      return;
    }
    bins.upper[place >> kGroupBits] = 1;
    bins.groups++;
  }
  if (value == kBinMost)
    saturated_ = true;
  else
    value++;
}

void Results::code(int64_t ticks, uint32_t code) {
  if (has_code_) codes_[code_place_].add(ticks - code_ticks_);
  const int64_t table_bits = std::min(geometry_.code_bits, kCodeTableBits);
  code_place_ = code >> (geometry_.code_bits - table_bits);
  code_ticks_ = ticks;
  has_code_ = true;
}

void Results::code_latency(uint32_t place, int64_t value_ticks) {
  if (!codes_.empty()) codes_[codes_.size() / 2 + place].add(value_ticks);
}

void Results::end_step(int step, int channel, int64_t pending, int64_t ticks) {
  std::vector<uint32_t> words;
  for (int kind = 0; kind < kClasses; kind++) {
    const size_t place = static_cast<size_t>(channel) * kClasses + kind;
    put(words, static_cast<uint64_t>(classes_[0][place] + classes_[1][place]));
  }
  const Figures &one = latency_[0][channel], &other = latency_[1][channel];
  const auto squares = geometry_.has(kFeatureSumSquares) ? one.sum_sq_ticks2 + other.sum_sq_ticks2 : 0;
  StepExtremes& extremes = extremes_[channel];
  put(words, static_cast<uint64_t>(one.count + other.count));
  put(words, static_cast<uint64_t>(one.sum_ticks + other.sum_ticks));
  put(words, static_cast<uint64_t>(squares));
  put(words, static_cast<uint64_t>(squares >> 64));
  put(words, static_cast<uint64_t>(extremes.min_ticks));
  put(words, static_cast<uint64_t>(extremes.max_ticks));
  put(words, static_cast<uint64_t>(pending));
  put(words, static_cast<uint64_t>(ticks));
  extremes = {};
  const size_t entry = static_cast<size_t>(step) << geometry_.key_bits | static_cast<size_t>(channel);
  std::copy(words.begin(), words.end(), steps_.begin() + static_cast<std::ptrdiff_t>(entry * kStepBytes / 4));
}

void Results::put_statistics(const Figures& figures, std::vector<uint32_t>& words) const {
  const bool squares = geometry_.has(kFeatureSumSquares), where = geometry_.has(kFeatureExtremes);
  put(words, static_cast<uint64_t>(figures.count));
  put(words, static_cast<uint64_t>(figures.sum_ticks));
  put(words, squares ? static_cast<uint64_t>(figures.sum_sq_ticks2) : 0);
  put(words, squares ? static_cast<uint64_t>(figures.sum_sq_ticks2 >> 64) : 0);
  put(words, static_cast<uint64_t>(figures.min_ticks));
  put(words, static_cast<uint64_t>(figures.max_ticks));
  put(words, where ? static_cast<uint64_t>(figures.min_index) : 0);
  put(words, where ? static_cast<uint64_t>(figures.max_index) : 0);
  put(words, where ? static_cast<uint64_t>(figures.min_time_ticks) : 0);
  put(words, where ? static_cast<uint64_t>(figures.max_time_ticks) : 0);
}

std::vector<uint32_t> Results::words(uint32_t space, int bank) const {
  if (kHistogramSpaces >> space & 1) return bins_[space].counts;
  if (space == kSpaceSteps) return steps_;
  std::vector<uint32_t> words;
  if (space == kSpaceCodes) {
    for (const CodeFigures& each : codes_)
      for (const int64_t value : {each.count, each.sum_ticks, each.min_ticks, each.max_ticks})
        put(words, static_cast<uint64_t>(value));
  } else if (space == kSpaceLatencyStatistics || space == kSpaceIntervalStatistics) {
    const auto& all = space == kSpaceLatencyStatistics ? latency_[bank] : interval_[bank];
    for (const Figures& figures : all) put_statistics(figures, words);
  } else {
    // The twin drops nothing before the link.
    const bool is_empty = space == kSpaceUploadDrops;
    const auto& counts = space == kSpaceClasses ? classes_[bank] : edges_[bank];
    for (int64_t entry = 0; entry < geometry_.entries[space]; entry++)
      put(words, is_empty ? 0 : static_cast<uint64_t>(counts[entry]));
  }
  return words;
}

}  // namespace plexor
