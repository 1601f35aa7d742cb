// SPDX-License-Identifier: Apache-2.0
// Rows of bytes, as plexor.protocol.rows has them: what a host's bytes are, and what to send.
#pragma once

#include <cstdint>

namespace plexor {

class Rows {
 public:
  // Takes a byte of the host. Returns whether it gives a byte of the stream, which is then `byte`.
  bool take(uint8_t value) {
    const bool is_inside = row_ && value >> 4 == row_;
    const bool gives = !is_inside || is_half_;
    if (is_inside)
      byte_ = static_cast<uint8_t>(last_ << 4 | (value & 15));
    else
      byte_ = row_ ? 0 : value;
    is_half_ = !gives;
    const bool goes_on = rising_ && value == last_ + 1 && (value & 15);
    rising_ = goes_on ? rising_ + 1 : (value & 15) == 0 && value != 0;
    last_ = value;
    if (!value) row_ = 0;
    if (rising_ == 16) row_ = value >> 4;
    return gives;
  }

  uint8_t byte() const { return byte_; }

  // Whether a byte of the host ends a frame.
  bool ends(uint8_t value) const { return row_ ? value >> 4 != row_ : !value; }

  // Sets the one or two values as which a byte of the stream is sent, and returns how many.
  int put(uint8_t byte, uint8_t (&values)[2]) const {
    const auto inside = [this](int half) { return static_cast<uint8_t>(row_ << 4 | (half & 15)); };
    values[0] = byte;
    if (!row_) return 1;
    values[0] = static_cast<uint8_t>((row_ ^ 1) << 4 | 15);
    if (!byte) return 1;
    values[0] = inside(byte >> 4);
    values[1] = inside(byte);
    return 2;
  }

 private:
  int row_ = 0;     // 0: bytes go as they are
  int rising_ = 0;  // values of a row so far, from its first one
  bool is_half_ = false;
  uint8_t last_ = 0, byte_ = 0;
};

}  // namespace plexor
