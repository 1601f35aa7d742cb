// SPDX-License-Identifier: Apache-2.0
// Wires from the pins of the timecode to those of the code port, in place of the device's.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device.h"
#include "option_text.h"

namespace plexor {

// The device with these wires: its own codes go nowhere, and it sees the timecode as before.
class Ribbon final : public Device {
 public:
  // `wires` has the pin of the timecode that each pin of the code port is wired to; -1: none.
  Ribbon(std::unique_ptr<Device> device, std::vector<int> wires)
      : device_(std::move(device)), wires_(std::move(wires)) {}

  void input(int64_t time_ps, uint32_t strikes, bool load) override {
    device_->input(time_ps, strikes, load);
  }
  bool restart(uint32_t strikes) override { return device_->restart(strikes); }
  int64_t serial_answer_ps() const override { return device_->serial_answer_ps(); }
  int64_t serial(int64_t time_ps, uint8_t byte) override { return device_->serial(time_ps, byte); }
  void serial_sent(std::vector<SerialByte>& bytes) override { device_->serial_sent(bytes); }
  bool draws() const override { return device_->draws(); }
  Load load() const override { return device_->load(); }
  uint32_t initial_levels() const override { return device_->initial_levels() & (kCodes - 1); }

  void timecode(int64_t time_ps, uint32_t pins) override {
    device_->timecode(time_ps, pins);
    for (size_t n = 0; n < wires_.size(); n++) {
      const bool level = wires_[n] >= 0 && pins >> wires_[n] & 1;
      if (level == (levels_ >> n & 1)) continue;
      levels_ ^= 1u << n;
      edges_.push_back({time_ps, static_cast<uint8_t>(kFirstCode + n), level});
    }
  }

  void advance(int64_t to_ps, std::vector<Edge>& edges) override {
    const auto own = static_cast<std::ptrdiff_t>(edges.size());
    device_->advance(to_ps, edges);
    const auto is_code = [](const Edge& edge) { return edge.channel >= kFirstCode; };
    edges.erase(std::remove_if(edges.begin() + own, edges.end(), is_code), edges.end());
    for (; !edges_.empty() && edges_.front().time_ps < to_ps; edges_.pop_front())
      edges.push_back(edges_.front());
    std::stable_sort(edges.begin() + own, edges.end(),
                     [](const Edge& a, const Edge& b) { return a.time_ps < b.time_ps; });
  }

  int64_t quiet_until_ps() const override {
    const int64_t quiet_ps = device_->quiet_until_ps();
    return edges_.empty() ? quiet_ps : std::min(quiet_ps, edges_.front().time_ps);
  }

 private:
  static constexpr int kFirstCode = 8;
  static constexpr uint32_t kCodes = 1u << kFirstCode;

  const std::unique_ptr<Device> device_;
  const std::vector<int> wires_;
  uint32_t levels_ = 0;
  std::deque<Edge> edges_;
};

// The option's value: "T:T:...", by the pins of the code port in their order. Throws BadOption.
inline std::vector<int> ribbon_wires(const std::string& key, const std::string& value) {
  std::vector<int> wires;
  for (const std::string& pin : split(value, ':'))
    wires.push_back(static_cast<int>(option_integer(key, pin, -1, 15)));
  if (wires.size() > 16) bad_option(key, value, "at most 16 pins, one for each pin of the port");
  return wires;
}

// The device as the front-end's options wire it.
inline std::unique_ptr<Device> wired(std::unique_ptr<Device> device, const std::string& front_end) {
  for (const auto& [key, value] : option_pairs(front_end))
    if (key == "ribbon") return std::make_unique<Ribbon>(std::move(device), ribbon_wires(key, value));
  return device;
}

}  // namespace plexor
