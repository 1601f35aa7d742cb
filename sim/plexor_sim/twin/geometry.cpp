// SPDX-License-Identifier: Apache-2.0
#include "geometry.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "options.h"

namespace plexor {

namespace {

constexpr int64_t kLeastBinPlaces = 4096;

}  // namespace

Geometry Geometry::parse(const std::string& text) {
  std::map<std::string, uint64_t> values;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    const size_t equals = item.find('=');
    if (equals == std::string::npos) throw Usage("--geometry " + item + ": NAME=VALUE is needed");
    values[item.substr(0, equals)] = std::strtoull(item.c_str() + equals + 1, nullptr, 10);
  }
  const auto take = [&](const std::string& name) {
    const auto found = values.find(name);
    if (found == values.end()) throw Usage("--geometry: " + name + " is missing");
    return found->second;
  };
  Geometry made;
  const std::pair<const char*, int64_t*> numbers[] = {
      {"channels", &made.channels},
      {"strikes", &made.strikes},
      {"samples", &made.samples},
      {"tick_fs", &made.tick_fs},
      {"latency_mantissa_bits", &made.latency_mantissa_bits},
      {"fall_mantissa_bits", &made.fall_mantissa_bits},
      {"interval_mantissa_bits", &made.interval_mantissa_bits},
      {"zoom_bits", &made.zoom_bits},
      {"queue_depth", &made.queue_depth},
      {"word_fifo_depth", &made.word_fifo_depth},
      {"upload_depth", &made.upload_depth},
      {"ring_depth", &made.ring_depth},
      {"phases", &made.phases},
      {"deep_depth", &made.deep_depth},
      {"table_steps", &made.table_steps},
      {"code_bits", &made.code_bits},
      {"timecode_bits", &made.timecode_bits},
      {"lamps", &made.lamps},
      {"key_bits", &made.key_bits},
      {"features", &made.features},
      {"indexed", &made.indexed},
      {"sources", &made.sources},
  };
  for (const auto& [name, place] : numbers) *place = static_cast<int64_t>(take(name));
  made.board = take("board");
  made.gateware_hash = take("gateware_hash");
  made.build_id = take("build_id");
  for (int space = 0; space < kSpaces; space++) {
    const std::string number = std::to_string(space);
    made.entries[space] = static_cast<int64_t>(take("entries" + number));
    made.words[space] = static_cast<int64_t>(take("words" + number));
    made.banks[space] = static_cast<int64_t>(take("banks" + number));
  }
  return made;
}

int64_t Geometry::mantissa_bits(uint32_t space, uint32_t kind) const {
  if (space == kSpaceIntervalBins) return interval_mantissa_bits;
  return kind == kLatencyKindFall ? fall_mantissa_bits : latency_mantissa_bits;
}

int Geometry::bin_bits(uint32_t space, uint32_t kind) const {
  if (space == kSpaceLatencyZoom || space == kSpaceIntervalZoom) return static_cast<int>(zoom_bits);
  return static_cast<int>(mantissa_bits(space, kind)) + kBinBits;
}

int64_t Geometry::first_bin(uint32_t space, uint32_t kind, int channel) const {
  int64_t before = 0;
  for (uint32_t lower = 0; lower < kind; lower++)
    before += int64_t{1} << (bin_bits(space, lower) + key_bits);
  return before + (static_cast<int64_t>(channel) << bin_bits(space, kind));
}

int64_t Geometry::bin_places() const {
  const auto rounded = [](int64_t value) {
    int64_t power = 1;
    while (power < value) power *= 2;
    return power;
  };
  // A space has room for falls even where none is counted.
  const auto bins = [&](uint32_t space) {
    return has(kFeatureFall) ? entries[space] : first_bin(space, kLatencyKindFall, 0);
  };
  int64_t places = bins(kSpaceLatencyBins) + entries[kSpaceIntervalBins];
  if (has(kFeatureZoom)) {
    const int64_t windows = rounded(bins(kSpaceLatencyZoom) + entries[kSpaceIntervalZoom]);
    places = ((places + windows - 1) / windows + 1) * windows;
  }
  return std::max(rounded(places), kLeastBinPlaces);
}

}  // namespace plexor
