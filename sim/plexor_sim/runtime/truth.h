// SPDX-License-Identifier: Apache-2.0
// The truth: every edge of every pin in ps, before the instrument saw it.
//
// --truth FILE holds records of 16 bytes, little-endian: int64 time_ps, uint8 source as in
// plexor.protocol.frames (channels from 0, strikes from 8, load 16) or, from 32, a code pin,
// uint8 level of the pin, six zero bytes. They are ordered by time; at the same time strikes come first, then channels, then
// the load, then code pins. Strikes and load start low. So do channels; one that starts high has no record of that.
// --trace-pins FILE holds the same as a VCD with a time scale of 1 ps.
#pragma once

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace plexor {

// A file that cannot be written. The text has its path and the reason.
struct CannotWrite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr uint8_t kSourceStrike = 8;
constexpr uint8_t kSourceLoad = 16;
constexpr int kFirstCodePin = 8;        // Edge.channel of code pin 0
constexpr uint8_t kSourceCodePin = 32;  // code pin n is 32 + n

class EdgeLog {
 public:
  // Either path may be empty. This and every function that writes throws CannotWrite.
  EdgeLog(const std::string& truth_path, const std::string& vcd_path);
  ~EdgeLog();
  EdgeLog(const EdgeLog&) = delete;
  EdgeLog& operator=(const EdgeLog&) = delete;

  void start(int channels, int strikes, int codes, uint32_t initial_levels);
  void input(int64_t time_ps, uint8_t source, bool level) {
    if (on_) inputs_.push_back({time_ps, source, level});
  }
  void response(int64_t time_ps, uint8_t source, bool level) {
    if (on_) responses_.push_back({time_ps, source, level});
  }
  // Writes what was logged since. Edges that are logged later must not be earlier than these.
  void flush() {
    if (on_ && !(inputs_.empty() && responses_.empty())) write();
  }
  // Hands everything to the operating system, so that readers see it.
  void sync();
  // Writes the rest; nothing may be logged afterwards. Without it, the rest may be lost silently.
  void close();

 private:
  struct Entry {
    int64_t time_ps;
    uint8_t source;
    bool level;
  };

  void write();
  void write(const Entry& entry);
  void check() const;

  const std::string truth_path_, vcd_path_;
  std::FILE* truth_ = nullptr;
  std::FILE* vcd_ = nullptr;
  bool on_ = false;
  int64_t vcd_ps_ = 0;
  std::vector<Entry> inputs_, responses_;
};

}  // namespace plexor
