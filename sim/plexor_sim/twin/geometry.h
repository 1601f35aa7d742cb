// SPDX-License-Identifier: Apache-2.0
// The parameters of the emulated build, as contract.py writes them.
#pragma once

#include <cstdint>
#include <string>

#include "contract.h"

namespace plexor {

struct Geometry {
  int64_t channels = 0, strikes = 0, samples = 0, tick_fs = 0;
  int64_t latency_mantissa_bits = 0, fall_mantissa_bits = 0, interval_mantissa_bits = 0;
  int64_t zoom_bits = 0, queue_depth = 0, word_fifo_depth = 0, upload_depth = 0, ring_depth = 0;
  int64_t phases = 0, deep_depth = 0, table_steps = 0, code_bits = 0, timecode_bits = 0;
  int64_t lamps = 0, key_bits = 0, features = 0, indexed = 0, sources = 0;
  uint64_t board = 0, gateware_hash = 0, build_id = 0;
  int64_t entries[kSpaces] = {}, words[kSpaces] = {}, banks[kSpaces] = {};

  bool has(uint32_t feature) const { return features & feature; }
  bool has_source(int source) const { return sources >> source & 1; }
  int64_t clock_of(int64_t tick) const { return tick / samples; }

  // The bits of a key's bins.
  int bin_bits(uint32_t space, uint32_t kind) const;
  // The number of a key's first bin in its space.
  int64_t first_bin(uint32_t space, uint32_t kind, int channel) const;
  int64_t mantissa_bits(uint32_t space, uint32_t kind) const;
  // Places of the memory of all bins with Feature.SNAPSHOT; see docs/instrument.md, "Start".
  int64_t bin_places() const;

  // Throws Usage.
  static Geometry parse(const std::string& text);
};

}  // namespace plexor
