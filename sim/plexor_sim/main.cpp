// SPDX-License-Identifier: Apache-2.0
// The simulated instrument: the Verilated core, a device at its pins, a TCP client at its link.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "Vplexor.h"
#include "device.h"
#include "device_line.h"
#include "dormant.h"
#include "ethernet.h"
#include "front_end.h"
#include "geometry.h"
#include "idle.h"
#include "input.h"
#include "link.h"
#include "options.h"
#include "pins.h"
#include "program.h"
#include "ribbon.h"
#include "said.h"
#include "script.h"
#include "socket.h"
#include "truth.h"

namespace plexor {

// Tells Idle which registers of the core to watch; ../idle.py writes this function.
void observe(Vplexor& core, Idle& idle);

// The core's dormant stages; ../dormant.py writes this function.
std::unique_ptr<Stages> stages(Vplexor& core);

}  // namespace plexor

namespace {

using namespace plexor;
using Clock = std::chrono::steady_clock;

constexpr int kPollCycles = 256;
constexpr int kStillClocks = 1024;  // from a command's last byte to its answer's first, and more
constexpr int64_t kRestlessClocks = 1 << 17;
constexpr int64_t kClockPs = kSamples * kTickFs / 1000;
constexpr int kWaitMs = 500;  // duration of a blocked wait before a look for the parent

using StrikesPort = std::remove_reference_t<decltype(Vplexor::strikes)>;
using SamplesPort = std::remove_reference_t<decltype(Vplexor::samples)>;
using Link =
    std::conditional_t<kEthernet, EthernetLink, std::conditional_t<kUart, UartLink, StreamLink>>;
using Far = std::conditional_t<kEthernet, Network, Socket>;

template <typename Core>
void set_codes([[maybe_unused]] Core& core, [[maybe_unused]] uint32_t levels) {
  if constexpr (kCodes > 0) core.codes = levels;
}

template <typename Core>
void set_lamps([[maybe_unused]] Core& core, [[maybe_unused]] const FrontEnd& front_end) {
  if constexpr (kLamps > 0)
    core.lamps_back = (core.lamps | front_end.lamps_high) & ~front_end.lamps_low;
}

template <typename Core>
uint32_t timecode_of([[maybe_unused]] const Core& core) {
  if constexpr (kTimecode > 0) return core.timecode;
  return 0;
}

template <typename Any>
Any far_end(const Options& options) {
  if constexpr (std::is_same_v<Any, Socket>) return Socket(options.buffer_bytes, options.pace_ps > 0);
  else return Any(options.buffer_bytes);
}

class Simulation {
 public:
  // Throws BadOption, Usage and std::runtime_error.
  explicit Simulation(const Options& options)
      : options_(options),
        device_(wired(make_device(options.device), options.front_end)),
        log_(options.truth, options.trace_pins),
        front_end_(FrontEnd::parse(options.front_end, kChannels, kStrikes, kPhases, kLamps, kTickFs)),
        pins_(*device_, kTickFs, log_, front_end_),
        line_(*device_),
        socket_(far_end<Far>(options)),
        link_(socket_, options),
        script_(options.script) {
    if (options.pace_ps && !kObserved)
      throw Usage("--pace: needs the instrument's own core and no UART as the link");
    core_.samples = pins_.steady();
    set_codes(core_, pins_.codes());
    core_.eval();  // the first evaluation sees no edge
    if constexpr (kObserved) {
      observe(core_, idle_);
      dormant_.emplace(stages(core_));
      pins_.runs([this] { return idle_.is_running(); });
    }
  }

  ~Simulation() {
    core_.final();
    if (!options_.figures.empty()) write_figures();
  }

  void tell(std::FILE* lines) const {
    if (device_->draws()) std::fputs("draws\n", lines);
    const Load load = device_->load();
    std::fprintf(lines, "load %s%s\n", load.name.c_str(), load.always ? " always" : "");
    for (const std::string& path : said::reads())
      if (path.find('\n') == std::string::npos) std::fprintf(lines, "reads %s\n", path.c_str());
    line_.tell(lines);
    tell(socket_, lines);
  }

  void run() {
    while (!over()) {
      if (socket_.connected()) {
        if (!served_ && !gone_) begin_figures();
        served_ = true;
      } else if (!goes_on_alone()) {
        if (over() || (served_ && options_.once)) break;
        log_.sync();
        socket_.accept(kWaitMs);
        stop_without(options_.parent);
        continue;
      } else {
        socket_.accept(0);
      }
      if (!script_.is_over()) {
        follow_script();
      } else if (socket_.connected() && (stands_still() || is_paced_out())) {
        await();
        stop_without(options_.parent);
      }
      for (int i = 0; i < kPollCycles && !done() && !stands_still() && !is_paced_out(); i++) {
        if (is_script_due()) break;
        clock();
      }
      socket_.service(!between_runs() && !options_.pace_ps && script_.is_over());
      if (!options_.pace_ps && line_.is_due(polls_)) receive_line();
      line_.send(pins_.now_ps());
      if (served_ && !socket_.connected()) client_gone();
      if (++polls_ % 4096 == 0) stop_without(options_.parent);
    }
    socket_.drain();
    log_.close();
  }

 private:
  static void tell(const Socket& socket, std::FILE* lines) {
    std::fprintf(lines, "listening tcp://127.0.0.1:%d\n", socket.port());
  }

  static void tell(const Network& network, std::FILE* lines) {
    std::fprintf(lines, "listening udp://127.0.0.1:%d\n", network.port());
    std::fprintf(lines, "etherbone 127.0.0.1:%d\n", network.etherbone_port());
  }

  void clock() {
    pins_.clock(core_.strikes, core_.load, core_.input_select, core_.loopback_output, core_.samples,
                timecode_of(core_));
    set_codes(core_, pins_.codes());
    set_lamps(core_, front_end_);
    link_.before(core_, !pins_.is_ahead() && !line_goes_first());
    for (auto& input : inputs_) input.step(cycles_);
    pass_idle();
    cycle(due());
    cycles_++;
    evaluated_++;
  }

  // Gives the script's next command where it is due: between runs not before all stands still.
  void follow_script() {
    if constexpr (std::is_same_v<Far, Socket>) {
      if (!socket_.connected() || socket_.has_byte() || cycles_ < script_.clock()) return;
      if (between_runs() && !is_script_due()) return;
      socket_.feed(script_.take());
      has_rested_ = false;
    }
  }

  // Whether the script's next command is due between runs: all has stood still since the last.
  bool is_script_due() const {
    return !script_.is_over() && has_rested_ && cycles_ >= script_.clock() && between_runs();
  }

  // Whether the script's next command is due later.
  bool waits_for_script() const { return !script_.is_over() && cycles_ < script_.clock(); }

  // Whether time passes only for commands, from the moment that a command's frame is complete.
  bool between_runs() const { return kObserved && !options_.free && idle_.is_resting(); }

  // Between runs, commands wait until all bytes on the device's line are through: so a run begins at
  // the same time behind them, whatever the client's time.
  bool line_goes_first() const { return pins_.now_ps() < line_.quiet_ps() && between_runs(); }

  // Whether a run waits for its client's next frame.
  bool is_paced_out() const {
    if constexpr (!kObserved) return false;
    return options_.pace_ps && cycles_ >= pace_end_ && idle_.is_running() && socket_.connected();
  }

  void receive_line() {
    if (line_.receive(pins_.input_ps())) pins_.wake();
  }

  // Waits for a frame of the client. In a run that is paced, what comes on the device's line comes
  // with the frame; otherwise at once.
  void await() {
    const bool rests = between_runs();
    line_.send(pins_.now_ps());
    socket_.await_frame(kWaitMs, rests ? line_.readable() : -1);
    if (rests || socket_.has_frame()) receive_line();
    if (!options_.pace_ps || line_goes_first() || !socket_.has_frame()) return;
    socket_.release_frame();
    pace_end_ = cycles_ + options_.pace_ps * 1000 / (kSamples * kTickFs);
  }

  bool stands_still() const {
    return still_clocks_ >= kStillClocks && between_runs() && !line_goes_first() &&
           !waits_for_script() && link_.is_idle(core_);
  }

  // Lets clocks pass before the next one, if none of them changes anything but counters.
  void pass_idle() {
    if constexpr (kObserved) {
      if (link_.is_idle(core_)) {
        link_clocks_++;
      } else {
        link_clocks_ = still_clocks_ = 0;
      }
      if (!idle_.is_due()) return;
      const bool stood = idle_.look() && link_clocks_ > kUnitClocks;
      const bool rested = idle_.rested() && link_clocks_ > kUnitClocks;
      still_clocks_ = rested ? still_clocks_ + kUnitClocks : 0;
      has_rested_ |= still_clocks_ >= kStillClocks;
      // Commands wait until the core rests, which it does some time after the link.
      const bool may_move = rested || link_clocks_ <= kUnitClocks || !between_runs();
      unrest_clocks_ = may_move ? 0 : unrest_clocks_ + kUnitClocks;
      if (unrest_clocks_ > kRestlessClocks)
        throw std::runtime_error("the core never rests: " + idle_.restless());
      const bool rests = between_runs();
      if (!stood || options_.no_skip) return;
      const bool waits = waits_for_script() && (!rests || has_rested_);
      if (rests && !line_goes_first() && !waits) return;
      for (const auto& input : inputs_)
        if (input.moved(cycles_)) return;
      int64_t most = idle_.room() * kUnitClocks;
      if (options_.max_cycles) most = std::min(most, options_.max_cycles - cycles_ - 1);
      if (waits)
        most = std::min(most, script_.clock() - cycles_ - 1);
      else if (rests)
        most = std::min(most, clocks_to(line_.quiet_ps()));
      // The device must not run beyond the time at which it gets the next bytes. Pins takes a clock
      // for up to 1 ps longer than it is.
      if (options_.pace_ps && idle_.is_running() && socket_.connected())
        most = std::min(most, (pace_end_ - cycles_ - 1) * kClockPs / (kClockPs + 1));
      for (const auto& input : inputs_)
        if (!input.is_over()) most = std::min(most, input.next() - cycles_ - 1);
      const int64_t units = pins_.still_clocks(most) / kUnitClocks;
      if (!units) return;
      if (options_.prove) {
        idle_.pass_proved(units, [this] { cycle(dormant_->all()); });
      } else {
        idle_.pass(units);
      }
      dormant_->disturb();
      pins_.pass(units * kUnitClocks);
      cycles_ += units * kUnitClocks;
    }
  }

  // The clocks that the next evaluation needs, as bits.
  uint64_t due() {
    if constexpr (!kObserved) return 1;
    return options_.no_skip ? dormant_->all() : dormant_->due();
  }

  // One clock is one evaluation, because build.py made the flip-flops take both edges.
  void cycle(uint64_t clocks) {
    core_.clk ^= clocks;
    core_.eval();
  }

  int64_t clocks_to(int64_t time_ps) const {
    return (time_ps - pins_.now_ps()) * 1000 / (kSamples * kTickFs);
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
    if (alone.count() < options_.linger_s) return !stands_still();
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
  const FrontEnd front_end_;
  Pins<kChannels, kStrikes, kSamples, kPhases, kCodes, StrikesPort, SamplesPort> pins_;
  DeviceLine line_;
  Far socket_;
  Link link_;
  Vplexor core_;
  Idle idle_;
  std::optional<Dormant> dormant_;
  Script script_;
  bool has_rested_ = false;   // since its last command
  int64_t link_clocks_ = 0;   // clocks since the last byte moved
  int64_t still_clocks_ = 0;  // clocks in which nothing changed but the time
  int64_t unrest_clocks_ = 0;  // clocks in which something changed although nothing is under way
  int64_t pace_end_ = 0;     // clock at which a paced run waits for its client
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
