// The simulated instrument: the Verilated core, a device at its pins, a TCP client at its link.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <type_traits>

#include "Vplexor.h"
#include "device.h"
#include "ethernet.h"
#include "front_end.h"
#include "geometry.h"
#include "input.h"
#include "link.h"
#include "options.h"
#include "pins.h"
#include "program.h"
#include "socket.h"
#include "truth.h"

namespace {

using namespace plexor;
using Clock = std::chrono::steady_clock;

constexpr int kPollCycles = 256;
constexpr int kStillClocks = 1024;  // from a command's last byte to its answer's first, and more
constexpr int kWaitMs = 500;  // how long a blocked wait lasts before the parent is looked for

using StrikesPort = std::remove_reference_t<decltype(Vplexor::strikes)>;
using SamplesPort = std::remove_reference_t<decltype(Vplexor::samples)>;
using Link =
    std::conditional_t<kEthernet, EthernetLink, std::conditional_t<kUart, UartLink, StreamLink>>;
using Far = std::conditional_t<kEthernet, Network, Socket>;

class Simulation {
 public:
  // Throws BadOption, Usage and std::runtime_error.
  explicit Simulation(const Options& options)
      : options_(options),
        device_(make_device(options.device)),
        log_(options.truth, options.trace_pins),
        pins_(*device_, kTickFs, log_,
              FrontEnd::parse(options.front_end, kChannels, kStrikes, kPhases, kTickFs)),
        socket_(options.buffer_bytes),
        link_(socket_, options) {
    core_.samples = pins_.steady();
    core_.eval();  // the first evaluation sees no edge
  }

  ~Simulation() {
    core_.final();
    if (!options_.figures.empty()) write_figures();
  }

  void tell(std::FILE* lines) const {
    if (device_->draws()) std::fputs("draws\n", lines);
    tell(socket_, lines);
  }

  void run() {
    while (!over()) {
      if (socket_.connected()) {
        if (!served_ && !gone_) begin_figures();
        served_ = true;
      } else if (!goes_on_alone()) {
        if (served_ && options_.once) return log_.close();
        log_.sync();
        socket_.accept(kWaitMs);
        stop_without(options_.parent);
        continue;
      } else {
        socket_.accept(0);
      }
      if (socket_.connected() && stands_still(core_)) {
        socket_.await_frame(kWaitMs);
        stop_without(options_.parent);
      }
      for (int i = 0; i < kPollCycles && !done() && !stands_still(core_); i++) clock();
      socket_.service(!between_runs(core_));
      if (served_ && !socket_.connected()) client_gone();
      if (++polls_ % 4096 == 0) stop_without(options_.parent);
    }
    socket_.drain();
    log_.close();
  }

 private:
  static void tell(const Socket& socket, std::FILE* lines) {
    std::fprintf(lines, "listening 127.0.0.1:%d\n", socket.port());
  }

  static void tell(const Network& network, std::FILE* lines) {
    std::fprintf(lines, "listening 127.0.0.1:%d\n", network.port());
    std::fprintf(lines, "etherbone 127.0.0.1:%d\n", network.etherbone_port());
  }

  void clock() {
    pins_.clock(core_.strikes, core_.load, core_.input_select, core_.loopback_output, core_.samples);
    link_.before(core_, !pins_.is_ahead());
    for (auto& input : inputs_) input.step(cycles_);
    still_clocks_ = rests(core_) ? still_clocks_ + 1 : 0;
    const int64_t clocks = skipped(core_);
    cycle();
    cycles_ += 1 + clocks;
    evaluated_++;
    pins_.pass(clocks);
  }

  // Whether time is to pass only for what a command takes, from the time its frame is whole.
  template <typename Core>
  bool between_runs(const Core& core) const {
    if constexpr (kSkippable) return !options_.free && core.resting;
    return false;
  }

  // Whether neither bytes nor anything else but the time moves, as far as can be seen.
  template <typename Core>
  bool rests(const Core& core) const {
    if constexpr (kSkippable) return core.quiet && link_.is_idle(core);
    return false;
  }

  template <typename Core>
  bool stands_still(const Core& core) const {
    return between_runs(core) && still_clocks_ >= kStillClocks && link_.is_idle(core);
  }

  // How many clocks pass beside the next one: none of them changes anything but counters.
  template <typename Core>
  int64_t skipped(Core& core) {
    if constexpr (kSkippable) {
      core.skip = 0;
      if (!rests(core) || options_.no_skip || between_runs(core)) return 0;
      for (const auto& input : inputs_)
        if (input.moved(cycles_)) return 0;
      int64_t most = core.quiet * kSkipClocks;
      if (options_.max_cycles) most = std::min(most, options_.max_cycles - cycles_ - 1);
      for (const auto& input : inputs_)
        if (!input.is_over()) most = std::min(most, input.next() - cycles_ - 1 - kSkipClocks);
      core.skip = pins_.still_clocks(most) / kSkipClocks;
      return core.skip * kSkipClocks;
    }
    return 0;
  }

  // One clock: build.py made the flip-flops take both edges, so that it is one evaluation.
  void cycle() {
    core_.clk = !core_.clk;
    core_.eval();
  }

  bool done() const { return options_.max_cycles && cycles_ >= options_.max_cycles; }
  bool over() const { return done() || g_stop; }

  void client_gone() {
    served_ = false;
    gone_ = true;
    gone_at_ = Clock::now();
    log_.sync();
  }

  bool goes_on_alone() {
    if (options_.free) return true;
    if (!gone_) return false;
    const std::chrono::duration<double> alone = Clock::now() - gone_at_;
    if (alone.count() < options_.linger_s) return !stands_still(core_);
    if (options_.once) g_stop = 1;
    return false;
  }

  void begin_figures() {
    began_ = Clock::now();
    began_cpu_ = std::clock();
    began_cycles_ = cycles_;
    began_evaluated_ = evaluated_;
  }

  void write_figures() const {
    const std::chrono::duration<double> wall = Clock::now() - began_;
    const double cpu_s = static_cast<double>(std::clock() - began_cpu_) / CLOCKS_PER_SEC;
    std::FILE* file = std::fopen(options_.figures.c_str(), "w");
    if (!file) return;
    std::fprintf(file, "clocks %lld\nevaluated %lld\nwall_s %.6f\ncpu_s %.6f\n",
                 static_cast<long long>(cycles_ - began_cycles_),
                 static_cast<long long>(evaluated_ - began_evaluated_), wall.count(), cpu_s);
    std::fclose(file);
  }

  const Options& options_;
  std::unique_ptr<Device> device_;
  EdgeLog log_;
  Pins<kChannels, kStrikes, kSamples, kPhases, StrikesPort, SamplesPort> pins_;
  Far socket_;
  Link link_;
  Vplexor core_;
  int still_clocks_ = 0;  // for which all has been at rest
  int64_t cycles_ = 0, evaluated_ = 0;  // clocks that passed, and those of them not skipped
  int64_t began_cycles_ = 0, began_evaluated_ = 0;
  std::clock_t began_cpu_ = 0;
  Clock::time_point began_ = Clock::now();
  uint64_t polls_ = 0;
  Input inputs_[2] = {{options_.gate, core_.gate}, {options_.clock_lost, core_.clock_lost}};
  bool served_ = false, gone_ = false;
  Clock::time_point gone_at_;
};

void simulate(Options options, std::FILE* lines) {
  Simulation simulation(options);
  simulation.tell(lines);
  std::fclose(lines);
  simulation.run();
}

}  // namespace

int main(int count, char** arguments) { return plexor::program(count, arguments, simulate); }
