// Codes that a file plants on the code pins: lines "time_ps value", times rising.
//
// Of the bits that a line changes, the lowest changes at its time and the highest `skew_ps` later;
// those between are spread evenly. A line comes more than `skew_ps` after the one before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device.h"

namespace plexor {

// Returns the edges of the code pins, in time order. Throws BadOption.
std::vector<Edge> planted_codes(const std::string& path, int64_t skew_ps);

}  // namespace plexor
