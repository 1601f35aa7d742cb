// SPDX-License-Identifier: Apache-2.0
#include "front_end.h"

#include <utility>

#include "option_text.h"
#include "ribbon.h"

namespace plexor {

namespace {

constexpr int64_t kMostDelayPs = 1'000'000;

// The number behind the dot of "rise.3", below `count`.
int copy_of(const std::string& key, const std::string& value, size_t dot, int count) {
  const std::string number = key.substr(dot + 1);
  if (number.size() != 1 || number[0] < '0' || number[0] >= '0' + count)
    bad_option(key, value,
               count ? "the number after the dot must be 0 to " + std::to_string(count - 1)
                     : "this board has none");
  return number[0] - '0';
}

std::vector<int64_t> instants(const std::string& key, const std::string& value, int phases,
                              int64_t tick_fs) {
  const int64_t most_ps = (tick_fs - 1) / 1000;
  std::vector<int64_t> late_fs;
  for (const std::string& part : split(value, ':'))
    late_fs.push_back(option_integer(key, part, -most_ps, most_ps) * 1000);
  if (static_cast<int>(late_fs.size()) != phases)
    bad_option(key, value, std::to_string(phases) + " numbers are needed, one for each phase");
  for (int phase = 0; phase < phases; phase++)
    if (late_fs[(phase + 1) % phases] + tick_fs <= late_fs[phase])
      bad_option(key, value, "each instant must be later than the one before it");
  return late_fs;
}

}  // namespace

FrontEnd FrontEnd::parse(const std::string& text, int channels, int strikes, int phases,
                         int lamps, int64_t tick_fs) {
  FrontEnd made;
  made.inputs.resize(channels);
  made.output_ps.resize(strikes);
  made.back_ps.resize(strikes);
  for (int channel = 0; channel < channels; channel++) made.inputs[channel].pin = channel;
  for (const auto& [key, value] : option_pairs(text)) {
    const size_t dot = key.find('.');
    const std::string name = key.substr(0, dot);
    const auto input = [&, &key = key, &value = value]() -> Input& {
      return made.inputs[copy_of(key, value, dot, channels)];
    };
    if (dot == std::string::npos) {
      if (key == "async_fs") {
        made.async_fs = option_integer(key, value, 2'000'000, 1'000'000'000'000);
      } else if (key == "async_jitter_ps") {
        made.async_jitter_ps = option_integer(key, value, 0, 1'000'000);
      } else if (key == "async_seed") {
        made.async_seed = option_integer(key, value, 0, INT64_MAX);
      } else if (key == "ribbon") {
        ribbon_wires(key, value);  // they are the device's: ribbon.h
      } else if (key == "swap") {
        const std::vector<std::string> pair = split(value, ':');
        if (pair.size() != 2) bad_option(key, value, "A:B is needed, two channels");
        const int64_t one = option_integer(key, pair[0], 0, channels - 1);
        const int64_t other = option_integer(key, pair[1], 0, channels - 1);
        std::swap(made.inputs[one].pin, made.inputs[other].pin);
      } else {
        throw BadOption("'" + key + "': no such option of the front-end");
      }
    } else if (name == "rise") {
      input().rise_fs = instants(key, value, phases, tick_fs);
    } else if (name == "fall") {
      input().fall_fs = instants(key, value, phases, tick_fs);
    } else if (name == "input_ps") {
      input().input_ps = option_integer(key, value, 0, kMostDelayPs);
    } else if (name == "loop_ps") {
      input().loop_ps = option_integer(key, value, 0, kMostDelayPs);
    } else if (name == "wire_ps") {
      input().wire_ps = option_integer(key, value, 0, kMostDelayPs);
    } else if (name == "jumper") {
      input().jumper = static_cast<int>(option_integer(key, value, 0, strikes - 1));
    } else if (name == "output_ps" || name == "back_ps") {
      std::vector<int64_t>& ways = name == "back_ps" ? made.back_ps : made.output_ps;
      ways[copy_of(key, value, dot, strikes)] = option_integer(key, value, 0, kMostDelayPs);
    } else if (name == "stuck") {
      input().stuck = static_cast<int>(option_integer(key, value, 0, 1));
    } else if (name == "lamp") {
      const uint32_t pad = 1u << copy_of(key, value, dot, lamps);
      (option_integer(key, value, 0, 1) ? made.lamps_high : made.lamps_low) |= pad;
    } else if (name == "dead") {
      input().dead |= 1u << option_integer(key, value, 0, phases - 1);
    } else if (name == "exchange") {
      input().exchanged |= 1u << option_integer(key, value, 0, phases - 2);
    } else {
      throw BadOption("'" + key + "': no such option of the front-end");
    }
  }
  for (Input& input : made.inputs) {
    if (input.rise_fs.empty()) input.rise_fs.assign(phases, 0);
    if (input.fall_fs.empty()) input.fall_fs = input.rise_fs;
  }
  return made;
}

}  // namespace plexor
