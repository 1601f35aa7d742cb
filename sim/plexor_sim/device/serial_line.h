// SPDX-License-Identifier: Apache-2.0
// The far end of a device's serial line: 8 data bits, no parity, 1 stop bit, in exact picoseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "device.h"

namespace plexor {

class SerialLine {
 public:
  // Bytes to the device begin `delay_ps` after they are sent.
  SerialLine(int64_t baud, int64_t delay_ps) : baud_(baud), delay_ps_(delay_ps) {}

  int64_t byte_ps() const { return bits_ps(kBits); }

  // Sends a byte, behind those under way; returns the end of its stop bit.
  int64_t send(int64_t time_ps, uint8_t byte) {
    const int64_t begin_ps = std::max(time_ps + delay_ps_, free_ps_);
    bool before = true;
    for (int bit = 0; bit < kBits; bit++) {
      const bool level = bit == 0 ? false : bit == kBits - 1 || (byte >> (bit - 1) & 1);
      if (level != before) levels_.push_back({begin_ps + bits_ps(bit), level});
      before = level;
    }
    return free_ps_ = begin_ps + byte_ps();
  }

  // The next change of the line to the device.
  int64_t next_ps() const { return levels_.empty() ? INT64_MAX : levels_.front().time_ps; }

  // Takes that change.
  bool take() {
    const bool level = levels_.front().level;
    levels_.pop_front();
    return level;
  }

  // The level of the line from the device, from a time on; times rise.
  void hear(int64_t time_ps, bool level) {
    hear_until(time_ps);
    if (level_ && !level && !heard_bits_) {
      began_ps_ = time_ps;
      heard_bits_ = 1;
      heard_ = 0;
    }
    level_ = level;
  }

  // Reads the middles of the bits before a time.
  void hear_until(int64_t time_ps) {
    for (; heard_bits_ && middle_ps() < time_ps; heard_bits_++) {
      if (heard_bits_ == kBits) {
        if (level_) bytes_.push_back({middle_ps(), heard_});
        heard_bits_ = 0;
        return;
      }
      if (heard_bits_ > 1) heard_ = static_cast<uint8_t>(heard_ >> 1 | level_ << 7);
    }
  }

  // Takes the bytes that the device has sent.
  void taken(std::vector<SerialByte>& bytes) {
    bytes.insert(bytes.end(), bytes_.begin(), bytes_.end());
    bytes_.clear();
  }

 private:
  static constexpr int kBits = 10;
  static constexpr int64_t kSecondPs = 1'000'000'000'000;

  struct Level {
    int64_t time_ps;
    bool level;
  };

  int64_t bits_ps(int64_t bits) const { return bits * kSecondPs / baud_; }
  int64_t middle_ps() const {
    return began_ps_ + (2 * heard_bits_ - 1) * kSecondPs / (2 * baud_);
  }

  const int64_t baud_, delay_ps_;
  int64_t free_ps_ = 0;
  std::deque<Level> levels_;
  bool level_ = true;
  int64_t began_ps_ = 0;
  int heard_bits_ = 0;  // the bit whose middle comes next, from 1; 0: no byte has begun
  uint8_t heard_ = 0;
  std::vector<SerialByte> bytes_;
};

}  // namespace plexor
