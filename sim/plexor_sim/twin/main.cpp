// SPDX-License-Identifier: Apache-2.0
// The simulated instrument, emulated: takes the place of ../main.cpp and its Verilated core.
//
//   plexor-twin --geometry NAME=VALUE,... and the options of runtime/options.h
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device.h"
#include "frames.h"
#include "front_end.h"
#include "geometry.h"
#include "instrument.h"
#include "link.h"
#include "options.h"
#include "program.h"
#include "said.h"
#include "socket.h"
#include "truth.h"

namespace {

using namespace plexor;
using Clock = std::chrono::steady_clock;

// Core clocks between runs, as the gateware's link and its simulator take them.
constexpr int64_t kByteClocks = 6;       // each byte of a command
constexpr int64_t kExecuteClocks = 148;  // from a command's last byte to its first operation
constexpr int64_t kAnswerClocks = 1080;  // from the last operation until all rests
constexpr int64_t kLookClocks = 16;      // that is seen each so many
constexpr int64_t kFirstClock = 1056;    // at which the first client is served, and
constexpr int64_t kFirstSilentClock = 1040;  // without Feature.EVENTS
constexpr int kWindows = 4096;           // clocks with edges between two looks at the client
constexpr int64_t kMostClocks = 1 << 20;  // clocks between two looks
constexpr int kWaitMs = 500;

std::string g_geometry;

class Simulation {
 public:
  // Throws BadOption, Usage and std::runtime_error.
  explicit Simulation(const Options& options)
      : options_(options),
        geometry_(Geometry::parse(g_geometry)),
        device_(make_device(options.device)),
        log_(options.truth, options.trace_pins),
        front_end_(FrontEnd::parse(options.front_end, static_cast<int>(geometry_.channels),
                                   static_cast<int>(geometry_.strikes),
                                   static_cast<int>(geometry_.phases),
                                   static_cast<int>(geometry_.lamps), geometry_.tick_fs)),
        instrument_(geometry_, *device_, log_, front_end_, options.stall),
        socket_(options.buffer_bytes),
        corruption_(options) {
    const std::pair<const char*, bool> others[] = {{"--stall full", options.stall_full},
                                                   {"--gate", !options.gate.empty()},
                                                   {"--clock-lost", !options.clock_lost.empty()},
                                                   {"--pace", options.pace_ps > 0},
                                                   {"--free", options.free},
                                                   {"--linger", options.linger_s > 0},
                                                   {"a device with a serial line",
                                                    device_->serial_answer_ps() > 0}};
    for (const auto& [name, is_given] : others)
      if (is_given) throw Usage(std::string(name) + ": needs the gateware; take it with core=gateware");
  }

  ~Simulation() {
    if (!options_.figures.empty()) write_figures();
  }

  void tell(std::FILE* lines) const {
    if (device_->draws()) std::fputs("draws\n", lines);
    const Load load = device_->load();
    std::fprintf(lines, "load %s%s\n", load.name.c_str(), load.always ? " always" : "");
    for (const std::string& path : said::reads())
      if (path.find('\n') == std::string::npos) std::fprintf(lines, "reads %s\n", path.c_str());
    std::fprintf(lines, "listening tcp://127.0.0.1:%d\n", socket_.port());
  }

  void run() {
    bool served = false;
    while (!over()) {
      if (!socket_.connected()) {
        if (served && options_.once) break;
        if (served) log_.sync();
        socket_.accept(kWaitMs);
        stop_without(options_.parent);
        if (socket_.connected()) begin();
        served |= socket_.connected();
        continue;
      }
      if (instrument_.is_running()) {
        instrument_.run(kWindows, instrument_.clock() + kMostClocks);
        rests_ = false;
        socket_.service(true);
      } else {
        if (!rests_) rest();
        socket_.await_frame(kWaitMs);
        socket_.service(true);
      }
      send();
      take();
      if (++polls_ % 4096 == 0) stop_without(options_.parent);
    }
    socket_.drain();
    log_.close();
  }

 private:
  bool over() const {
    return g_stop || (options_.max_cycles && instrument_.clock() >= options_.max_cycles);
  }

  void begin() {
    began_ = Clock::now();
    began_cpu_ = std::clock();
    began_clock_ = instrument_.clock();
    const bool sends = geometry_.has(kFeatureEvents);
    instrument_.pass_to(std::max(instrument_.clock(), sends ? kFirstClock : kFirstSilentClock));
  }

  // Between runs time stands, once all has rested for a while.
  void rest() {
    const int64_t clock = instrument_.clock() + answer_clocks_ + kAnswerClocks + kLookClocks - 1;
    instrument_.pass_to(clock / kLookClocks * kLookClocks);
    rests_ = true;
  }

  void take() {
    for (; socket_.has_byte(); socket_.pop()) {
      const auto result = reader_.take(socket_.byte());
      if (result == CommandReader::Result::kNothing) continue;
      if (!instrument_.is_running()) {
        if (!rests_) rest();
        instrument_.pass_to(instrument_.clock() + kByteClocks * reader_.frame_bytes() +
                            kExecuteClocks);
        rests_ = false;
      }
      if (result == CommandReader::Result::kCommand)
        answer_clocks_ = instrument_.execute(reader_.command());
      else
        instrument_.reject();
    }
    send();
  }

  void send() {
    std::vector<uint8_t>& bytes = instrument_.sent();
    for (const uint8_t byte : bytes) {
      while (!socket_.has_room() && !g_stop) socket_.drain();
      socket_.push(corruption_.of(byte));
    }
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
  Socket socket_;
  Corruption corruption_;
  CommandReader reader_;
  bool rests_ = true;
  int64_t answer_clocks_ = 0;
  uint64_t polls_ = 0;
  int64_t began_clock_ = 0;
  std::clock_t began_cpu_ = 0;
  Clock::time_point began_ = Clock::now();
};

void simulate(Options options, std::FILE* lines) {
  Simulation simulation(options);
  simulation.tell(lines);
  std::fclose(lines);
  simulation.run();
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<char*> rest;
  for (int i = 0; i < count; i++) {
    if (!std::strcmp(arguments[i], "--geometry") && i + 1 < count)
      g_geometry = arguments[++i];
    else
      rest.push_back(arguments[i]);
  }
  return plexor::program(static_cast<int>(rest.size()), rest.data(), simulate);
}
