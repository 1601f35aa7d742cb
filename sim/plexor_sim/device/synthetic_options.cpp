// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "option_text.h"
#include "synthetic.h"

namespace plexor {

namespace {

constexpr const char* kKeys =
    "seed, clock_ps, phase_ps, grid_fs, load_name, load, codes, code_skew, code_strobe and, with or "
    "without chN., after, latency, load_latency, width, load_width, service, load_service, queue, overload, rest, deaf, drop, "
    "duplicate, duplicate_delay, spurious, tick, mask, gap, invert, toggle";

// Returns the number from 0 to 7 after `word` if that is all of text, else -1.
int numbered(const std::string& text, const std::string& word) {
  if (text.size() != word.size() + 1 || text.compare(0, word.size(), word) != 0) return -1;
  const char digit = text.back();
  return digit >= '0' && digit < '0' + kPins ? digit - '0' : -1;
}

After parse_after(const std::string& key, const std::string& value) {
  After after;
  if (value == "none") return after;
  const size_t fall = value.rfind("-fall");
  after.rise = fall == std::string::npos || fall + 5 != value.size();
  const std::string what = after.rise ? value : value.substr(0, fall);
  if ((after.number = numbered(what, "strike")) >= 0)
    after.source = After::Source::kStrike;
  else if ((after.number = numbered(what, "ch")) >= 0)
    after.source = After::Source::kChannel;
  else
    bad_option(key, value, "strike0 to strike7 or ch0 to ch7, either with -fall, or none");
  return after;
}

void parse_tick(ChannelOptions& channel, const std::string& key, const std::string& value) {
  const std::vector<std::string> numbers = split(value, ':');
  if (numbers.empty() || numbers.size() > 2)
    bad_option(key, value, "PERIOD or PERIOD:PHASE in ps is needed");
  channel.tick_period_ps = option_integer(key, numbers[0], 2, kMostPs);
  channel.tick_phase_ps = numbers.size() < 2 ? 0 : option_integer(key, numbers[1], 0, kMostPs);
}

void parse_mask(ChannelOptions& channel, const std::string& key, const std::string& value) {
  const std::vector<std::string> numbers = split(value, ':');
  if (numbers.size() < 2 || numbers.size() > 3)
    bad_option(key, value, "PERIOD:LENGTH or PERIOD:LENGTH:PHASE in ps is needed");
  channel.mask_period_ps = option_integer(key, numbers[0], 2, kMostPs);
  channel.mask_length_ps = option_integer(key, numbers[1], 1, channel.mask_period_ps - 1);
  channel.mask_phase_ps = numbers.size() < 3 ? 0 : option_integer(key, numbers[2], 0, kMostPs);
}

void parse_deaf(ChannelOptions& channel, const std::string& key, const std::string& value) {
  const std::vector<std::string> numbers = split(value, ':');
  if (numbers.size() != 2) bad_option(key, value, "LOW:HIGH in ps is needed");
  channel.deaf_low_ps = option_integer(key, numbers[0], 1, kMostPs);
  channel.deaf_high_ps = option_integer(key, numbers[1], channel.deaf_low_ps, kMostPs);
}

// Returns false if the key is not a channel's.
bool take(ChannelOptions& channel, const std::string& name, const std::string& key,
          const std::string& value) {
  if (name == "after") channel.after = parse_after(key, value);
  else if (name == "latency") channel.latency = Distribution::parse(key, value);
  else if (name == "load_latency") channel.load_latency = Distribution::parse(key, value);
  else if (name == "width") channel.width = Distribution::parse(key, value);
  else if (name == "load_width") channel.load_width = Distribution::parse(key, value);
  else if (name == "service") channel.service = Distribution::parse(key, value);
  else if (name == "load_service") channel.load_service = Distribution::parse(key, value);
  else if (name == "overload") channel.overload_service = Distribution::parse(key, value);
  else if (name == "rest") channel.overload_rest_ps = option_integer(key, value, 0, kMostPs);
  else if (name == "deaf") parse_deaf(channel, key, value);
  else if (name == "queue") channel.queue = option_integer(key, value, 0, 1'000'000);
  else if (name == "drop") channel.drop = option_real(key, value, 0, 1);
  else if (name == "duplicate") channel.duplicate = option_real(key, value, 0, 1);
  else if (name == "duplicate_delay") channel.duplicate_delay = Distribution::parse(key, value);
  else if (name == "spurious") channel.spurious_hz = option_real(key, value, 0, 1e9);
  else if (name == "tick") parse_tick(channel, key, value);
  else if (name == "mask") parse_mask(channel, key, value);
  else if (name == "gap") channel.gap_ps = option_integer(key, value, 1, kMostPs);
  else if (name == "invert") channel.invert = option_integer(key, value, 0, 1);
  else if (name == "toggle") channel.toggle = option_integer(key, value, 0, 1);
  else return false;
  return true;
}

bool take(SyntheticOptions& options, const std::string& key, const std::string& value) {
  if (key == "seed") options.seed = option_integer(key, value, 0, INT64_MAX);
  else if (key == "clock_ps") options.clock_ps = option_integer(key, value, 0, kMostPs);
  else if (key == "phase_ps") options.phase_ps = option_integer(key, value, 0, kMostPs);
  else if (key == "grid_fs")
    options.grid_fs = option_integer(key, value, 0, 1'000'000'000);
  else if (key == "load_name") options.load_name = value;
  else if (key == "load") options.load = value;
  else if (key == "codes") options.codes = value;
  else if (key == "code_skew") options.code_skew_ps = option_integer(key, value, 0, kMostPs);
  else if (key == "code_strobe") options.code_strobe = option_integer(key, value, 0, 1);
  else return false;
  if (options.grid_fs > 0 && options.grid_fs < 1000)
    bad_option(key, value, "0 or an integer from 1000 is needed");
  return true;
}

}  // namespace

bool ChannelOptions::draws() const {
  if (spurious_hz > 0) return true;
  if (tick_period_ps > 0 && width.draws()) return true;
  if (after.source == After::Source::kNone) return false;
  const auto maybe = [](const std::optional<Distribution>& one) { return one && one->draws(); };
  return latency.draws() || width.draws() || service.draws() || maybe(load_latency) ||
         maybe(load_width) || maybe(load_service) || maybe(overload_service) ||
         (drop > 0 && drop < 1) || (duplicate > 0 && (duplicate < 1 || duplicate_delay.draws()));
}

std::string SyntheticOptions::loaded() const {
  const bool any = std::any_of(channels.begin(), channels.end(),
                               [](const ChannelOptions& channel) { return channel.loadable(); });
  if (!any) return "";
  return load == "none" ? load : load_name;
}

SyntheticOptions SyntheticOptions::parse(const std::string& text) {
  SyntheticOptions options;
  options.channels[0].after = parse_after("after", "strike0");
  options.channels[1].after = parse_after("after", "ch0-fall");
  const auto pairs = option_pairs(text);
  // Options for every channel are taken first, so that a channel's own wins wherever it is.
  for (const auto& [key, value] : pairs) {
    if (key.find('.') != std::string::npos || take(options, key, value)) continue;
    for (ChannelOptions& channel : options.channels)
      if (!take(channel, key, key, value))
        throw BadOption("'" + key + "': the options are " + kKeys);
  }
  for (const auto& [key, value] : pairs) {
    const size_t dot = key.find('.');
    if (dot == std::string::npos) continue;
    const int number = numbered(key.substr(0, dot), "ch");
    if (number < 0 || !take(options.channels[number], key.substr(dot + 1), key, value))
      throw BadOption("'" + key + "': the options are " + kKeys);
  }
  if (!options.load.empty() && options.load != "none" && options.load != options.load_name)
    bad_option("load", options.load, "must be none or " + options.load_name + ", which load_name names");
  for (int number = 0; number < kPins; number++) {
    const After& after = options.channels[number].after;
    if (after.is(After::Source::kChannel, number, after.rise))
      bad_option("ch" + std::to_string(number) + ".after", "ch" + std::to_string(number),
                 "a channel cannot ask itself");
  }
  return options;
}

}  // namespace plexor
