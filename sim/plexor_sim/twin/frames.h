// SPDX-License-Identifier: Apache-2.0
// Frames on the byte stream: COBS, CRC-32, headers, and the commands of the host.
#pragma once

#include <cstdint>
#include <vector>

#include "contract.h"

namespace plexor {

struct Frame {
  uint32_t type = 0, flags = 0, tag = 0;
  uint64_t index = 0;
  int64_t base_ticks = 0;
  std::vector<uint32_t> words;
};

struct Operation {
  uint16_t address = 0;
  uint8_t code = 0, status = 0;
  uint32_t value = 0;
};

struct Command {
  uint32_t sequence = 0;
  std::vector<Operation> operations;
};

// Whether a command changes nothing.
inline bool is_read(const Command& command) {
  for (const Operation& operation : command.operations)
    if (operation.code != kOpCodeRead) return false;
  return true;
}

// Appends a frame with its sequence number as it goes over the byte stream; returns its CRC.
uint32_t append_stream(const Frame& frame, uint32_t sequence, std::vector<uint8_t>& bytes);

// Cuts the bytes of an instrument into frames.
class FrameReader {
 public:
  // Takes a byte. Returns whether it has ended a frame, which is then `frame`.
  bool take(uint8_t byte);
  Frame& frame() { return frame_; }

 private:
  std::vector<uint8_t> encoded_, decoded_;
  Frame frame_;
};

// Cuts the host's bytes into commands.
class CommandReader {
 public:
  enum class Result { kNothing, kCommand, kRejected };

  // Takes a byte. With kCommand, `command` is the one that it has ended.
  Result take(uint8_t byte);
  const Command& command() const { return command_; }
  int64_t frame_bytes() const { return frame_bytes_; }

 private:
  bool decode();

  std::vector<uint8_t> encoded_, decoded_;
  bool is_long_ = false;  // longer than any command
  int64_t bytes_ = 0;  // since the last delimiter, what no command can have too
  int64_t frame_bytes_ = 0;
  Command command_;
};

}  // namespace plexor
