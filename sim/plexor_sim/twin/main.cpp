// SPDX-License-Identifier: Apache-2.0
// The simulated instrument, emulated: takes the place of ../main.cpp and its Verilated core.
//
//   plexor-twin --geometry NAME=VALUE,... and the options of runtime/options.h
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "device.h"
#include "device_line.h"
#include "frames.h"
#include "front_end.h"
#include "geometry.h"
#include "instrument.h"
#include "link.h"
#include "options.h"
#include "program.h"
#include "relay.h"
#include "ribbon.h"
#include "rows.h"
#include "said.h"
#include "socket.h"
#include "truth.h"

namespace {

using namespace plexor;
using Clock = std::chrono::steady_clock;

// Core clocks between runs, as the gateware's link and its simulator take them.
constexpr int64_t kByteClocks = 6;       // each byte of a command
constexpr int64_t kExecuteClocks = 151;  // from a command's last byte to its first operation
constexpr int64_t kAnswerClocks = 1080;  // from the last operation until all rests
constexpr int64_t kSentClocks = 16, kEventBytes = 8;  // of results, at most; and of events
constexpr int64_t kStillClocks = 1040;   // of rest, before it
constexpr int64_t kPartClocks = 1 << 16;  // as in Instrument
constexpr int64_t kSpareClocks = 4096;  // once there was a run: never before the gateware rests
constexpr int64_t kLookClocks = 16;      // that is seen each so many
constexpr int64_t kFirstClock = 1056;    // at which the first client is served, and
constexpr int64_t kFirstSilentClock = 1040;  // without Feature.EVENTS,
constexpr int64_t kFirstEventsClock = 1088;  // or with these alone
constexpr int kWindows = 4096;           // clocks with edges between two looks at the client
constexpr int64_t kMostClocks = 1 << 20;  // clocks between two looks
constexpr int64_t kLineClocks = 1 << 12;  // the same while a device's line is open
constexpr int kWaitMs = 500;
constexpr size_t kUnreadBytes = 1 << 20;
constexpr int kUnreadMs = 200, kShownMs = 1000;

std::string g_geometry, g_hand_over;
std::vector<std::string> g_options;  // all others

// Lets the gateware's simulator take this process's place.
[[noreturn]] void hand_over(const std::string& why, std::FILE* lines) {
  if (g_hand_over.empty()) throw std::runtime_error("needs the gateware: " + why);
  said::error("twin: the gateware takes this: " + why);
  std::fflush(lines);
  dup2(fileno(lines), STDOUT_FILENO);
  become(words_of(g_hand_over), g_options);
}

// The options of the gateware's simulator behind a relay: the client stays the twin's.
std::vector<std::string> options_for_relay() {
  std::vector<std::string> passed;
  for (size_t n = 0; n < g_options.size(); n++) {
    const std::string& option = g_options[n];
    if (option == "--parent" || option == "--corrupt")
      n++;
    else if (option != "--once")
      passed.push_back(option);
  }
  return passed;
}

// Why the twin cannot take any run with these options; empty if it can.
std::string beyond(const Options& options) {
  const std::pair<const char*, bool> others[] = {{"--stall", options.stall > 0 || options.stall_full},
                                                 {"--gate", !options.gate.empty()},
                                                 {"--clock-lost", !options.clock_lost.empty()},
                                                 {"--pace", options.pace_ps > 0},
                                                 {"--free", options.free},
                                                 {"--buffer", options.buffer_bytes > 0},
                                                 {"--max-cycles", options.max_cycles > 0},
                                                 {"--prove", options.prove}};
  for (const auto& [name, is_given] : others)
    if (is_given) return std::string("its option ") + (name + 2) + " needs it";
  return {};
}

class Simulation {
 public:
  // Throws BadOption, Usage and std::runtime_error.
  explicit Simulation(const Options& options)
      : options_(options),
        geometry_(Geometry::parse(g_geometry)),
        device_(wired(make_device(options.device), options.front_end)),
        log_(options.truth, options.trace_pins),
        front_end_(FrontEnd::parse(options.front_end, static_cast<int>(geometry_.channels),
                                   static_cast<int>(geometry_.strikes),
                                   static_cast<int>(geometry_.phases),
                                   static_cast<int>(geometry_.lamps), geometry_.tick_fs)),
        instrument_(geometry_, *device_, log_, front_end_),
        line_(*device_),
        socket_(options.buffer_bytes),
        corruption_(options) {}

  ~Simulation() {
    if (!options_.figures.empty() && !is_handed_over_) write_figures();
  }

  void tell(std::FILE* lines) const {
    if (device_->draws()) std::fputs("draws\n", lines);
    const Load load = device_->load();
    std::fprintf(lines, "load %s%s\n", load.name.c_str(), load.always ? " always" : "");
    for (const std::string& path : said::reads())
      if (path.find('\n') == std::string::npos) std::fprintf(lines, "reads %s\n", path.c_str());
    line_.tell(lines);
    std::fprintf(lines, "listening tcp://127.0.0.1:%d\n", socket_.port());
  }

  void run(std::FILE* lines) {
    try {
      serve();
    } catch (const NeedsGateware& why) {
      instrument_.flush();
      send();
      socket_.drain();
      std::fprintf(lines, "handed over %s\n", why.what());
      std::fflush(lines);
      said::error(std::string("twin: the gateware takes this run: ") + why.what());
      if (g_hand_over.empty()) throw;
      if (line_.was_used())
        throw std::runtime_error(std::string("needs the gateware: ") + why.what() +
                                 "; what passed on the device's serial line cannot be taken again: "
                                 "use core=gateware");
      is_handed_over_ = true;
      log_.close();
      Relay relay(options_, instrument_, socket_, line_.socket(), corruption_, rows_, reader_,
                  journal_);
      code_ = relay.run(words_of(g_hand_over), options_for_relay());
    } catch (const CannotWrite&) {
      send();  // what came before it
      socket_.drain();
      throw;
    }
  }

  // The exit code; not 0: the gateware's simulator has said why.
  int code() const { return code_; }

 private:
  void serve() {
    bool served = false;
    while (!over()) {
      if (!socket_.connected()) {
        if (served && goes_on_alone()) continue;
        if (served && options_.once) break;
        if (served) log_.sync();
        socket_.accept(kWaitMs);
        stop_without(options_.parent);
        if (socket_.connected()) begin();
        served |= socket_.connected();
        continue;
      }
      left_ = Clock::now();
      if (instrument_.is_running()) {
        instrument_.run(kWindows, instrument_.clock() + (line_.is_open() ? kLineClocks : kMostClocks));
        rests_ = false;
        wait_for_client();
        if (line_.is_due(polls_)) line_.receive(instrument_.input_ps());
        socket_.service(true);
      } else {
        if (!rests_) rest();
        serve_line();
        socket_.await_frame(kWaitMs, line_.readable());
        serve_line();
        socket_.service(true);
      }
      line_.send(instrument_.now_ps());
      send();
      take();
      if (++polls_ % 4096 == 0) stop_without(options_.parent);
    }
    socket_.drain();
    log_.close();
  }

  // A run is simulated faster than a client reads. So that what it reads is news, time waits for its
  // next frame, but not for long: after each snapshot, and after so many bytes.
  void wait_for_client() {
    send();
    const bool is_shown = instrument_.is_running() && instrument_.snapshots() > shown_;
    shown_ = instrument_.snapshots();
    if (!is_shown && unread_bytes_ < kUnreadBytes) return;
    socket_.await_frame(is_shown ? kShownMs : kUnreadMs);
    unread_bytes_ = 0;
  }

  // Between runs, commands wait until all bytes on the device's line are through.
  void serve_line() {
    line_.receive(instrument_.input_ps());
    while (instrument_.now_ps() < line_.quiet_ps() && !g_stop) {
      instrument_.pass_to(instrument_.clock() / kLookClocks * kLookClocks + kLookClocks);
      line_.send(instrument_.now_ps());
      line_.receive(instrument_.input_ps());
    }
  }

  // Lets a run go on for a while after its client has gone; returns whether it does.
  bool goes_on_alone() {
    const std::chrono::duration<double> alone = Clock::now() - left_;
    if (!instrument_.is_running() || alone.count() >= options_.linger_s) return false;
    socket_.accept(0);
    instrument_.run(kWindows, instrument_.clock() + kMostClocks);
    rests_ = false;
    send();
    return true;
  }

  bool over() const { return g_stop; }

  void begin() {
    began_ = Clock::now();
    began_cpu_ = std::clock();
    began_clock_ = instrument_.clock();
    const int64_t first_clock = !geometry_.has(kFeatureMatch)    ? kFirstEventsClock
                                : geometry_.has(kFeatureEvents) ? kFirstClock
                                                                : kFirstSilentClock;
    instrument_.pass_to(std::max(instrument_.clock(), first_clock));
  }

  // Between runs time stands, once all has rested for a while.
  void rest() {
    const Uplink& uplink = instrument_.uplink();
    const int64_t events = std::min(uplink.event_bytes() - event_bytes_,
                                    kEventBytes * geometry_.upload_depth);
    const int64_t bytes = events + uplink.news_bytes() - news_bytes_;
    event_bytes_ = uplink.event_bytes();
    news_bytes_ = uplink.news_bytes();
    int64_t clock =
        instrument_.clock() + kSentClocks * bytes + answer_clocks_ + kAnswerClocks + kLookClocks - 1 +
        (uplink.news_bytes() ? kSpareClocks : 0);
    clock = clock / kLookClocks * kLookClocks;
    // It does not rest where a part of time begins.
    const int64_t part_clock = clock / kPartClocks * kPartClocks;
    if (part_clock > clock - kStillClocks) clock = part_clock + kStillClocks;
    instrument_.pass_to(clock);
    rests_ = true;
  }

  void take() {
    for (; socket_.has_byte(); socket_.pop()) {
      if (!rows_.take(socket_.byte())) continue;
      command_.push_back(rows_.byte());
      unread_bytes_ = 0;
      const auto result = reader_.take(rows_.byte());
      if (result != CommandReader::Result::kNothing) execute(result);
      if (!rows_.byte()) command_.clear();
    }
    send();
  }

  void execute(CommandReader::Result result) {
    const bool is_command = result == CommandReader::Result::kCommand;
    const int64_t clocks = kByteClocks * reader_.frame_bytes() + kExecuteClocks;
    const bool runs = instrument_.is_running();
    if (!runs && !rests_) rest();
    // A read while a run is under way changes nothing.
    const bool is_kept = !runs || !is_command || !is_read(reader_.command());
    if (is_kept) journal_.given.push_back({instrument_.clock() - (runs ? clocks : 0), command_});
    if (!runs) {
      instrument_.pass_to(instrument_.clock() + clocks);
      rests_ = false;
    }
    if (is_command)
      answer_clocks_ = instrument_.execute(reader_.command());
    else
      instrument_.reject();
    journal_.answers += is_kept && is_command;
  }

  void send() {
    std::vector<uint8_t>& bytes = instrument_.sent();
    uint8_t values[2];
    for (const uint8_t byte : bytes) {
      const int count = rows_.put(byte, values);
      for (int n = 0; n < count; n++) {
        while (!socket_.has_room() && !g_stop) socket_.drain();
        socket_.push(corruption_.of(values[n]));
      }
    }
    unread_bytes_ += bytes.size();
    bytes.clear();
    if (!instrument_.is_running()) socket_.drain();
  }

  void write_figures() const {
    const std::chrono::duration<double> wall = Clock::now() - began_;
    const double cpu_s = static_cast<double>(std::clock() - began_cpu_) / CLOCKS_PER_SEC;
    std::FILE* file = std::fopen(options_.figures.c_str(), "w");
    if (!file) return;
    const auto clocks = static_cast<long long>(instrument_.clock() - began_clock_);
    std::fprintf(file, "clocks %lld\nevaluated 0\nwall_s %.6f\ncpu_s %.6f\n", clocks, wall.count(),
                 cpu_s);
    std::fclose(file);
  }

  const Options& options_;
  const Geometry geometry_;
  std::unique_ptr<Device> device_;
  EdgeLog log_;
  const FrontEnd front_end_;
  Instrument instrument_;
  DeviceLine line_;
  Socket socket_;
  Corruption corruption_;
  Rows rows_;
  CommandReader reader_;
  Journal journal_;
  std::vector<uint8_t> command_;
  bool is_handed_over_ = false;
  int code_ = 0;
  bool rests_ = true;
  int64_t answer_clocks_ = 0;
  int64_t event_bytes_ = 0, news_bytes_ = 0;  // that were sent before the last rest
  uint64_t polls_ = 0;
  size_t unread_bytes_ = 0;  // since the client's last frame
  int64_t shown_ = 0;        // snapshots
  int64_t began_clock_ = 0;
  std::clock_t began_cpu_ = 0;
  Clock::time_point began_ = Clock::now(), left_ = began_;
};

void simulate(Options options, std::FILE* lines) {
  if (const std::string why = beyond(options); !why.empty()) hand_over(why, lines);
  int code = 0;
  {
    Simulation simulation(options);
    simulation.tell(lines);
    std::fflush(lines);
    simulation.run(lines);
    code = simulation.code();
  }
  std::fclose(lines);
  if (code) std::exit(code);
}


}  // namespace

int main(int count, char** arguments) {
  std::vector<char*> rest;
  for (int i = 0; i < count; i++) {
    if (!std::strcmp(arguments[i], "--geometry") && i + 1 < count)
      g_geometry = arguments[++i];
    else if (!std::strcmp(arguments[i], "--hand-over") && i + 1 < count)
      g_hand_over = arguments[++i];
    else
      rest.push_back(arguments[i]);
  }
  g_options.assign(rest.begin() + 1, rest.end());
  return plexor::program(static_cast<int>(rest.size()), rest.data(), simulate);
}
