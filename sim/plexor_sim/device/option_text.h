// SPDX-License-Identifier: Apache-2.0
// Parses device options, "key=value,key=value". Every function throws BadOption with a sentence.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "device.h"

namespace plexor {

[[noreturn]] inline void bad_option(const std::string& key, const std::string& value,
                                    const std::string& right) {
  throw BadOption(key + "=" + value + ": " + right);
}

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

inline std::vector<std::pair<std::string, std::string>> option_pairs(const std::string& options) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& item : split(options, ',')) {
    const size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      throw BadOption("'" + item + "': an option is key=value");
    pairs.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  return pairs;
}

inline int64_t option_integer(const std::string& key, const std::string& value, int64_t low,
                              int64_t high) {
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(value.c_str(), &end, 10);
  if (value.empty() || *end || errno || number < low || number > high)
    bad_option(key, value, "an integer from " + std::to_string(low) + " to " +
                               std::to_string(high) + " is needed");
  return number;
}

inline double option_real(const std::string& key, const std::string& value, double low,
                          double high) {
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (value.empty() || *end || !(number >= low && number <= high)) {
    std::ostringstream right;
    right << "a number from " << low << " to " << high << " is needed";
    bad_option(key, value, right.str());
  }
  return number;
}

}  // namespace plexor
