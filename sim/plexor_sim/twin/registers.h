// SPDX-License-Identifier: Apache-2.0
// The register map: which words there are in a build, who may write them, and what they hold.
#pragma once

#include <cstdint>
#include <vector>

#include "contract.h"
#include "geometry.h"

namespace plexor {

class Registers {
 public:
  explicit Registers(const Geometry& geometry);

  // The value of a register in one copy of its block; one that the build lacks reads 0.
  int64_t get(Reg reg, int copy = 0) const;
  void set(Reg reg, uint64_t value, int copy = 0);

  bool has(uint16_t address) const { return address < kRegisterWords && words_[address].word; }
  Access access(uint16_t address) const { return words_[address].word->access; }
  uint32_t read(uint16_t address) const { return words_[address].value; }
  void write(uint16_t address, uint32_t value) {
    words_[address].value = value & words_[address].word->mask;
  }

 private:
  struct Place {
    const Word* word = nullptr;  // none: there is no register word at this address
    uint32_t value = 0;
  };

  static bool is_built(const Geometry& geometry, const Word& word);

  std::vector<Place> words_;
};

}  // namespace plexor
