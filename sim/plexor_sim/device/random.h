// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every platform, because only integers are used.
//
// xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS
// 47(4), 2021), its state filled by splitmix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014).
#pragma once

#include <cstdint>

namespace plexor {

inline uint64_t splitmix64(uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

class Random {
 public:
  // Stream n of a seed. The four words are splitmix64 outputs from (its first output for the seed)
  // + n. Streams are independent, so an additional draw in one does not change another.
  Random(uint64_t seed, uint64_t stream) {
    uint64_t state = splitmix64(seed) + stream;
    for (uint64_t& word : words_) word = splitmix64(state);
  }

  uint64_t next() {
    const uint64_t result = rotate(words_[1] * 5, 7) * 9;
    const uint64_t shifted = words_[1] << 17;
    words_[2] ^= words_[0];
    words_[3] ^= words_[1];
    words_[1] ^= words_[2];
    words_[0] ^= words_[3];
    words_[2] ^= shifted;
    words_[3] = rotate(words_[3], 45);
    return result;
  }

  // Uniform in 0 to count - 1: the high half of a product. Its bias is below count / 2**64.
  uint64_t below(uint64_t count) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(next()) * count >> 64);
  }

  // Uniform in [0, 1): 53 bits, exact.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static uint64_t rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

  uint64_t words_[4];
};

}  // namespace plexor
