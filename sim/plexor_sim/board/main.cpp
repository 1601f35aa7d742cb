// SPDX-License-Identifier: Apache-2.0
// A simulated board: a Verilated bitstream or netlist, its clocks, a device at its pins, and a TCP
// client at its UART, which is first told that this is a simulation. It has these options of the
// simulator: --device, --truth, --trace-pins, --figures, --once, --parent, --corrupt and --buffer.
//
// A channel's edge is seen by the first edges of the fast clocks after it. An output's edge has the
// time of its clock edge, rounded down to whole ps. Nothing on the chip takes time.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <memory>
#include <vector>

#include "Vboard.h"
#include "board.h"
#include "clocks.h"
#include "device.h"
#include "link.h"
#include "options.h"
#include "program.h"
#include "socket.h"
#include "truth.h"

namespace {

using namespace plexor;
using Clock = std::chrono::steady_clock;

constexpr int kPollEdges = 512;
constexpr int kLockReferences = 64;     // periods until the PLL reports its lock
constexpr int kBootReferences = 1400;   // and until the core's clock runs
constexpr int kWaitMs = 500;  // duration of a blocked wait before a look for the parent
constexpr int kFsPerPs = 1000;
constexpr int kFirstCode = 8;  // device.h: channel of the first code pin

template <typename Chip>
void set_codes([[maybe_unused]] Chip& chip, [[maybe_unused]] uint32_t levels) {
  if constexpr (kCodes > 0) chip.codes = levels & ((1u << kCodes) - 1);
}

class Simulation {
 public:
  // Throws BadOption, Usage and std::runtime_error.
  explicit Simulation(const Options& options)
      : options_(options),
        device_(make_device(options.device)),
        log_(options.truth, options.trace_pins),
        levels_(device_->initial_levels()),
        socket_(options.buffer_bytes),
        link_(socket_, options) {
    log_.start(kChannels, kOutputs - 1, 0, levels_);
    chip_.channels = levels_ & kChannelMask;
    chip_.uart_rx = 1;
    chip_.eval();  // the first evaluation sees no edge
    while (references_ < 2 * kBootReferences) edge();
  }

  ~Simulation() {
    chip_.final();
    if (!options_.figures.empty()) write_figures();
  }

  int port() const { return socket_.port(); }

  void run() {
    bool served = false;
    while (!g_stop) {
      if (!socket_.connected()) {
        log_.sync();
        if (served && options_.once) return log_.close();
        socket_.accept(kWaitMs);
        for (const uint8_t byte : kSaid) socket_.push(byte);  // discarded if nobody came
        stop_without(options_.parent);
        continue;
      }
      if (!served) began_ = Clock::now(), began_cpu_ = std::clock(), began_edges_ = edges_;
      served = true;
      for (int i = 0; i < kPollEdges; i++) edge();
      socket_.service(true);
      if (++polls_ % 512 == 0) stop_without(options_.parent);
    }
    socket_.drain();
    log_.close();
  }

 private:
  // One edge of a fast clock, after everything that comes before it.
  void edge() {
    const int64_t time_fs = fast_.next_fs();
    const int64_t time_ps = time_fs / kFsPerPs;
    // The line is unused until the core has a clock.
    for (; line_.next_fs() <= time_fs; line_.step())
      if (references_ >= 2 * kBootReferences) link_.before(chip_, true);
    for (; reference_.next_fs() <= time_fs; reference_.step()) {
      chip_.oscillator = !chip_.oscillator;
      chip_.locked = ++references_ >= 2 * kLockReferences;
    }
    for (; source_.next_fs() <= time_fs; source_.step()) chip_.source = !chip_.source;
    if (device_->quiet_until_ps() < time_ps) take_edges(time_ps);
    chip_.fast = fast_.step();
    chip_.eval();
    edges_++;
    if (chip_.outputs != outputs_) drive(time_ps);
    log_.flush();
  }

  void take_edges(int64_t to_ps) {
    found_.clear();
    device_->advance(to_ps, found_);
    for (const Edge& edge : found_) {
      if (edge.level == (levels_ >> edge.channel & 1)) continue;
      levels_ ^= 1u << edge.channel;
      if (edge.channel < kChannels) log_.response(edge.time_ps, edge.channel, edge.level);
    }
    chip_.channels = levels_ & kChannelMask;
    set_codes(chip_, levels_ >> kFirstCode);
  }

  void drive(int64_t time_ps) {
    const uint32_t changed = outputs_ ^ chip_.outputs;
    outputs_ = chip_.outputs;
    for (int output = 0; output < kOutputs; output++) {
      if (!(changed >> output & 1)) continue;
      const int source = output == kLoad ? kSourceLoad : kSourceStrike + output;
      log_.input(time_ps, static_cast<uint8_t>(source), outputs_ >> output & 1);
    }
    device_->input(time_ps, outputs_ & ((1u << kLoad) - 1), outputs_ >> kLoad & 1);
  }

  void write_figures() const {
    const std::chrono::duration<double> wall = Clock::now() - began_;
    const double cpu_s = static_cast<double>(std::clock() - began_cpu_) / CLOCKS_PER_SEC;
    std::FILE* file = std::fopen(options_.figures.c_str(), "w");
    if (!file) return;
    std::fprintf(file, "edges %lld\nwall_s %.6f\ncpu_s %.6f\n",
                 static_cast<long long>(edges_ - began_edges_), wall.count(), cpu_s);
    std::fclose(file);
  }

  static constexpr uint32_t kChannelMask = (1u << kChannels) - 1;
  static constexpr int kLoad = kOutputs - 1;

  const Options& options_;
  std::unique_ptr<Device> device_;
  EdgeLog log_;
  uint32_t levels_, outputs_ = 0;
  Socket socket_;
  UartLink link_;
  Vboard chip_;
  FastClocks<std::size(kLatesFs)> fast_{kFastHalfFs, kFsParts, kLatesFs};
  Steps reference_{kReferenceHalfFs, kFsParts};
  Steps line_{kLineStepFs, kFsParts};
  Steps source_{kSourceHalfFs, kFsParts};
  int references_ = 0;  // half periods
  std::vector<Edge> found_;
  int64_t edges_ = 0, began_edges_ = 0;
  std::clock_t began_cpu_ = 0;
  Clock::time_point began_ = Clock::now();
  uint64_t polls_ = 0;
};

void simulate(Options options, std::FILE* lines) {
  if (!options.front_end.empty() || !options.gate.empty() || !options.clock_lost.empty() ||
      !options.uart_low.empty() || options.max_cycles || options.free)
    throw Usage(
        "--front-end, --gate, --clock-lost, --uart-low, --max-cycles, --free: a board's simulation "
        "has none");
  options.uart_divisor = kLineSteps;
  options.no_preamble = kRateIsSet;
  Simulation simulation(options);
  std::fprintf(lines, "listening tcp://127.0.0.1:%d\n", simulation.port());
  std::fclose(lines);
  simulation.run();
}

}  // namespace

int main(int count, char** arguments) { return plexor::program(count, arguments, simulate); }
