// SPDX-License-Identifier: Apache-2.0
// A device from the user's own Verilog. design/manifest.py writes the glue, a struct that names the pins:
//
//   struct Glue {
//     using Model = Vtop;
//     static constexpr bool kClocked;
//     static constexpr bool kDraws;                 // its sources have $random or the like
//     static constexpr bool kTimed;                 // its sources have delays
//     static constexpr bool kLoads;                 // it has an input for the load
//     static void constants(Model&);                // once: inputs that never change
//     static void strikes(Model&, uint32_t mask);
//     static void load(Model&, bool level);
//     static void timecode(Model&, uint32_t pins);
//     static void clock(Model&, bool level);
//     static void reset(Model&, bool active);
//     static uint32_t responses(Model&);
//   };
//
// Its options are declared in ../device_options.py, which checks a user's options. Here times are
// whole ps.
//
// An input on a rising clock edge counts at this edge. The model is evaluated at inputs, at both
// edges of the clock and at the ends of its delays, so that a combinational path changes its output
// at once.
//
// A device with a reset of N cycles begins N + 1 periods P before time zero, which is the time 0 of
// its $time: its reset is inactive and its clock low. The reset becomes active half a period later,
// the clock rises at -N * P and each P after it, falls half a period after each rise, and the reset
// becomes inactive a quarter of a period before time zero.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "device.h"
#include "option_text.h"
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

const std::string kFolder = "folder";  // the manifest's, not a user's

struct VerilogOptions {
  int64_t clock_ps = 10'000, phase_ps = 0, ppm = 0, reset_cycles = 0, delay_ps = 0, initial = 0;
  int64_t seed = 0;
  std::string folder, said;
  std::vector<std::string> plusargs;

  static VerilogOptions parse(const std::string& text) {
    VerilogOptions options;
    for (const auto& [key, value] : option_pairs(text)) {
      if (key == "clock_ps") options.clock_ps = option_integer(key, value, 2, 1'000'000'000'000);
      else if (key == "phase_ps") options.phase_ps = option_integer(key, value, 0, INT64_MAX / 2);
      else if (key == "ppm") options.ppm = option_integer(key, value, -100'000, 100'000);
      else if (key == "reset_cycles") options.reset_cycles = option_integer(key, value, 0, 16'777'216);
      else if (key == "delay_ps") options.delay_ps = option_integer(key, value, 0, 1'000'000'000);
      else if (key == "initial") options.initial = option_integer(key, value, 0, INT32_MAX);
      else if (key == "said") options.said = value;
      else if (key == kFolder) options.folder = value;
      else if (key == "seed") options.seed = option_integer(key, value, 0, INT32_MAX);
      else if (key.rfind("plus.", 0) == 0)
        options.plusargs.push_back("+" + key.substr(5) + "=" + value);
      else
        throw BadOption("'" + key + "': the options are clock_ps, phase_ps, ppm, reset_cycles, " +
                        "delay_ps, initial, seed, said, plus.NAME");
    }
    // ../design/manifest.py: a comma would end the option.
    std::replace(options.folder.begin(), options.folder.end(), '\x1f', ',');
    return options;
  }
};

template <typename Glue>
class VerilogDevice final : public Device {
 public:
  explicit VerilogDevice(const std::string& text) : options_(VerilogOptions::parse(text)) {
    // Nominal over actual frequency: the period is in units of 1e-6 ps, so 1 ppm is exact.
    const __int128 nominal = static_cast<__int128>(options_.clock_ps) * kUnits * 1'000'000;
    half_units_ = static_cast<int64_t>(nominal / (1'000'000 + options_.ppm) / 2);
    lead_ps_ = options_.reset_cycles ? (options_.reset_cycles + 1) * options_.clock_ps : 0;
    // All paths in the design are relative to its manifest.
    said::begin(&now_ps_, options_.said, Glue::kTimed);
    if (!options_.folder.empty() && chdir(options_.folder.c_str()))
      bad_option(kFolder, options_.folder, std::strerror(errno));
    start();
    said::check();
    Verilated::threadContextp(Verilated::defaultContextp());  // for the core, whose time stands still
  }

  ~VerilogDevice() override { model_->final(); }

  bool draws() const override { return Glue::kDraws; }

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
  static constexpr int64_t kUnits = 1'000'000;
  static constexpr int kPicoseconds = -12;  // as Verilator counts precisions

  struct Input {
    int64_t time_ps;
    uint32_t strikes;
    bool load;
    uint32_t timecode;
  };

  int64_t next_ps() const {
    int64_t next = inputs_.empty() ? clock_ps_ : std::min(clock_ps_, inputs_.front().time_ps);
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
        Glue::strikes(*model_, inputs_.front().strikes);
        Glue::load(*model_, inputs_.front().load);
        Glue::timecode(*model_, inputs_.front().timecode);
        inputs_.pop_front();
      } else if (clock_ps_ == now_ps) {
        level_ = !level_;
        Glue::clock(*model_, level_);
        after_half();
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

  void after_half() {
    units_ += half_units_;
    clock_ps_ += units_ / kUnits;
    units_ %= kUnits;
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
    clock_ps_ = Glue::kClocked ? options_.phase_ps : INT64_MAX;
    units_ = 0;
    level_ = false;
    Glue::constants(*model_);
    Glue::strikes(*model_, strikes_);
    Glue::load(*model_, load_);
    Glue::timecode(*model_, timecode_);
    Glue::reset(*model_, false);
    Glue::clock(*model_, false);
    evaluate(-lead_ps_);
    if (options_.reset_cycles) reset();
    pass(0);
    levels_ = Glue::responses(*model_);
  }

  void reset() {
    const int64_t period_ps = options_.clock_ps;
    step(period_ps / 2 - lead_ps_, [this] { Glue::reset(*model_, true); });
    for (int64_t half = 0; half < 2 * options_.reset_cycles; half++) {
      const int64_t time_ps = half * period_ps / 2 - options_.reset_cycles * period_ps;
      step(time_ps, [this, half] { Glue::clock(*model_, half % 2 == 0); });
    }
    step(-(period_ps / 4), [this] { Glue::reset(*model_, false); });
  }

  template <typename Change>
  void step(int64_t time_ps, Change change) {
    pass(time_ps);
    change();
    evaluate(time_ps);
  }

  void report(int64_t time_ps, std::vector<Edge>& edges) {
    const uint32_t levels = Glue::responses(*model_);
    for (uint32_t changed = levels ^ levels_; changed; changed &= changed - 1) {
      const int pin = __builtin_ctz(changed);
      edges.push_back({time_ps, static_cast<uint8_t>(pin), (levels >> pin & 1) != 0});
    }
    levels_ = levels;
  }

  const VerilogOptions options_;
  int64_t half_units_ = 0, units_ = 0;
  int64_t clock_ps_ = 0;  // the next edge of the clock
  bool level_ = false;
  uint32_t levels_ = 0;
  std::deque<Input> inputs_;
  uint32_t strikes_ = 0, timecode_ = 0;
  bool load_ = false;
  int64_t lead_ps_ = 0;     // the design's time is the simulation's and this
  int64_t time_units_ = 1;  // the design's units of time in 1 ps
  int64_t now_ps_ = 0;      // of the last evaluation
  int64_t done_ps_ = 0;     // it has run up to this
  bool restarted_ = false;  // so its levels may have changed at once
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<typename Glue::Model> model_;
};

}  // namespace plexor
