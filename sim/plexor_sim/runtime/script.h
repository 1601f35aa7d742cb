// SPDX-License-Identifier: Apache-2.0
// Commands that were given to the twin before, and are given again at the same clocks.
//
// The first line is how many lines the design has said. Each other line is a core clock and the
// bytes of a command, in hexadecimal digits; without bytes the client's commands wait until then.
#pragma once

#include <cstdint>
#include <deque>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "said.h"

namespace plexor {

class Script {
 public:
  // Reads it from stdin if there is one.
  explicit Script(bool is_there) {
    std::string line;
    if (!is_there || !std::getline(std::cin, line)) return;
    said::skip(std::stoll(line));
    while (std::getline(std::cin, line)) {
      std::istringstream items(line);
      Given given;
      std::string digits;
      items >> given.clock >> digits;
      for (size_t at = 0; at + 1 < digits.size(); at += 2)
        given.bytes.push_back(static_cast<uint8_t>(std::stoul(digits.substr(at, 2), nullptr, 16)));
      given_.push_back(std::move(given));
    }
  }

  bool is_over() const { return given_.empty(); }
  // The clock of the next command, if there is one.
  int64_t clock() const { return given_.front().clock; }
  std::vector<uint8_t> take() {
    std::vector<uint8_t> bytes = std::move(given_.front().bytes);
    given_.pop_front();
    return bytes;
  }

 private:
  struct Given {
    int64_t clock = 0;
    std::vector<uint8_t> bytes;
  };
  std::deque<Given> given_;
};

}  // namespace plexor
