// SPDX-License-Identifier: Apache-2.0
// Codes that a file plants on the code pins: lines "time_ps value", times rising.
//
// Of the bits that a line changes, the lowest changes at its time and the highest `skew_ps` later;
// those between are spread evenly. A line comes more than `skew_ps` after the one before. With a
// strobe, pin 7 also rises with the last bit of each line, and falls `kStrobePs` later; a line comes
// that much later than without.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device.h"

namespace plexor {

constexpr int64_t kStrobePs = 1000;

// Returns the edges of the code pins and of the strobe, in time order. Throws BadOption.
std::vector<Edge> planted_codes(const std::string& path, int64_t skew_ps, bool has_strobe);

}  // namespace plexor
