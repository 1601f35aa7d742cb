// SPDX-License-Identifier: Apache-2.0
#include "relay.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "program.h"
#include "said.h"

namespace plexor {

namespace {

constexpr char kSeparator = '\x1f';
constexpr int kWaitMs = 200;
constexpr std::chrono::milliseconds kAlive(200);
constexpr size_t kMostBytes = 1 << 26;  // for a client that does not read
const std::string kListening = "listening tcp://127.0.0.1:", kSerial = "serial tcp://127.0.0.1:";

[[noreturn]] void failed(const std::string& what) {
  throw std::runtime_error("the gateware's simulator: " + what + ": " + std::strerror(errno));
}

[[noreturn]] void execute(const std::vector<std::string>& command,
                          const std::vector<std::string>& options) {
  std::vector<char*> words;
  for (const auto* part : {&command, &options})
    for (const std::string& word : *part) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  std::_Exit(127);
}

// The script as the simulator reads it: how many lines the design has said, then the commands, and
// last the clock of the hand-over: it reads no other command before.
std::FILE* script_of(const Journal& journal, int64_t clock) {
  std::FILE* file = std::tmpfile();
  if (!file) failed("a temporary file");
  std::fprintf(file, "%lld\n", static_cast<long long>(said::lines()));
  for (const Journal::Given& given : journal.given) {
    std::fprintf(file, "%lld ", static_cast<long long>(given.clock));
    for (const uint8_t byte : given.bytes) std::fprintf(file, "%02x", byte);
    std::fputc('\n', file);
  }
  std::fprintf(file, "%lld\n", static_cast<long long>(clock));
  std::fflush(file);
  std::rewind(file);
  return file;
}

// Waits for the end of a child, whatever signals come meanwhile: its logs are whole then.
int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

}  // namespace

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::istringstream items(command);
  for (std::string item; std::getline(items, item, kSeparator);) words.push_back(item);
  return words;
}

void become(const std::vector<std::string>& command, const std::vector<std::string>& options) {
  execute(command, options);
}

Relay::Relay(const Options& options, Instrument& instrument, Socket& socket, Socket* line,
             Corruption& corruption, Rows& rows, CommandReader& reader, const Journal& journal)
    : options_(options),
      instrument_(instrument),
      socket_(socket),
      line_(line),
      corruption_(corruption),
      rows_(rows),
      reader_(reader),
      journal_(journal),
      events_before_(instrument.uplink().events()),
      news_before_(instrument.uplink().news()) {}

Relay::~Relay() {
  close_core();
  if (core_line_ >= 0) close(core_line_);
  if (child_ > 0) {
    kill(child_, SIGTERM);
    status_of(child_);
  }
  if (lines_ >= 0) close(lines_);
}

int Relay::run(const std::vector<std::string>& command, const std::vector<std::string>& options) {
  start(command, options);
  while (!g_stop) {
    if (!socket_.connected()) {
      if (options_.once) return 0;
      close_core();
      socket_.accept(kWaitMs);
      stop_without(options_.parent);
      continue;
    }
    if (port_ && core_ < 0) core_ = connected_to(port_);
    await();
    stay_alive();
    pass_line();
    socket_.service(true);
    take_commands();
    if (!port_) hear();
    if (child_ < 0) return ended();
    if (core_ >= 0) receive();
    if (child_ < 0) return ended();
    send();
    stop_without(options_.parent);
  }
  return 0;
}

void Relay::start(const std::vector<std::string>& command,
                  const std::vector<std::string>& options) {
  std::FILE* script = script_of(journal_, instrument_.clock());
  int pipe_ends[2];
  if (pipe(pipe_ends)) failed("pipe");
  fcntl(pipe_ends[0], F_SETFD, FD_CLOEXEC);
  child_ = fork();
  if (child_ < 0) failed("fork");
  if (child_ == 0) {
    signal(SIGINT, SIG_IGN);  // the twin ends it
    dup2(fileno(script), STDIN_FILENO);
    dup2(pipe_ends[1], STDOUT_FILENO);
    if (pipe_ends[1] > STDERR_FILENO) close(pipe_ends[1]);
    std::vector<std::string> all = options;
    all.insert(all.end(), {"--script", "--parent", std::to_string(getppid())});
    execute(command, all);
  }
  std::fclose(script);
  close(pipe_ends[1]);
  lines_ = pipe_ends[0];
  fcntl(lines_, F_SETFL, O_NONBLOCK);
}

// Waits until there is something to do.
void Relay::await() {
  const bool is_full = instrument_.sent().size() > kMostBytes;
  const bool writes = core_ >= 0 && has_all_again() && !to_core_.empty();
  pollfd waiting[] = {
      {socket_.readable(), static_cast<short>(instrument_.sent().empty() ? POLLIN : POLLIN | POLLOUT),
       0},
      {port_ ? core_ : lines_, static_cast<short>((is_full ? 0 : POLLIN) | (writes ? POLLOUT : 0)),
       0},
      {line_ && !is_catching_up() ? line_->readable() : -1, POLLIN, 0},
      {core_line_, POLLIN, 0}};
  poll(waiting, 4, kWaitMs);
}

// A client that hears nothing for long gives up. An empty frame says nothing.
void Relay::stay_alive() {
  const auto now = Clock::now();
  if (!is_catching_up() || now - alive_ < kAlive) return;
  alive_ = now;
  instrument_.sent().push_back(0);
}

// Reads the lines of the simulator until it listens.
void Relay::hear() {
  char text[512];
  ssize_t count;
  while ((count = read(lines_, text, sizeof text)) > 0) {
    said_.append(text, static_cast<size_t>(count));
    for (size_t end; !port_ && (end = said_.find('\n')) != std::string::npos;
         said_.erase(0, end + 1)) {
      if (said_.rfind(kSerial, 0) == 0) line_port_ = std::atoi(said_.c_str() + kSerial.size());
      if (said_.rfind(kListening, 0) == 0) port_ = std::atoi(said_.c_str() + kListening.size());
    }
    if (port_) return;
  }
  if (count == 0) child_ = -child_;
}

int Relay::connected_to(int port) const {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) failed("socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  if (connect(made, reinterpret_cast<sockaddr*>(&address), sizeof address)) failed("connect");
  int on = 1;
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(made, F_SETFL, O_NONBLOCK);
  return made;
}

// Passes on what comes on the device's serial line, both ways, once its time has come.
void Relay::pass_line() {
  if (!line_ || !line_port_ || is_catching_up()) return;
  line_->accept(0);
  if (line_->connected() && core_line_ < 0) core_line_ = connected_to(line_port_);
  if (core_line_ < 0) return;
  for (line_->service(true); line_->has_byte(); line_->pop()) {
    const uint8_t byte = line_->byte();
    if (::send(core_line_, &byte, 1, MSG_NOSIGNAL) <= 0) break;
  }
  uint8_t bytes[256];
  ssize_t count;
  while (line_->has_room() && (count = recv(core_line_, bytes, sizeof bytes, 0)) > 0)
    for (ssize_t n = 0; n < count; n++) line_->push(bytes[n]);
  line_->drain();
}

void Relay::close_core() {
  if (core_ >= 0) close(core_);
  core_ = -1;
  to_core_.clear();
  frames_ = {};
}

void Relay::take_commands() {
  for (; socket_.has_byte(); socket_.pop()) {
    if (!rows_.take(socket_.byte())) continue;
    command_.push_back(rows_.byte());
    const auto result = reader_.take(rows_.byte());
    if (result == CommandReader::Result::kNothing && rows_.byte()) continue;
    if (result == CommandReader::Result::kCommand && answers_itself(reader_.command()))
      instrument_.answer(reader_.command());
    else
      to_core_.insert(to_core_.end(), command_.begin(), command_.end());
    command_.clear();
  }
  while (core_ >= 0 && has_all_again() && !to_core_.empty()) {
    const ssize_t sent = ::send(core_, to_core_.data(), to_core_.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    to_core_.erase(to_core_.begin(), to_core_.begin() + sent);
  }
}

// Whether the gateware has sent all that the twin had sent. A command before would change that.
bool Relay::has_all_again() const {
  return answers_ == journal_.answers && events_.count == events_before_.count &&
         news_.passed().count >= news_before_.passed().count;
}

// The identity stays the twin's, and so does the state that was last reached until the gateware has.
bool Relay::answers_itself(const Command& command) const {
  const auto is_identity = [](const Operation& operation) {
    return operation.address < kControlAction.address;
  };
  if (!is_read(command)) return false;
  return is_catching_up() ||
         std::all_of(command.operations.begin(), command.operations.end(), is_identity);
}

void Relay::receive() {
  uint8_t bytes[1 << 14];
  ssize_t count = 1;
  while (instrument_.sent().size() <= kMostBytes &&
         (count = recv(core_, bytes, sizeof bytes, 0)) > 0)
    for (ssize_t n = 0; n < count; n++)
      if (frames_.take(bytes[n])) filter(frames_.frame());
  const bool is_over = count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK &&
                                      errno != EINTR);
  if (is_over) child_ = -child_;
}

// Passes on what is new.
void Relay::filter(Frame& frame) {
  if (frame.type == kFrameTypeResponse) {
    if (answers_ < journal_.answers) {
      answers_++;
      return;
    }
  } else if (frame.type == kFrameTypeEvents) {
    const size_t again = static_cast<size_t>(
        std::min<uint64_t>(frame.words.size(), events_before_.count - events_.count));
    if (again) {
      pass_events(frame, again, events_);
      check(events_, events_before_);
      frame.words.erase(frame.words.begin(), frame.words.begin() + static_cast<std::ptrdiff_t>(again));
      frame.index += again;
      frame.flags &= ~static_cast<uint32_t>(kEventFlagGap);
      if (frame.words.empty()) return;
    }
    has_new_ = true;
  } else {
    const bool was_there = news_.passed().count < news_before_.passed().count;
    if (news_.take(frame)) {
      if (news_.snapshots() <= news_before_.snapshots()) return;
    } else if (was_there) {
      check(news_.passed(), news_before_.passed());
      return;
    }
    has_new_ = true;
  }
  instrument_.uplink().forward(frame);
}

// What came again must be what came before.
void Relay::check(const Passed& again, const Passed& before) const {
  if (again.count == before.count && again.sum != before.sum)
    throw std::runtime_error("the gateware has not sent what the twin had sent; take the run with "
                             "core=gateware, and report this");
}

void Relay::send() {
  std::vector<uint8_t>& bytes = instrument_.sent();
  size_t taken = 0;
  uint8_t values[2];
  for (; taken < bytes.size() && socket_.has_room(sizeof values); taken++) {
    const int count = rows_.put(bytes[taken], values);
    for (int n = 0; n < count; n++) socket_.push(corruption_.of(values[n]));
  }
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
  socket_.service(false);
  socket_.service(false);  // the pause in which it sends
}

// The simulator has ended by itself, and has said why.
int Relay::ended() {
  const int status = status_of(-child_);
  child_ = 0;
  return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 3;
}

}  // namespace plexor
