// SPDX-License-Identifier: Apache-2.0
// Words of W samples inside a Verilated port, which is an integer of up to 64 bits or an array of
// 32-bit words. W divides 32, so no word spans two words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "verilated.h"

namespace plexor {

template <int W, typename Port>
uint32_t word_of(const Port& port, int index) {
  constexpr uint32_t mask = (1u << W) - 1;
  const int bit = index * W;
  if constexpr (std::is_integral_v<Port>)
    return static_cast<uint32_t>(port >> bit) & mask;
  else
    return port.at(bit / 32) >> bit % 32 & mask;
}

template <int W, typename Port>
void set_word(Port& port, int index, uint32_t samples) {
  constexpr uint32_t mask = (1u << W) - 1;
  const int bit = index * W;
  if constexpr (std::is_integral_v<Port>)
    port = static_cast<Port>((port & ~(static_cast<uint64_t>(mask) << bit)) |
                             static_cast<uint64_t>(samples) << bit);
  else
    port.at(bit / 32) = (port.at(bit / 32) & ~(mask << bit % 32)) | samples << bit % 32;
}

template <typename Port>
bool same(const Port& a, const Port& b) {
  if constexpr (std::is_integral_v<Port>) {
    return a == b;
  } else {
    uint32_t difference = 0;
    for (size_t i = 0; i < sizeof(Port) / sizeof(uint32_t); i++) difference |= a.at(i) ^ b.at(i);
    return difference == 0;
  }
}

}  // namespace plexor
