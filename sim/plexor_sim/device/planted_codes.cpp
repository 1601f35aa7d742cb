// SPDX-License-Identifier: Apache-2.0
#include "planted_codes.h"

#include <algorithm>
#include <fstream>

namespace plexor {

namespace {

constexpr int kFirstPin = 8, kPins = 16, kStrobePin = 7;

}  // namespace

std::vector<Edge> planted_codes(const std::string& path, int64_t skew_ps, bool has_strobe) {
  std::ifstream file(path);
  if (!file) throw BadOption("codes: " + path + " cannot be read");
  std::vector<Edge> edges;
  const int64_t apart_ps = skew_ps + (has_strobe ? kStrobePs : 0);
  int64_t time_ps = 0, before_ps = -apart_ps - 1;
  uint32_t value = 0, before = 0;
  while (file >> time_ps >> value) {
    if (time_ps <= before_ps + apart_ps || value >> kPins)
      throw BadOption("codes: " + path + ": " + std::to_string(time_ps) + " " +
                      std::to_string(value) + "; times must rise by more than code_skew and the "
                      "strobe's " + std::to_string(apart_ps - skew_ps) + " ps, values have 16 bits");
    const int count = __builtin_popcount(value ^ before);
    int number = 0;
    for (int pin = 0; pin < kPins; pin++) {
      if (!((value ^ before) >> pin & 1)) continue;
      const int64_t late_ps = count > 1 ? skew_ps * number++ / (count - 1) : 0;
      edges.push_back({time_ps + late_ps, static_cast<uint8_t>(kFirstPin + pin),
                       static_cast<bool>(value >> pin & 1)});
    }
    if (has_strobe) {
      edges.push_back({time_ps + skew_ps, kStrobePin, true});
      edges.push_back({time_ps + apart_ps, kStrobePin, false});
    }
    before = value;
    before_ps = time_ps;
  }
  if (!file.eof()) throw BadOption("codes: " + path + ": a line must be a time in ps and a value");
  return edges;
}

}  // namespace plexor
