// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace plexor {

namespace {

constexpr int64_t kLeastPacePs = 20'000'000;  // in which a command is answered

int64_t integer(const std::string& name, const std::string& text, int64_t low, int64_t high) {
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno || value < low || value > high)
    throw Usage(name + " " + text + ": an integer from " + std::to_string(low) + " to " +
                std::to_string(high) + " is needed");
  return value;
}

double real(const std::string& name, const std::string& text, double high) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !(value >= 0 && value <= high)) {
    std::ostringstream sentence;
    sentence << name << " " << text << ": a number from 0 to " << high << " is needed";
    throw Usage(sentence.str());
  }
  return value;
}

// Reads P,SEED.
void take_chance(const std::string& name, const std::string& text, double& chance, uint64_t& seed,
                 const std::string& needed = "P,SEED") {
  const size_t comma = text.find(',');
  if (comma == std::string::npos) throw Usage(name + " " + text + ": " + needed + " is needed");
  chance = real(name, text.substr(0, comma), 0.999);
  seed = integer(name, text.substr(comma + 1), 0, std::numeric_limits<int64_t>::max());
}

void take_stall(Options& options, const std::string& text) {
  options.stall_full = text == "full";
  if (!options.stall_full)
    take_chance("--stall", text, options.stall, options.stall_seed, "P,SEED or full");
}

// Reads N,N,...: rising core clocks.
void take_clocks(const std::string& name, const std::string& text, std::vector<int64_t>& clocks) {
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    const int64_t least = clocks.empty() ? 0 : clocks.back() + 1;
    clocks.push_back(integer(name, item, least, std::numeric_limits<int64_t>::max()));
  }
}

}  // namespace

Options parse(int count, char** arguments) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Options options;
  for (int i = 1; i < count; i++) {
    const std::string name = arguments[i];
    const auto value = [&]() -> std::string {
      if (++i == count) throw Usage(name + ": needs a value");
      return arguments[i];
    };
    if (name == "--once") options.once = true;
    else if (name == "--free") options.free = true;
    else if (name == "--no-skip") options.no_skip = true;
    else if (name == "--prove") options.prove = true;
    else if (name == "--device") options.device = value();
    else if (name == "--front-end") options.front_end = value();
    else if (name == "--truth") options.truth = value();
    else if (name == "--trace-pins") options.trace_pins = value();
    else if (name == "--figures") options.figures = value();
    else if (name == "--stall") take_stall(options, value());
    else if (name == "--corrupt")
      take_chance(name, value(), options.corrupt, options.corrupt_seed);
    else if (name == "--gate") take_clocks(name, value(), options.gate);
    else if (name == "--uart-low") take_clocks(name, value(), options.uart_low);
    else if (name == "--clock-lost") take_clocks(name, value(), options.clock_lost);
    else if (name == "--linger") options.linger_s = real(name, value(), 1e9);
    else if (name == "--pace")
      options.pace_ps = integer(name, value(), kLeastPacePs, 1'000'000'000'000);
    else if (name == "--max-cycles") options.max_cycles = integer(name, value(), 1, kMost);
    else if (name == "--buffer")
      options.buffer_bytes = static_cast<int>(integer(name, value(), 1, 1 << 30));
    else if (name == "--uart-divisor")
      options.uart_divisor = static_cast<int>(integer(name, value(), 4, 65535));
    else if (name == "--no-preamble") options.no_preamble = true;
    else if (name == "--script") options.script = true;
    else if (name == "--parent") options.parent = integer(name, value(), 1, kMost);
    else throw Usage(name + ": no such option; `plexor board sim --help` names them");
  }
  if (options.pace_ps && options.free)
    throw Usage("--pace: time cannot pass freely too; leave out --free");
  return options;
}

}  // namespace plexor
