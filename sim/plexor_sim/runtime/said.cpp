// SPDX-License-Identifier: Apache-2.0
#include "said.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "option_text.h"

namespace plexor::said {

namespace {

constexpr size_t kLongest = 1000;  // bytes of a line that are shown

struct State {
  int errors = STDERR_FILENO;
  const int64_t* now_ps = nullptr;
  std::FILE* kept = nullptr;
  bool is_timed = false, is_replayed = false;
  std::string part;   // of a line that has no end yet
  int64_t lines = 0;    // said so far
  int64_t skipped = 0;  // of them, not shown again
  std::string failed;  // mark and place of the last $error or $fatal
  std::string end;     // why the design has ended the simulation
  std::vector<std::string> reads;
};

State& state() {
  static State the;
  return the;
}

void write_all(int file, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count <= 0) return;
    done += static_cast<size_t>(count);
  }
}

std::string printable(const std::string& text) {
  std::string shown;
  for (const char character : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(character);
    char code[8];
    std::snprintf(code, sizeof code, byte >= ' ' && byte <= '~' ? "%c" : "\\x%02x", byte);
    shown += byte == '\t' ? " " : code;
  }
  return text.size() > kLongest ? shown + " ..." : shown;
}

std::string time_text() {
  if (!state().now_ps) return "design: ";
  const int64_t ps = *state().now_ps, size = std::llabs(ps);
  char text[64];
  std::snprintf(text, sizeof text, "design at %s%lld.%06lld us: ", ps < 0 ? "-" : "",
                static_cast<long long>(size / 1'000'000), static_cast<long long>(size % 1'000'000));
  return text;
}

// Remembers the place of an $error or $fatal: Verilator then calls for a stop, as after $stop.
void note_failure(const std::string& line) {
  State& now = state();
  for (const std::string& mark : {kError, kFatal}) {
    const size_t found = line.find(mark);
    if (found == std::string::npos) continue;
    const size_t from = found + mark.size(), end = line.find(": ", from);
    now.failed = mark + line.substr(from, end == std::string::npos ? end : end - from);
    return;
  }
}

ssize_t take(void*, const char* text, size_t size) {
  std::string& part = state().part;
  for (size_t i = 0; i < size; i++) {
    if (text[i] != '\n') {
      part += text[i];
      continue;
    }
    std::string line;
    line.swap(part);
    say(line);
  }
  return static_cast<ssize_t>(size);
}

std::FILE* stream() {
  std::FILE* file = fopencookie(nullptr, "w", {nullptr, take, nullptr, nullptr});
  if (file) std::setvbuf(file, nullptr, _IONBF, 0);
  return file;
}

}  // namespace

void say(const std::string& line) {
  State& now = state();
  note_failure(line);
  if (now.is_replayed || !now.end.empty()) return;
  // Verilator begins an $error with the design's own time.
  const size_t own = line.rfind('[', 0) == 0 ? line.find("] %") : std::string::npos;
  const std::string shown = own == std::string::npos ? line : line.substr(own + 2);
  const std::string text = time_text() + printable(shown) + "\n";
  if (now.kept) std::fputs(text.c_str(), now.kept);
  if (now.lines++ < kLines && now.lines > now.skipped) write_all(now.errors, text);
}

int take_over() {
  State& now = state();
  now.errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  std::FILE* file = stream();
  if (now.errors < 0 || !file) throw std::runtime_error("stderr: cannot be taken over");
  std::fflush(stdout);
  stdout = stderr = file;
  return now.errors;
}

void begin(const int64_t* now_ps, const std::string& path, bool is_timed) {
  State& now = state();
  now.now_ps = now_ps;
  now.is_timed = is_timed;
  if (path.empty() || now.kept) return;
  now.kept = std::fopen(path.c_str(), "w");
  if (!now.kept) bad_option("said", path, std::strerror(errno));
}

void replay(bool is_replayed) { state().is_replayed = is_replayed; }

int64_t lines() { return state().lines; }

void skip(int64_t lines) { state().skipped = lines; }

void check() {
  if (!state().end.empty()) throw std::runtime_error(state().end);
}

void finish() {
  State& now = state();
  if (!now.part.empty()) take(nullptr, "\n", 1);
  if (now.kept) std::fflush(now.kept);
  const int64_t more = now.lines - kLines;
  if (more > 0)
    error("design: " + std::to_string(more) + " more lines were left out" +
          (now.kept ? "" : "; the device option said=FILE keeps all"));
  now.lines = 0;
}

int errors() { return state().errors; }

void error(const std::string& line) { write_all(state().errors, line + "\n"); }

const std::vector<std::string>& reads() { return state().reads; }

void note_read(const char* path) {
  auto& known = state().reads;
  if (std::find(known.begin(), known.end(), path) == known.end()) known.emplace_back(path);
}

void ended(const std::string& what) {
  State& now = state();
  if (now.end.empty()) {
    std::string when = time_text();
    when = now.now_ps ? when.substr(6, when.size() - 8) : "";  // " at 1.250000 us"
    now.end = "the design has ended the simulation" + when + ": " + what;
  }
  if (!now.is_timed) throw std::runtime_error(now.end);
}

std::string failed() {
  std::string text;
  text.swap(state().failed);
  return text;
}

// Verilator's run time cannot go on after this, and no exception may leave a coroutine.
[[noreturn]] void fatal(const std::string& what) {
  if (!state().is_timed) ended(what);
  finish();
  error("error: " + what);
  std::exit(3);
}

}  // namespace plexor::said

// Every file that is opened passes here, so that what a design reads is known.
extern "C" std::FILE* fopen(const char* __restrict path, const char* __restrict mode) {
  std::FILE* file = fopen64(path, mode);
  if (file && mode[0] == 'r') plexor::said::note_read(path);
  return file;
}
