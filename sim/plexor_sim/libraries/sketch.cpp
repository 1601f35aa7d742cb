// SPDX-License-Identifier: Apache-2.0
#include "sketch.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

extern char** environ;

namespace plexor {

namespace {

// Requests and answers are of fields as they are in memory, without gaps; sketch.py has them too.
class Sketch {
 public:
  // Throws std::runtime_error.
  Sketch(const std::string& python, const std::string& file, const std::string& options,
         uint32_t strikes) {
    start(python, file);
    put('c');
    put(strikes);
    put_text(options);
    send();
    expect();
    levels_ = get<uint32_t>();
    draws_ = get<uint8_t>();
    load_ = get_text();
  }

  ~Sketch() {
    close(socket_);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {}
  }
  Sketch(const Sketch&) = delete;
  Sketch& operator=(const Sketch&) = delete;

  uint32_t levels() const { return levels_; }
  bool draws() const { return draws_; }
  const std::string& load() const { return load_; }
  const std::string& error() const { return error_; }

  void input(int64_t time_ps, uint32_t strikes, uint32_t load) {
    put('i');
    put(time_ps);
    put(strikes);
    put(load);
    is_quiet_known_ = false;
  }

  void timecode(int64_t time_ps, uint32_t pins) {
    put('t');
    put(time_ps);
    put(pins);
    is_quiet_known_ = false;
  }

  int32_t advance(int64_t to_ps, plexor_edge* edges, uint32_t* count) {
    const uint32_t room = *count;
    *count = 0;
    try {
      if (to_ps > done_ps_) ask(to_ps);
    } catch (const std::runtime_error& error) {
      error_ = error.what();
      return PLEXOR_FAILED;
    }
    for (; *count < room && taken_ < edges_.size(); taken_++) edges[(*count)++] = edges_[taken_];
    if (taken_ < edges_.size()) return PLEXOR_MORE;
    edges_.clear();
    taken_ = 0;
    return PLEXOR_DONE;
  }

  // An error is told by the next `advance`.
  int64_t quiet_until_ps() {
    try {
      if (!is_quiet_known_) ask(done_ps_);
    } catch (const std::runtime_error& error) {
      failure_ = error.what();
      return INT64_MIN;
    }
    return quiet_ps_;
  }

 private:
  void start(const std::string& python, const std::string& file) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) throw std::runtime_error(std::strerror(errno));
    socket_ = ends[0];
    fcntl(socket_, F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    const char* arguments[] = {python.c_str(), "-m", "plexor_sim.libraries.sketch", file.c_str(),
                               nullptr};
    const int error = posix_spawn(&process_, python.c_str(), &actions, nullptr,
                                  const_cast<char**>(arguments), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!error) return;
    close(socket_);
    throw std::runtime_error(python + ": " + std::strerror(error));
  }

  // Lets it run up to a time; then its edges before that and its next event are known.
  void ask(int64_t to_ps) {
    if (!failure_.empty()) throw std::runtime_error(failure_);
    put('a');
    put(to_ps);
    send();
    expect();
    const auto count = get<uint32_t>();
    for (uint32_t n = 0; n < count; n++) {
      const auto time_ps = get<int64_t>();
      const auto pin = get<uint8_t>();
      edges_.push_back({time_ps, pin, get<uint8_t>()});
    }
    quiet_ps_ = get<int64_t>();
    is_quiet_known_ = true;
    done_ps_ = to_ps;
  }

  template <typename Field>
  void put(Field field) {
    const auto* bytes = reinterpret_cast<const char*>(&field);
    out_.insert(out_.end(), bytes, bytes + sizeof field);
  }

  void put_text(const std::string& text) {
    put(static_cast<uint32_t>(text.size()));
    out_.insert(out_.end(), text.begin(), text.end());
  }

  void send() {
    for (size_t done = 0; done < out_.size();) {
      const ssize_t count = ::send(socket_, out_.data() + done, out_.size() - done, MSG_NOSIGNAL);
      if (count < 0 && errno != EINTR) throw std::runtime_error("its Python process has ended");
      if (count > 0) done += static_cast<size_t>(count);
    }
    out_.clear();
  }

  // Reads whether a request was answered. Throws std::runtime_error with the sketch's reason.
  void expect() {
    if (!get<uint8_t>()) throw std::runtime_error(get_text());
  }

  template <typename Field>
  Field get() {
    Field field;
    if (in_.size() - read_ < sizeof field) receive(sizeof field);
    std::memcpy(&field, in_.data() + read_, sizeof field);
    read_ += sizeof field;
    return field;
  }

  std::string get_text() {
    const auto bytes = get<uint32_t>();
    if (in_.size() - read_ < bytes) receive(bytes);
    const std::string text(in_.data() + read_, bytes);
    read_ += bytes;
    return text;
  }

  void receive(size_t wanted) {
    in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(read_));
    read_ = 0;
    while (in_.size() < wanted) {
      char part[4096];
      const ssize_t count = recv(socket_, part, sizeof part, 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw std::runtime_error("its Python process has ended");
      in_.insert(in_.end(), part, part + count);
    }
  }

  pid_t process_ = 0;
  int socket_ = -1;
  std::vector<char> out_, in_;
  size_t read_ = 0;  // of in_
  uint32_t levels_ = 0;
  bool draws_ = false, is_quiet_known_ = false;
  std::string load_, error_, failure_;
  int64_t done_ps_ = 0, quiet_ps_ = INT64_MIN;
  std::vector<plexor_edge> edges_;
  size_t taken_ = 0;  // of edges_
};

Sketch& of(void* device) { return *static_cast<Sketch*>(device); }

void* create(const char* options, uint32_t strikes, char* error, size_t error_bytes) {
  const std::string text = options;
  const size_t first = text.find('\n'), second = text.find('\n', first + 1);
  try {
    return new Sketch(text.substr(0, first), text.substr(first + 1, second - first - 1),
                      text.substr(second + 1), strikes);
  } catch (const std::exception& failed) {
    std::snprintf(error, error_bytes, "%s", failed.what());
    return nullptr;
  }
}

}  // namespace

const plexor_device& sketch_calls() {
  static const plexor_device calls = [] {
    plexor_device made{};
    made.version = PLEXOR_DEVICE_VERSION;
    made.bytes = sizeof made;
    made.create = create;
    made.destroy = [](void* device) { delete &of(device); };
    made.input = [](void* device, int64_t time_ps, uint32_t strikes, uint32_t load) {
      of(device).input(time_ps, strikes, load);
    };
    made.advance = [](void* device, int64_t to_ps, plexor_edge* edges, uint32_t* count) {
      return of(device).advance(to_ps, edges, count);
    };
    made.error = [](void* device) { return of(device).error().c_str(); };
    made.quiet_until_ps = [](void* device) { return of(device).quiet_until_ps(); };
    made.initial_levels = [](void* device) { return of(device).levels(); };
    made.load = [](void* device) { return of(device).load().c_str(); };
    made.draws = [](void* device) { return static_cast<int32_t>(of(device).draws()); };
    made.timecode = [](void* device, int64_t time_ps, uint32_t pins) {
      of(device).timecode(time_ps, pins);
    };
    return made;
  }();
  return calls;
}

}  // namespace plexor
