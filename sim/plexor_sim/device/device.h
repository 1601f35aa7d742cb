// SPDX-License-Identifier: Apache-2.0
// The interface between the simulated instrument and a device under test.
// Time is absolute picoseconds. Pins are bit masks; bit n of an output mask is that of Edge.channel n.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace plexor {

struct Edge {
  int64_t time_ps;
  uint8_t channel;  // response channel, 0 to 7; code pin n is 8 + n, n from 0 to 15
  bool level;       // the level from time_ps on
};

// A byte that a device has sent on its serial line.
struct SerialByte {
  int64_t time_ps;  // it has come by then
  uint8_t byte;
};

// The background load of a device.
struct Load {
  std::string name;     // none: it could run one, and runs none; empty: it has nothing that could load it
  bool always = false;  // it runs whatever the load input's level is
};

// A device option that cannot be used. The text has the option, its value and what would be right.
struct BadOption : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Device {
 public:
  virtual ~Device() = default;

  // Sets the input pins from time_ps on: bit k of `strikes` is strike output k; `load` requests the
  // background load. Times of calls increase, and are not before a time already advanced to.
  virtual void input(int64_t time_ps, uint32_t strikes, bool load) = 0;

  // Starts again with other strikes, as if these had stood from the beginning, and runs up to where
  // it was. Called before the first strike. Returns false if it cannot; then they are an input.
  virtual bool restart(uint32_t /*strikes*/) { return false; }

  // Sets the timecode's pins from time_ps on. Times as those of `input`. The default takes no notice.
  virtual void timecode(int64_t /*time_ps*/, uint32_t /*pins*/) {}

  // How long the device's serial line may be quiet between a byte and the device's answer to it; 0:
  // it has no line.
  virtual int64_t serial_answer_ps() const { return 0; }

  // Sends a byte to the device, on the line as soon as that is free. Times as those of `input`.
  // Returns when it has arrived.
  virtual int64_t serial(int64_t time_ps, uint8_t /*byte*/) { return time_ps; }

  // Appends the bytes that the device has sent and nobody has taken, oldest first.
  virtual void serial_sent(std::vector<SerialByte>& /*bytes*/) {}

  // Runs up to, but not including, to_ps; appends each output edge, oldest first. An edge's time is
  // in [previous to_ps, to_ps). An input at time t may cause an output at t or later.
  virtual void advance(int64_t to_ps, std::vector<Edge>& edges) = 0;

  // There is no output edge before this time unless `input` or the like is called, so `advance` need not be
  // called until then. The default promises nothing.
  virtual int64_t quiet_until_ps() const { return INT64_MIN; }

  // Whether it draws at random. If not, it always answers the same inputs in the same way.
  virtual bool draws() const { return false; }

  // The load that it runs while the load input is high, or always.
  virtual Load load() const { return {}; }

  // Idle levels of the output pins before the first edge.
  virtual uint32_t initial_levels() const { return 0; }
};

// Defined once by each device's translation unit. `options` is "key=value,key=value"; unknown keys
// and values out of range throw BadOption.
std::unique_ptr<Device> make_device(const std::string& options);

}  // namespace plexor
