// SPDX-License-Identifier: Apache-2.0
// The simulator's command line; ../serve.py declares and explains what a user may give.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace plexor {

// A wrong command line. The text says which option is wrong and what would be right.
struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string device;               // --device
  std::string front_end;            // --front-end
  std::string truth, trace_pins;    // paths; empty: none
  std::string figures;              // path; empty: none
  double stall = 0;                 // chance that the link is not ready in a clock, both ways
  uint64_t stall_seed = 1;
  double corrupt = 0;               // chance that a byte to the client comes with a wrong bit
  uint64_t corrupt_seed = 1;
  bool stall_full = false;          // the instrument's bytes are never taken
  int buffer_bytes = 0;             // on the way to a client that does not read; 0: megabytes
  double linger_s = 0;              // simulation goes on this long after a client has gone
  bool once = false;                // ends with its first client
  bool free = false;                // time passes between runs and without a client too
  bool no_skip = false;             // evaluate every clock
  bool prove = false;               // show of each skip that it is as if it had been evaluated
  int64_t pace_ps = 0;              // how far a run goes on after each frame; 0: freely
  int64_t max_cycles = 0;           // 0: no limit
  int uart_divisor = 8;             // core clocks a bit
  bool no_preamble = false;         // a UART's line is left to the client from its first byte on
  bool script = false;              // commands that were given before come on stdin
  int64_t parent = 0;               // ends when this process is not the parent any more
  std::vector<int64_t> gate;        // core clocks at which the gate input changes
  std::vector<int64_t> clock_lost;  // the same of clock_lost
  std::vector<int64_t> uart_low;    // the same of what pulls a UART's line to the instrument low
};

// Throws Usage.
Options parse(int count, char** arguments);

}  // namespace plexor
