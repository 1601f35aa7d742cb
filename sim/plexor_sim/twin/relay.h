// SPDX-License-Identifier: Apache-2.0
// Hands a run over to the gateware, and passes on what that sends from then on.
//
// The gateware's simulator is started as a process of its own and takes all commands so far again,
// each at its clock. What it sends must begin with what the twin has sent; that is left out, the
// rest goes to the client, which notices nothing but the time. Until then the twin answers reads.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frames.h"
#include "instrument.h"
#include "link.h"
#include "options.h"
#include "rows.h"
#include "socket.h"

namespace plexor {

// Commands that a client has given, as they came.
struct Journal {
  struct Given {
    int64_t clock;  // at which its first byte comes
    std::vector<uint8_t> bytes;
  };
  std::vector<Given> given;
  uint64_t answers = 0;
};

// The command that starts the gateware's simulator; its arguments are separated by unit separators.
std::vector<std::string> words_of(const std::string& command);

// Replaces this process by it. Throws std::runtime_error.
[[noreturn]] void become(const std::vector<std::string>& command,
                         const std::vector<std::string>& options);

class Relay {
 public:
  // `options` are those of the gateware's simulator besides the ones that it needs here.
  // `line` is the device's; null: it has none.
  Relay(const Options& options, Instrument& instrument, Socket& socket, Socket* line,
        Corruption& corruption, Rows& rows, CommandReader& reader, const Journal& journal);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // Starts the simulator, and serves until the end. Returns the simulator's exit code if that
  // has ended by itself, otherwise 0.
  int run(const std::vector<std::string>& command, const std::vector<std::string>& options);

 private:
  void start(const std::vector<std::string>& command, const std::vector<std::string>& options);
  void await();
  void stay_alive();
  void hear();
  int connected_to(int port) const;
  void pass_line();
  void close_core();
  void take_commands();
  bool has_all_again() const;
  bool answers_itself(const Command& command) const;
  void receive();
  void filter(Frame& frame);
  void check(const Passed& again, const Passed& before) const;
  bool is_catching_up() const { return !has_new_; }
  void send();
  int ended();

  const Options& options_;
  Instrument& instrument_;
  Socket& socket_;
  Socket* const line_;
  Corruption& corruption_;
  Rows& rows_;
  CommandReader& reader_;
  const Journal& journal_;
  const Passed events_before_;
  const News news_before_;
  Passed events_;
  News news_;
  uint64_t answers_ = 0;
  using Clock = std::chrono::steady_clock;
  Clock::time_point alive_ = Clock::now();
  bool has_new_ = false;  // the gateware has sent what the twin had not
  int child_ = -1, lines_ = -1, core_ = -1, port_ = 0;
  int core_line_ = -1, line_port_ = 0;  // of the device's serial line
  std::string said_;
  std::vector<uint8_t> command_, to_core_;
  FrameReader frames_;
};

}  // namespace plexor
