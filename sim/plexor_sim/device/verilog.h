// A device from the user's own Verilog. manifest.py writes the glue, a struct that names the pins:
//
//   struct Glue {
//     using Model = Vtop;
//     static constexpr bool kClocked;
//     static constexpr bool kDraws;                 // its sources have $random or the like
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
// An input on a rising clock edge counts at this edge. The model is evaluated at inputs and at both
// edges of the clock, so that a combinational path changes its output at once.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "device.h"
#include "option_text.h"
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

struct VerilogOptions {
  int64_t clock_ps = 10'000, phase_ps = 0, ppm = 0, reset_cycles = 0, delay_ps = 0;
  std::vector<std::string> plusargs;

  static VerilogOptions parse(const std::string& text) {
    VerilogOptions options;
    for (const auto& [key, value] : option_pairs(text)) {
      if (key == "clock_ps") options.clock_ps = option_integer(key, value, 2, 1'000'000'000'000);
      else if (key == "phase_ps") options.phase_ps = option_integer(key, value, 0, INT64_MAX / 2);
      else if (key == "ppm") options.ppm = option_integer(key, value, -100'000, 100'000);
      else if (key == "reset_cycles") options.reset_cycles = option_integer(key, value, 0, 16'777'216);
      else if (key == "delay_ps") options.delay_ps = option_integer(key, value, 0, 1'000'000'000);
      else if (key.rfind("plus.", 0) == 0)
        options.plusargs.push_back("+" + key.substr(5) + "=" + value);
      else
        throw BadOption("'" + key + "': the options are clock_ps, phase_ps, ppm, reset_cycles, " +
                        "delay_ps, plus.NAME");
    }
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
    clock_ps_ = Glue::kClocked ? options_.phase_ps : INT64_MAX;
    std::vector<const char*> arguments{"device"};
    for (const std::string& plusarg : options_.plusargs) arguments.push_back(plusarg.c_str());
    context_.commandArgs(static_cast<int>(arguments.size()), arguments.data());
    model_ = std::make_unique<typename Glue::Model>(&context_, "device");
    start();
  }

  ~VerilogDevice() override { model_->final(); }

  bool draws() const override { return Glue::kDraws; }

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
    for (int64_t now_ps = next_ps(); now_ps < to_ps - options_.delay_ps; now_ps = next_ps()) {
      if (!inputs_.empty() && inputs_.front().time_ps == now_ps) {
        Glue::strikes(*model_, inputs_.front().strikes);
        Glue::load(*model_, inputs_.front().load);
        Glue::timecode(*model_, inputs_.front().timecode);
        inputs_.pop_front();
      } else {
        level_ = !level_;
        Glue::clock(*model_, level_);
        after_half();
      }
      model_->eval();
      report(now_ps + options_.delay_ps, edges);
    }
  }

  int64_t quiet_until_ps() const override {
    const int64_t next = next_ps();
    return next == INT64_MAX ? next : next + options_.delay_ps;
  }

 private:
  static constexpr int64_t kUnits = 1'000'000;

  struct Input {
    int64_t time_ps;
    uint32_t strikes;
    bool load;
    uint32_t timecode;
  };

  int64_t next_ps() const {
    return inputs_.empty() ? clock_ps_ : std::min(clock_ps_, inputs_.front().time_ps);
  }

  void after_half() {
    units_ += half_units_;
    clock_ps_ += units_ / kUnits;
    units_ %= kUnits;
  }

  void start() {
    Glue::constants(*model_);
    Glue::strikes(*model_, 0);
    Glue::load(*model_, false);
    Glue::timecode(*model_, 0);
    Glue::reset(*model_, options_.reset_cycles > 0);
    Glue::clock(*model_, false);
    model_->eval();
    for (int64_t half = 0; half < 2 * options_.reset_cycles; half++) {
      Glue::clock(*model_, half % 2 == 0);
      model_->eval();
    }
    Glue::reset(*model_, false);
    model_->eval();
    levels_ = Glue::responses(*model_);
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
  VerilatedContext context_;
  std::unique_ptr<typename Glue::Model> model_;
};

}  // namespace plexor
