// SPDX-License-Identifier: Apache-2.0
// Watches calls into foreign code. A crash in one, an end of the process, and a call that does not
// return end the simulation with one line; so does a signal to stop during such a call.
#pragma once

#include <atomic>
#include <cstdint>

namespace plexor::guard {

// What the process is doing, as the watching thread and signal handlers read it.
struct State {
  std::atomic<uint64_t> calls{0};  // odd: in one
  const char* volatile file = "";  // whose code is called
  const char* volatile call = "";
  volatile int64_t now_ps = 0;
};

extern State g_state;

// Begins to watch, once. A call may last so long.
void start(int64_t patience_s);

// A call, while this object lives.
class Call {
 public:
  Call(const char* file, const char* call, int64_t now_ps) {
    g_state.file = file;
    g_state.call = call;
    g_state.now_ps = now_ps;
    step();
  }
  ~Call() { step(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  // Only this thread writes it.
  static void step() {
    g_state.calls.store(g_state.calls.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
};

}  // namespace plexor::guard
