// SPDX-License-Identifier: Apache-2.0
// A device from the user's own Verilog. design/glue.py writes the glue, a struct that names the pins:
//
//   struct Glue {
//     using Model = Vtop;
//     static constexpr bool kDraws;                 // its sources have $random, or it has [random]
//     static constexpr bool kTimed;                 // its sources have delays
//     static constexpr bool kLoads;                 // it has an input for the load
//     static constexpr uint32_t kIdleHigh;          // strikes that are high until they are struck
//     static constexpr std::array<ClockPort, N> kClocks;
//     static constexpr std::array<ResetPort, M> kResets;
//     static void constants(Model&);                // once: inputs that never change
//     static void strikes(Model&, uint32_t mask);
//     static void load(Model&, bool level);
//     static void timecode(Model&, uint32_t pins);
//     static void clock(Model&, size_t number, bool level);
//     static void reset(Model&, size_t number, bool active);
//     static void random(Model&, size_t clock, Random&);  // draws the inputs of a clock
//     static constexpr bool kInouts;
//     static bool settle(Model&);                   // puts inouts on their levels: any new?
//     static uint32_t responses(Model&);
//   };
//
// Its options are declared in ../device_options.py, which checks a user's options. Here times are
// whole ps.
//
// An input on a rising clock edge counts at this edge. The model is evaluated at inputs, at both
// edges of each clock and at the ends of its delays, so that a combinational path changes its output
// at once. Edges of several clocks at the same time are one event. Inputs that change at random do
// so behind the rising edges of their clock, from time zero on.
//
// The longest reset, with N cycles and early ones of a period P, decides when a device begins: with
// P0 the period of the first clock, N * P + P0 before time zero. This is the time 0 of its $time:
// its resets are inactive and its clocks low. The resets become active P0/2 later. From N * P before
// time zero on, each clock of a period Q rises at whole multiples of Q before time zero, and falls
// Q/2 later. A reset ends a quarter of its clock's period, and its early cycles, before time zero; a
// synchronous one right behind the rising edge before.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "design_clock.h"
#include "device.h"
#include "option_text.h"
#include "random.h"
#include "said.h"
#include "verilated.h"

namespace plexor {

template <typename Port>
void set_bit(Port& port, int bit, bool level) {
  if constexpr (std::is_integral_v<Port>)
    port = static_cast<Port>((port & ~(uint64_t{1} << bit)) | static_cast<uint64_t>(level) << bit);
  else
    port.at(bit / 32) = (port.at(bit / 32) & ~(1u << bit % 32)) |
                        static_cast<uint32_t>(level) << bit % 32;
}

template <typename Port>
uint32_t get_bit(const Port& port, int bit) {
  if constexpr (std::is_integral_v<Port>)
    return static_cast<uint32_t>(port >> bit) & 1;
  else
    return port.at(bit / 32) >> bit % 32 & 1;
}

// Sets a whole port at random: the lowest 64 bits are drawn first.
template <typename Port>
void draw_bits(Port& port, int bits, Random& random) {
  for (int first = 0; first < bits; first += 64) {
    const uint64_t drawn = random.next();
    for (int bit = first; bit < bits && bit < first + 64; bit++)
      set_bit(port, bit, drawn >> (bit - first) & 1);
  }
}

// Sets an inout to what is on its wire: what the design drives, or the pull ('u', 'd', or 'k' for the
// level before) where it drives nothing. What is struck is driven against the pull, which wins.
// Returns whether the wire has changed.
template <typename Port>
bool settle(Port& port, const Port& out, const Port& enabled, int bits, char pull, uint64_t struck) {
  bool is_new = false;
  for (int bit = 0; bit < bits; bit++) {
    const bool was = get_bit(port, bit);
    bool level = get_bit(enabled, bit) ? get_bit(out, bit) : pull == 'k' ? was : pull == 'u';
    if (bit < 64 && struck >> bit & 1) level = pull == 'd';
    is_new |= level != was;
    set_bit(port, bit, level);
  }
  return is_new;
}

const std::string kFolder = "folder";  // the manifest's, not a user's

template <typename Glue>
struct VerilogOptions {
  std::array<ClockOptions, Glue::kClocks.size()> clocks;
  std::array<int64_t, Glue::kResets.size()> reset_cycles{};
  int64_t delay_ps = 0, initial = 0, seed = 0;
  std::string folder, said;
  std::vector<std::string> plusargs;

  static VerilogOptions parse(const std::string& text) {
    VerilogOptions options;
    for (const auto& [key, value] : option_pairs(text)) options.take(key, value);
    // ../design/manifest.py: a comma would end the option.
    std::replace(options.folder.begin(), options.folder.end(), '\x1f', ',');
    for (const ClockOptions& clock : options.clocks)
      if (clock.jitter_ps * kJitterParts > clock.clock_ps)
        bad_option("jitter", std::to_string(clock.jitter_ps) + "ps",
                   "at most a 24th of the clock's period is right");
    return options;
  }

 private:
  static constexpr int64_t kMostPs = 1'000'000'000'000;

  void take(const std::string& key, const std::string& value) {
    if (key.rfind("plus.", 0) == 0) {
      plusargs.push_back("+" + key.substr(5) + "=" + value);
      return;
    }
    // What is of a clock or of a reset may name its port; without one it is of the first.
    const size_t dot = key.find('.');
    const std::string name = key.substr(0, dot);
    const std::string port = dot == std::string::npos ? "" : key.substr(dot + 1);
    if (name == "clock_ps")
      of_clock(key, port, &ClockOptions::clock_ps, option_integer(key, value, 2, kMostPs));
    else if (name == "phase_ps")
      of_clock(key, port, &ClockOptions::phase_ps, option_integer(key, value, 0, INT64_MAX / 2));
    else if (name == "ppm")
      of_clock(key, port, &ClockOptions::ppm, option_integer(key, value, -100'000, 100'000));
    else if (name == "jitter_ps")
      of_clock(key, port, &ClockOptions::jitter_ps, option_integer(key, value, 0, kMostPs));
    else if (name == "reset_cycles") {
      const int64_t cycles = option_integer(key, value, 0, 16'777'216);
      if (const size_t number = numbered(Glue::kResets, key, port); number < reset_cycles.size())
        reset_cycles[number] = cycles;
    }
    else if (key == "delay_ps") delay_ps = option_integer(key, value, 0, 1'000'000'000);
    else if (key == "initial") initial = option_integer(key, value, 0, INT32_MAX);
    else if (key == "said") said = value;
    else if (key == kFolder) folder = value;
    else if (key == "seed") seed = option_integer(key, value, 0, INT32_MAX);
    else
      throw BadOption("'" + key + "': the options are clock_ps, phase_ps, ppm, jitter_ps, " +
                      "reset_cycles, delay_ps, initial, seed, said, plus.NAME");
  }

  template <typename Ports>
  static size_t numbered(const Ports& ports, const std::string& key, const std::string& port) {
    if (port.empty()) return 0;
    std::string names;
    for (size_t number = 0; number < ports.size(); number++) {
      if (port == ports[number].name) return number;
      names += (number ? ", " : "") + std::string(ports[number].name);
    }
    throw BadOption("'" + key + "': no such port; must be one of " + (names.empty() ? "none" : names));
  }

  void of_clock(const std::string& key, const std::string& port, int64_t ClockOptions::*field,
                int64_t number) {
    if (const size_t found = numbered(Glue::kClocks, key, port); found < clocks.size())
      clocks[found].*field = number;
  }
};

template <typename Glue>
class VerilogDevice final : public Device {
 public:
  explicit VerilogDevice(const std::string& text) : options_(VerilogOptions<Glue>::parse(text)) {
    for (size_t n = 0; n < kResets; n++) {
      const ResetPort& port = Glue::kResets[n];
      if (!options_.reset_cycles[n]) continue;
      const int64_t cycles = options_.reset_cycles[n] + port.early_cycles;
      reset_ps_ = std::max(reset_ps_, cycles * options_.clocks[port.clock].clock_ps);
    }
    if constexpr (kResets > 0)
      if (reset_ps_) lead_ps_ = reset_ps_ + options_.clocks[0].clock_ps;
    // All paths in the design are relative to its manifest.
    said::begin(&now_ps_, options_.said, Glue::kTimed);
    if (!options_.folder.empty() && chdir(options_.folder.c_str()))
      bad_option(kFolder, options_.folder, std::strerror(errno));
    start();
    said::check();
    Verilated::threadContextp(Verilated::defaultContextp());  // for the core, whose time stands still
  }

  ~VerilogDevice() override { model_->final(); }

  bool draws() const override {
    const auto& clocks = options_.clocks;
    return Glue::kDraws || std::any_of(clocks.begin(), clocks.end(), [](const ClockOptions& clock) {
             return clock.jitter_ps > 0;
           });
  }

  Load load() const override { return {Glue::kLoads ? "on" : ""}; }

  uint32_t initial_levels() const override { return levels_; }

  void input(int64_t time_ps, uint32_t strikes, bool load) override {
    strikes_ = strikes;
    load_ = load;
    inputs_.push_back({time_ps, strikes_, load_, timecode_});
  }

  void timecode(int64_t time_ps, uint32_t pins) override {
    timecode_ = pins;
    inputs_.push_back({time_ps, strikes_, load_, timecode_});
  }

  void advance(int64_t to_ps, std::vector<Edge>& edges) override {
    Verilated::threadContextp(context_.get());
    if (restarted_) report(done_ps_, edges);
    restarted_ = false;
    run(to_ps - options_.delay_ps, &edges);
    done_ps_ = to_ps;
  }

  bool restart(uint32_t strikes) override {
    Verilated::threadContextp(context_.get());
    strikes_ = strikes;
    for (Input& input : inputs_) input.strikes = strikes;
    const uint32_t levels = levels_;
    said::replay(true);
    start();
    run(done_ps_ - options_.delay_ps, nullptr);
    said::replay(false);
    levels_ = levels;
    return restarted_ = true;
  }

  int64_t quiet_until_ps() const override {
    const int64_t next = next_ps();
    return next == INT64_MAX ? next : next + options_.delay_ps;
  }

 private:
  static constexpr size_t kClocks = Glue::kClocks.size(), kResets = Glue::kResets.size();
  static constexpr int kMostTurns = 64;
  static constexpr int kPicoseconds = -12;  // as Verilator counts precisions

  struct Input {
    int64_t time_ps;
    uint32_t strikes;
    bool load;
    uint32_t timecode;
  };

  int64_t clock_ps() const {
    int64_t next = INT64_MAX;
    for (const DesignClock& clock : clocks_) next = std::min(next, clock.next_ps());
    return next;
  }

  int64_t next_ps() const {
    int64_t next = clock_ps();
    if (!inputs_.empty()) next = std::min(next, inputs_.front().time_ps);
    if constexpr (Glue::kTimed) next = std::min(next, delay_end_ps());
    return next;
  }

  // When the first of the design's delays ends. The design's unit of time is 1 ps or less.
  int64_t delay_end_ps() const {
    if (!model_->eventsPending()) return INT64_MAX;
    return static_cast<int64_t>(model_->nextTimeSlot()) / time_units_ - lead_ps_;
  }

  void run(int64_t to_ps, std::vector<Edge>* edges) {
    for (int64_t now_ps = next_ps(); now_ps < to_ps; now_ps = next_ps()) {
      if (!inputs_.empty() && inputs_.front().time_ps == now_ps) {
        strike(inputs_.front().strikes);
        Glue::load(*model_, inputs_.front().load);
        Glue::timecode(*model_, inputs_.front().timecode);
        inputs_.pop_front();
      } else if (clock_ps() == now_ps) {
        step_clocks(now_ps);
      } else if constexpr (Glue::kTimed) {
        now_ps_ = now_ps;
        context_->time(model_->nextTimeSlot());
        eval();
        if (edges) report(now_ps + options_.delay_ps, *edges);
        continue;
      }
      evaluate(now_ps);
      if (edges) report(now_ps + options_.delay_ps, *edges);
    }
  }

  void evaluate(int64_t time_ps) {
    now_ps_ = time_ps;
    context_->time(static_cast<uint64_t>((time_ps + lead_ps_) * time_units_));
    eval();
  }

  void eval() {
    model_->eval();
    if constexpr (Glue::kInouts) {
      for (int turns = 0; Glue::settle(*model_); turns++) {
        if (turns == kMostTurns) {
          said::ended("an inout has no level: it changes what drives it");
          break;
        }
        model_->eval();
      }
    }
    if constexpr (Glue::kTimed) said::check();
  }

  // Lets the delays end that end before a time.
  void pass([[maybe_unused]] int64_t to_ps) {
    if constexpr (Glue::kTimed) {
      while (delay_end_ps() < to_ps) {
        now_ps_ = delay_end_ps();
        context_->time(model_->nextTimeSlot());
        eval();
      }
    }
  }

  // Passes all edges of clocks at a time, of which the caller evaluates the last change.
  void step_clocks(int64_t now_ps) {
    uint32_t drawing = 0;
    for (size_t n = 0; n < kClocks; n++) {
      if (clocks_[n].next_ps() != now_ps) continue;
      clocks_[n].step();
      Glue::clock(*model_, n, clocks_[n].level());
      if (Glue::kClocks[n].has_random && clocks_[n].level()) drawing |= 1u << n;
    }
    if (!drawing) return;
    evaluate(now_ps);
    for (size_t n = 0; n < kClocks; n++)
      if (drawing >> n & 1) Glue::random(*model_, n, randoms_[n]);
  }

  // Sets the strikes. One that idles high is so until it changes.
  void strike(uint32_t strikes) {
    const uint32_t changed = strikes ^ struck_;
    if (const uint32_t wrong = changed & strikes & held_; wrong && !is_told_) {
      said::error("design: strike " + std::to_string(__builtin_ctz(wrong)) +
                  " idles high by the manifest and is struck active high; --active-low would be right");
      is_told_ = true;
    }
    held_ &= ~changed;
    struck_ = strikes;
    Glue::strikes(*model_, struck_ | held_);
  }

  // From the time 0 of the design to time zero, with the strikes that there are.
  void start() {
    model_.reset();
    context_ = std::make_unique<VerilatedContext>();
    Verilated::threadContextp(context_.get());
    std::vector<const char*> arguments{"device"};
    for (const std::string& plusarg : options_.plusargs) arguments.push_back(plusarg.c_str());
    context_->commandArgs(static_cast<int>(arguments.size()), arguments.data());
    if (options_.initial) {
      context_->randReset(2);
      context_->randSeed(static_cast<int>(options_.initial));
    }
    now_ps_ = -lead_ps_;
    model_ = std::make_unique<typename Glue::Model>(context_.get(), "device");
    if (options_.seed) context_->randSeed(static_cast<int>(options_.seed));
    time_units_ = 1;
    for (int unit = context_->timeprecision(); unit < kPicoseconds; unit++) time_units_ *= 10;
    const auto seed = static_cast<uint64_t>(options_.seed);
    for (size_t n = 0; n < kClocks; n++) {
      clocks_[n].start(options_.clocks[n], seed, n);
      randoms_[n] = Random(seed, kClocks + n);
    }
    Glue::constants(*model_);
    struck_ = strikes_;
    held_ = Glue::kIdleHigh;
    Glue::strikes(*model_, struck_ | held_);
    Glue::load(*model_, load_);
    Glue::timecode(*model_, timecode_);
    for (size_t n = 0; n < kResets; n++) Glue::reset(*model_, n, false);
    for (size_t n = 0; n < kClocks; n++) {
      Glue::clock(*model_, n, false);
      Glue::random(*model_, n, randoms_[n]);
    }
    evaluate(-lead_ps_);
    if (lead_ps_) reset();
    pass(0);
    levels_ = Glue::responses(*model_);
  }

  // Plays all resets, with the clocks up to time zero. At one time inputs come before clocks, and
  // what flip-flops drive comes behind them.
  void reset() {
    enum Order { kInput, kClock, kBehind };
    struct Event {
      int64_t time_ps;
      Order order;
      size_t number;
      bool is_reset, level;
    };
    std::vector<Event> events;
    for (size_t n = 0; n < kResets; n++) {
      if (!options_.reset_cycles[n]) continue;
      const ResetPort& port = Glue::kResets[n];
      const int64_t period_ps = options_.clocks[port.clock].clock_ps;
      const int64_t early_ps = port.early_cycles * period_ps;
      events.push_back({options_.clocks[0].clock_ps / 2 - lead_ps_, kInput, n, true, true});
      if (port.is_synchronous) events.push_back({-early_ps - period_ps, kBehind, n, true, false});
      else events.push_back({-early_ps - period_ps / 4, kInput, n, true, false});
    }
    for (size_t n = 0; n < kClocks; n++) {
      const int64_t period_ps = options_.clocks[n].clock_ps;
      for (int64_t cycle = reset_ps_ / period_ps; cycle > 0; cycle--) {
        events.push_back({-cycle * period_ps, kClock, n, false, true});
        events.push_back({-cycle * period_ps + period_ps / 2, kClock, n, false, false});
      }
    }
    const auto key = [](const Event& event) { return std::tuple(event.time_ps, event.order); };
    std::stable_sort(events.begin(), events.end(),
                     [&](const Event& a, const Event& b) { return key(a) < key(b); });
    for (auto event = events.begin(); event != events.end();) {
      const auto now = key(*event);
      pass(event->time_ps);
      for (; event != events.end() && key(*event) == now; event++) {
        if (event->is_reset) Glue::reset(*model_, event->number, event->level);
        else Glue::clock(*model_, event->number, event->level);
      }
      evaluate(std::get<0>(now));
    }
  }

  void report(int64_t time_ps, std::vector<Edge>& edges) {
    const uint32_t levels = Glue::responses(*model_);
    for (uint32_t changed = levels ^ levels_; changed; changed &= changed - 1) {
      const int pin = __builtin_ctz(changed);
      edges.push_back({time_ps, static_cast<uint8_t>(pin), (levels >> pin & 1) != 0});
    }
    levels_ = levels;
  }

  const VerilogOptions<Glue> options_;
  std::array<DesignClock, kClocks> clocks_;
  std::vector<Random> randoms_ = std::vector<Random>(kClocks, Random(0, 0));  // of inputs, by clock
  uint32_t levels_ = 0;
  uint32_t struck_ = 0;   // the strikes as they were last set
  uint32_t held_ = 0;     // those that are still high because they idle so
  bool is_told_ = false;  // that one is struck the wrong way
  std::deque<Input> inputs_;
  uint32_t strikes_ = 0, timecode_ = 0;
  bool load_ = false;
  int64_t reset_ps_ = 0;    // from the first cycle of the longest reset to time zero
  int64_t lead_ps_ = 0;     // the design's time is the simulation's and this
  int64_t time_units_ = 1;  // the design's units of time in 1 ps
  int64_t now_ps_ = 0;      // of the last evaluation
  int64_t done_ps_ = 0;     // it has run up to this
  bool restarted_ = false;  // so its levels may have changed at once
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<typename Glue::Model> model_;
};

}  // namespace plexor
