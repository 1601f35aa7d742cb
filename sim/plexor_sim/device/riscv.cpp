// SPDX-License-Identifier: Apache-2.0
// The device of soc.v behind the interface of device.h: a RISC-V core and its firmware, on a clock
// of its own, asynchronous to the instrument's.
//
// Its options are declared in ../device_options.py, which checks a user's options. Here times are
// whole ps, and firmware=PATH of the image is required. every_cycle=1 also evaluates the cycles in
// which the core is in a loop. Which program the image has, with what options, and that it sends
// codes, was decided when it was built.
//
// Pins of the code port are channels 8 and up. With codes=strobed, channel 7 rises as the port takes
// a code, equal or not to the one before, and falls half a clock later.
//
// Its serial line has the rate of `baud`, whatever its clock; bytes to it begin serial_delay_ps later.
// With PLEXOR_BUS the core has no caches and one bus; regions=... and bus=PATH are as in bus.h.
// The firmware has started before time zero. An input counts from the first rising clock edge at or
// after it, so a pulse between two edges goes unseen, as on hardware.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>

#include "Vsoc.h"
#include "device.h"
#include "retired.h"
#include "serial_line.h"
#ifdef PLEXOR_BUS
#include "bus.h"
#else
#include "repetition.h"
#endif
#include "verilated.h"

namespace {

using Wide = __int128;

constexpr int64_t kUnitsPerPs = 1'000'000;  // unit of the clock's period, so that 1 ppm is exact
constexpr int kCriticalPin = 6;  // as in firmware/soc.h
constexpr uint8_t kStrobePin = 7;
constexpr int kFirstCodePin = 8;
constexpr int kPins = 24;  // with those of the code port
constexpr int kResetCycles = 4;
constexpr int64_t kLeastRate = 64, kMostRate = (1 << 20) - 1;  // UART_RATE of soc.v
constexpr int kStartupCycles = 1'000'000;
// For an answer on the serial line: a message, and three ticks of the kernel.
constexpr int64_t kAnswerBytes = 20, kAnswerCycles = 150'000;

const std::map<std::string, uint32_t> kLoads = {  // bits as in firmware/soc.h
    {"none", 0},     {"cpu", 1},   {"critical", 2}, {"polygons", 4},
    {"queue", 8},    {"storm", 16}, {"all", ~0u},
};

const std::map<std::string, uint8_t> kCodes = {  // as in soc.v
    {"off", 0}, {"port", 1}, {"strobed", 1}, {"two-wire", 2}};

const std::string kRegions = "regions";  // as the build of the firmware found them, not a user's

struct Options {
  std::string firmware;
  std::string retired;
  uint8_t codes = 0;
  bool strobed = false;
  std::string bus;
  std::string regions;
  std::string load = "none";
  uint32_t load_select = 0;
  uint32_t blocks = 0;  // as firmware/malloc.c has it
  bool load_switched = true;
  bool every_cycle = false;
  int64_t clock_ps = 20000;
  int64_t phase_ps = 0;
  int64_t ppm = 0;
  int64_t clk_to_q_ps = 0;
  int64_t critical_pin = kCriticalPin;
  int64_t baud = 9600;
  int64_t serial_delay_ps = 0;
  bool timecode_gray = false;
};

int64_t number(const std::string& key, const std::string& value, int64_t low, int64_t high) {
  size_t used = 0;
  int64_t result = 0;
  try {
    result = std::stoll(value, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used == 0 || used != value.size() || result < low || result > high)
    throw plexor::BadOption(key + "=" + value + ": an integer from " + std::to_string(low) +
                            " to " + std::to_string(high) + " is needed");
  return result;
}

uint32_t loads(const std::string& value) {
  uint32_t select = 0;
  std::istringstream names(value + "+");
  for (std::string name; std::getline(names, name, '+');) {
    auto load = kLoads.find(name);
    if (load == kLoads.end())
      throw plexor::BadOption("load=" + value + ": '" + name + "' is none of none, cpu, critical, " +
                              "polygons, queue, storm, all");
    select |= load->second;
  }
  return select;
}

uint8_t codes(const std::string& value) {
  auto found = kCodes.find(value);
  if (found == kCodes.end())
    throw plexor::BadOption("codes=" + value + ": must be off, port, strobed or two-wire");
  return found->second;
}

// Sixteenths of a clock in a bit of the serial line.
int64_t rate(const Options& options) {
  const int64_t rate_ps = options.baud * options.clock_ps;
  return (16'000'000'000'000 + rate_ps / 2) / rate_ps;
}

Options parse(const std::string& text) {
  Options options;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    size_t equals = item.find('=');
    std::string key = item.substr(0, equals);
    std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
    // These are decided when it is built.
    if (key == "program" || key == "iterations" || key == "self") continue;
    else if (key == "platform" || key == "app") continue;
    else if (key == kRegions) options.regions = value;
    else if (key == "bus") options.bus = value;
    else if (key == "blocks") options.blocks = number(key, value, 0, 0xffff);
    else if (key == "firmware") options.firmware = value;
    else if (key == "codes") options.codes = codes(value), options.strobed = value == "strobed";
    else if (key == "retired") options.retired = value;
    else if (key == "load") options.load_select = loads(options.load = value);
    else if (key == "load_switched") options.load_switched = number(key, value, 0, 1);
    else if (key == "every_cycle") options.every_cycle = number(key, value, 0, 1);
    else if (key == "clock_ps") options.clock_ps = number(key, value, 1000, 1'000'000);
    else if (key == "phase_ps") options.phase_ps = number(key, value, 0, 1'000'000);
    else if (key == "ppm") options.ppm = number(key, value, -100'000, 100'000);
    else if (key == "clk_to_q_ps") options.clk_to_q_ps = number(key, value, 0, 1'000'000);
    else if (key == "critical_pin") options.critical_pin = number(key, value, 0, 7);
    else if (key == "baud") options.baud = number(key, value, 300, 100'000'000);
    else if (key == "serial_delay_ps")
      options.serial_delay_ps = number(key, value, 0, 10'000'000'000'000);
    else if (key == "timecode") options.timecode_gray = value == "gray";
    else
      throw plexor::BadOption("'" + item + "': the options are firmware, load, load_switched, " +
                              "every_cycle, clock_ps, phase_ps, ppm, clk_to_q_ps, critical_pin, " +
                              "program, iterations, self, codes, retired, baud, " +
                              "serial_delay_ps, timecode, platform, bus, blocks");
  }
  if (rate(options) < kLeastRate || rate(options) > kMostRate)
    throw plexor::BadOption("baud=" + std::to_string(options.baud) + ": a bit must take 4 to " +
                            std::to_string(kMostRate >> 4) + " clocks of " +
                            std::to_string(options.clock_ps) + " ps");
  if (!std::ifstream(options.firmware))
    throw plexor::BadOption("firmware=" + options.firmware + ": cannot be read; the path of an " +
                            "image is needed");
  return options;
}

class Riscv final : public plexor::Device {
 public:
  explicit Riscv(const Options& options)
      : options_(options),
        period_((options.clock_ps * kUnitsPerPs * 1'000'000 + (1'000'000 + options.ppm) / 2) /
                (1'000'000 + options.ppm)),
        edge_ps_(options.phase_ps),
        retired_(options.retired),
        line_(options.baud, options.serial_delay_ps)
#ifdef PLEXOR_BUS
        ,
        bus_(options.regions, options.bus, options.firmware, options.clock_ps)
#endif
  {
    std::string image = "+firmware=" + options.firmware;
    const char* arguments[] = {"soc", image.c_str()};
    context_.commandArgs(2, arguments);
    soc_ = std::make_unique<Vsoc>(&context_);
    soc_->load_select = (options.load_select & 0xffff) | options.blocks << 16;
    soc_->codes = options.codes;
    soc_->timecode_gray = options.timecode_gray;
    soc_->uart_rate = static_cast<uint32_t>(rate(options));
    soc_->uart_rx = 1;
    load_ = !options.load_switched;
    repetition_.emplace(*soc_);
    start();
#ifdef PLEXOR_BUS
    bus_.begin();
#endif
  }

  ~Riscv() override { soc_->final(); }

  void input(int64_t time_ps, uint32_t strikes, bool load) override {
    strikes_ = strikes;
    load_ = load || !options_.load_switched;
    inputs_.push_back({time_ps, strikes_, load_, timecode_});
  }

  plexor::Load load() const override {
    if (!soc_->loads_offered) return {};
    if (!(options_.load_select & soc_->loads_offered)) return {"none"};
    return {options_.load, !options_.load_switched};
  }

  void timecode(int64_t time_ps, uint32_t pins) override {
    timecode_ = static_cast<uint16_t>(pins);
    inputs_.push_back({time_ps, strikes_, load_, timecode_});
  }

  int64_t serial_answer_ps() const override {
    return kAnswerBytes * line_.byte_ps() + kAnswerCycles * options_.clock_ps;
  }

  int64_t serial(int64_t time_ps, uint8_t byte) override { return line_.send(time_ps, byte); }

  void serial_sent(std::vector<plexor::SerialByte>& bytes) override { line_.taken(bytes); }

  void advance(int64_t to_ps, std::vector<plexor::Edge>& edges) override {
    while (edge_ps_ + options_.clk_to_q_ps < to_ps) {
      if (repeats_) {
        pass_rounds(to_ps);
        continue;
      }
      while (!inputs_.empty() && inputs_.front().time_ps <= edge_ps_) {
        soc_->strikes = inputs_.front().strikes;
        soc_->load = inputs_.front().load;
        soc_->timecode = inputs_.front().timecode;
        inputs_.pop_front();
        repetition_->disturb();
      }
      while (line_.next_ps() <= edge_ps_) {
        soc_->uart_rx = line_.take();
        repetition_->disturb();
      }
      if (retired_.is_on()) keep();
      end_strobe(to_ps, edges);
      const bool strobes = options_.strobed && soc_->coded;
      cycle();
      const uint32_t pins = connected(soc_->pins) | uint32_t{soc_->code_pins} << kFirstCodePin;
      if (uint32_t changed = pins ^ pins_) {
        pins_ = pins;
        repetition_->disturb();
        for (uint8_t pin = 0; pin < kPins; pin++)
          if (changed >> pin & 1)
            edges.push_back({edge_ps_ + options_.clk_to_q_ps, pin, bool(pins_ >> pin & 1)});
      }
      if (soc_->uart_tx != sends_) {
        sends_ = soc_->uart_tx;
        line_.hear(edge_ps_ + options_.clk_to_q_ps, sends_);
      }
      if (strobes) {
        repetition_->disturb();
        edges.push_back({edge_ps_ + options_.clk_to_q_ps, kStrobePin, true});
        strobe_end_ps_ = edge_ps_ + options_.clk_to_q_ps + options_.clock_ps / 2;
      }
      if (!options_.every_cycle && !retired_.is_on()) rounds_left_ = repetition_->look();
      repeats_ = rounds_left_ > 0;
      pass_edges(1);
    }
    end_strobe(to_ps, edges);
    line_.hear_until(to_ps);
  }

  int64_t quiet_until_ps() const override {
    const int64_t rounds = next_input_ps() == INT64_MAX ? rounds_left_ : rounds_before(INT64_MAX);
    const int64_t edge_ps = edge_after(rounds) + options_.clk_to_q_ps;
    return std::min(edge_ps, strobe_end_ps_);
  }

 private:
  struct Input {
    int64_t time_ps;
    uint32_t strikes;
    bool load;
    uint16_t timecode;
  };

  // When an input changes next.
  int64_t next_input_ps() const {
    return std::min(inputs_.empty() ? INT64_MAX : inputs_.front().time_ps, line_.next_ps());
  }

  uint32_t connected(uint32_t pins) const {
    const uint32_t to = 1u << options_.critical_pin;
    return (pins & ~to & ~(1u << kCriticalPin)) | (pins >> kCriticalPin & 1) * to;
  }

  void end_strobe(int64_t to_ps, std::vector<plexor::Edge>& edges) {
    if (strobe_end_ps_ >= to_ps) return;
    edges.push_back({strobe_end_ps_, kStrobePin, false});
    strobe_end_ps_ = INT64_MAX;
  }

  // Keeps what the core does at the edge that comes now.
  void keep() {
    if (soc_->retired) retired_.instruction(edge_ps_, soc_->retired_pc);
    if (soc_->coded) retired_.code(edge_ps_, soc_->code);
  }

  void cycle() {
#ifdef PLEXOR_BUS
    bus_.step(*soc_, edge_ps_);
#endif
    soc_->clk ^= 1;  // riscv.py has the flip-flops take both edges: half the evaluations
    soc_->eval();
    if (soc_->trap_code) trapped();
  }

  // The time of the clock edge after so many others.
  int64_t edge_after(int64_t edges) const {
    return edge_ps_ + static_cast<int64_t>((units_ + Wide{edges} * period_) / kUnitsPerPs);
  }

  void pass_edges(int64_t edges) {
    const Wide units = units_ + Wide{edges} * period_;
    edge_ps_ += static_cast<int64_t>(units / kUnitsPerPs);
    units_ = static_cast<int64_t>(units % kUnitsPerPs);
  }

  // How many edges before a time, and before the next input, are surely in the loop.
  int64_t rounds_before(int64_t to_ps) const {
    const Wide units = Wide{std::min(to_ps, next_input_ps()) - edge_ps_} * kUnitsPerPs - units_;
    const Wide edges = (units + period_ - 1) / period_;
    return static_cast<int64_t>(std::clamp<Wide>(edges, 0, rounds_left_));
  }

  // Lets edges pass while the core is in its loop; ends the loop when an input or the timer does.
  // These edges are owed: once their number is known, whole rounds are skipped.
  void pass_rounds(int64_t to_ps) {
    const int64_t passed = rounds_before(to_ps - options_.clk_to_q_ps);
    pass_edges(passed);
    rounds_left_ -= passed;
    owed_ += passed;
    if (edge_ps_ + options_.clk_to_q_ps >= to_ps) return;
    for (owed_ = repetition_->pass(owed_); owed_; owed_--) cycle();
    repetition_->disturb();
    rounds_left_ = 0;
    repeats_ = false;
  }

  void start() {
    soc_->reset = 1;
    for (int i = 0; i < kResetCycles; i++) cycle();
    soc_->reset = 0;
    for (int i = 0; i < kStartupCycles && !soc_->ready; i++) cycle();
    if (!soc_->ready)
      throw std::runtime_error("riscv device: the firmware " + options_.firmware +
                               " did not start within " + std::to_string(kStartupCycles) +
                               " cycles");
    uint32_t missing = options_.load_select & ~soc_->loads_offered;
    if (missing && options_.load_select != kLoads.at("all"))
      throw plexor::BadOption("load=" + options_.load + ": this firmware does not have it");
    soc_->load = !options_.load_switched;
  }

  [[noreturn]] void trapped() const {
    static const char* const sentences[] = {
        "unknown trap, value 0x%" PRIx32, "access to nowhere, address 0x%" PRIx32,
        "unexpected exception, pc 0x%" PRIx32, "stack overflow, task 0x%" PRIx32,
        "kernel assertion failed, line %" PRIu32};
    const uint32_t code = soc_->trap_code < std::size(sentences) ? soc_->trap_code : 0;
    char text[100];  // addresses are those of symbols in firmware.elf, beside the image
    std::snprintf(text, sizeof text, sentences[code], soc_->trap_value);
    throw std::runtime_error("riscv device: the firmware trapped " +
                             (soc_->ready ? "at " + std::to_string(edge_ps_) + " ps"
                                          : std::string("while starting")) +
                             ": " + text);
  }

  const Options options_;
  const int64_t period_;
  int64_t edge_ps_;
  int64_t units_ = 0;
  bool repeats_ = false;     // the core is in a loop
  int64_t rounds_left_ = 0;  // edges for which the loop surely goes on
  int64_t owed_ = 0;         // edges that passed in the loop without an evaluation
  uint32_t pins_ = 0;
  int64_t strobe_end_ps_ = INT64_MAX;
  plexor::Retired retired_;
  std::deque<Input> inputs_;
  uint32_t strikes_ = 0;
  bool load_ = false;
  uint16_t timecode_ = 0;
  plexor::SerialLine line_;
  bool sends_ = true;  // the level of the line from the device
  VerilatedContext context_;
  std::unique_ptr<Vsoc> soc_;
  std::optional<plexor::Repetition> repetition_;
#ifdef PLEXOR_BUS
  plexor::Bus bus_;
#endif
};

}  // namespace

std::unique_ptr<plexor::Device> plexor::make_device(const std::string& options) {
  return std::make_unique<Riscv>(parse(options));
}
