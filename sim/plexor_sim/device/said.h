// SPDX-License-Identifier: Apache-2.0
// What a design in Verilog says and reads: its $display and the like, how it ends, and its files.
//
// Each line goes to stderr with the simulated time, as "design at 1.250000 us: text". After the
// first kLines lines only a count is kept, which is said at the end; a file may keep all of them.
// Other bytes than printable ASCII are escaped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plexor::said {

// Beyond these lines, others are counted and not shown.
constexpr int64_t kLines = 20;

// From now on stdout and stderr are the design's. The returned descriptor is the old stderr.
int take_over();

// The design's time in ps is at `now_ps`. All lines also go to the file `path`, if it is not empty.
// With `is_timed`, the design runs in coroutines, which no exception may leave: its end is kept for
// `check`. Throws BadOption.
void begin(const int64_t* now_ps, const std::string& path, bool is_timed);
// The design is being replayed: its lines were said before.
void replay(bool is_replayed);
// How many lines have been said so far; and another process has said the first ones of this one.
int64_t lines();
void skip(int64_t lines);
// Throws std::runtime_error if the design has ended the simulation.
void check();

// Says what was left out. To be called once, before the process ends.
void finish();
// The old stderr.
int errors();
// Writes a line to it.
void error(const std::string& line);

// For Verilator's run time.
inline const std::string kError = "%Error: ", kFatal = "%Fatal: ";  // its marks
// Says a line of the design.
void say(const std::string& line);
// The design ends the simulation.
void ended(const std::string& what);
// It ends the process, because nothing can go on.
[[noreturn]] void fatal(const std::string& what);
// Mark and place of the last $error or $fatal, once.
std::string failed();

// Paths of all files that the process has opened for reading, in this order, each once.
const std::vector<std::string>& reads();

}  // namespace plexor::said
