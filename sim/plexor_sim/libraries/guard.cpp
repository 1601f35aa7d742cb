// SPDX-License-Identifier: Apache-2.0
#include "guard.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "program.h"
#include "said.h"

namespace plexor::guard {

State g_state;

namespace {

constexpr int kFailed = 3;  // as of program.h
constexpr auto kTick = std::chrono::milliseconds(50);
constexpr int kTicksOfSecond = 20, kTicksToStop = 4;
constexpr size_t kStackBytes = 64 << 10;
constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

int g_errors = STDERR_FILENO;

bool is_in_call() { return g_state.calls.load(std::memory_order_acquire) & 1; }

const char* why_of(int signal) {
  switch (signal) {
    case SIGSEGV: return ": it used an address that is not its own";
    case SIGBUS: return ": it used an address that does not exist";
    case SIGFPE: return ": it divided by zero, or the like";
    case SIGILL: return ": it came to an instruction that does not exist";
    default: return ": it aborted";
  }
}

// Says a line and ends the process: what happened in the call, and more. Only what a signal handler
// may call is used.
[[noreturn]] void end(const char* what, const char* more) {
  char line[1024];
  const long long ps = g_state.now_ps;
  const int bytes = std::snprintf(line, sizeof line, "error: %s: %s %s at %lld.%06lld us%s\n",
                                  g_state.file, what, g_state.call, ps / 1'000'000, ps % 1'000'000,
                                  more);
  if (write(g_errors, line, static_cast<size_t>(bytes)) < 0) _exit(kFailed);
  _exit(kFailed);
}

void crashed(int signal) {
  if (is_in_call()) end("has crashed in", why_of(signal));
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void exited() {
  if (is_in_call()) end("has called exit in", "");
}

void watch(int64_t patience_s) {
  char late[128];
  std::snprintf(late, sizeof late,
                " for %lld s; the device option patience=SECONDS waits longer",
                static_cast<long long>(patience_s));
  uint64_t seen = 0;
  // Ticks are counted, not seconds: while the process is stopped, none pass.
  for (int64_t ticks = 0;; ticks++) {
    std::this_thread::sleep_for(kTick);
    const uint64_t calls = g_state.calls.load(std::memory_order_acquire);
    if (calls != seen || !(calls & 1)) ticks = 0;
    seen = calls;
    if (ticks >= kTicksToStop && g_stop) end("was stopped in", ", which did not return");
    if (ticks >= patience_s * kTicksOfSecond) end("has not returned from", late);
  }
}

}  // namespace

void start(int64_t patience_s) {
  static bool is_started = false;
  if (is_started) return;
  is_started = true;
  g_errors = said::errors();
  // A stack of its own, for a device that has used up the other one.
  static char stack[kStackBytes];
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = crashed;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : kCrashes) sigaction(signal, &action, nullptr);
  if (std::atexit(exited)) throw std::runtime_error("device: its calls cannot be watched");
  // Signals to the process are the main thread's, whose waits they end.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(watch, patience_s).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace plexor::guard
