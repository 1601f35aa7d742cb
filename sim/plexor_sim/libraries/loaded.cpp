// SPDX-License-Identifier: Apache-2.0
// One or several libraries with the interface of plexor_device.h, and Python sketches, as a device.
//
// Options of library N, which build.py writes: library.N.file, .title (its name in messages),
// .strikes and .responses (the instrument's numbers of its inputs and outputs 0, 1, ..., by colons;
// empty: as they are), .options, .python (the interpreter of a sketch). \x1f stands for a comma.
// A user's: patience=SECONDS and said=PATH; NAME=VALUE goes to library 0, N.NAME=VALUE to library N.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device.h"
#include "guard.h"
#include "option_text.h"
#include "plexor_device.h"
#include "said.h"
#include "sketch.h"

namespace plexor {

namespace {

constexpr int kResponses = 8, kPins = 24;
constexpr uint8_t kNowhere = UINT8_MAX;  // in place of a pin
constexpr int64_t kPatienceS = 10;

struct PartOptions {
  std::string file, title, options, python;
  std::vector<int> strikes, responses;  // empty: as they are
};

std::vector<int> numbers(const std::string& text) {
  std::vector<int> all;
  for (const std::string& item : split(text, ':')) all.push_back(std::stoi(item));
  return all;
}

struct LoadedOptions {
  std::vector<PartOptions> parts;
  int64_t patience_s = kPatienceS;
  std::string said;

  static LoadedOptions parse(const std::string& text) {
    LoadedOptions options;
    for (const auto& [key, value] : option_pairs(text)) options.take(key, value);
    return options;
  }

 private:
  static constexpr const char* kOwn = "library.";

  void take(const std::string& key, std::string value) {
    if (key.rfind(kOwn, 0) == 0) {
      std::replace(value.begin(), value.end(), '\x1f', ',');
      const std::string rest = key.substr(std::strlen(kOwn));
      const size_t number = std::stoul(rest);
      if (number >= parts.size()) parts.resize(number + 1);
      const std::string name = rest.substr(rest.find('.') + 1);
      PartOptions& part = parts[number];
      if (name == "file") part.file = value;
      if (name == "title") part.title = value;
      if (name == "options") part.options = value;
      if (name == "python") part.python = value;
      if (name == "strikes") part.strikes = numbers(value);
      if (name == "responses") part.responses = numbers(value);
    } else if (key == "patience") {
      patience_s = option_integer(key, value, 1, 1'000'000);
    } else if (key == "said") {
      said = value;
    } else {
      const size_t dot = key.find('.');
      const bool is_numbered =
          dot != std::string::npos && dot > 0 && key.find_first_not_of("0123456789") == dot;
      const size_t number = is_numbered ? std::stoul(key.substr(0, dot)) : 0;
      if (number >= parts.size())
        throw BadOption(key + "=" + value + ": there are " + std::to_string(parts.size()) +
                        " libraries, counted from 0");
      std::string& own = parts[number].options;
      own += (own.empty() ? "" : ",") + (is_numbered ? key.substr(dot + 1) : key) + "=" + value;
    }
  }
};

// The calls of a library's file.
plexor_device calls_of(const PartOptions& part) {
  void* library = dlopen(part.file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw BadOption(part.title + ": cannot be loaded: " + dlerror());
  using Get = const plexor_device* (*)(uint32_t);
  const auto get = reinterpret_cast<Get>(dlsym(library, "plexor_device_get"));
  if (!get) throw BadOption(part.title + ": has no plexor_device_get; plexor_device.h declares it");
  const plexor_device* given = nullptr;
  {
    const guard::Call call(part.title.c_str(), "plexor_device_get", 0);
    given = get(PLEXOR_DEVICE_VERSION);
  }
  const std::string right = "; must be version " + std::to_string(PLEXOR_DEVICE_VERSION);
  if (!given) throw BadOption(part.title + ": has another version of plexor_device.h" + right);
  if (given->version != PLEXOR_DEVICE_VERSION)
    throw BadOption(part.title + ": has version " + std::to_string(given->version) +
                    " of plexor_device.h" + right);
  // One that was built with an earlier header has fewer calls.
  plexor_device calls{};
  std::memcpy(&calls, given, std::min<size_t>(given->bytes, sizeof calls));
  if (!calls.create || !calls.destroy || !calls.input || !calls.advance)
    throw BadOption(part.title + ": must have create, destroy, input and advance");
  return calls;
}

class Part {
 public:
  explicit Part(const PartOptions& options)
      : options_(options), calls_(options.python.empty() ? calls_of(options) : sketch_calls()) {
    if (!options_.python.empty())
      options_.options = options_.python + '\n' + options_.file + '\n' + options_.options;
    create();
  }
  ~Part() { destroy(); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  uint32_t initial_levels() const { return shown_; }
  std::string load() const { return load_; }
  bool draws() const { return calls_.draws && guarded("draws", calls_.draws, device_) != 0; }

  void input(int64_t time_ps, uint32_t strikes, bool load) {
    quiet_ps_ = INT64_MIN;
    const guard::Call call(title(), "input", time_ps);
    calls_.input(device_, time_ps, own_strikes(strikes), load);
  }

  void timecode(int64_t time_ps, uint32_t pins) {
    if (!calls_.timecode) return;
    quiet_ps_ = INT64_MIN;
    const guard::Call call(title(), "timecode", time_ps);
    calls_.timecode(device_, time_ps, pins);
  }

  void advance(int64_t to_ps, std::vector<Edge>& edges) {
    edges.insert(edges.end(), changes_.begin(), changes_.end());
    changes_.clear();
    uint64_t given = 0;
    for (int32_t result = PLEXOR_MORE; result == PLEXOR_MORE;) {
      uint32_t count = kRoom;
      {
        const guard::Call call(title(), "advance", now_ps_);
        result = calls_.advance(device_, to_ps, room_.data(), &count);
      }
      if (result < 0) fail("advance");
      check_room("advance", result, count, kRoom);
      for (uint32_t n = 0; n < count; n++) edges.push_back(checked(room_[n], to_ps));
      given += count;
      if (given > kMostEdges)
        throw std::runtime_error(options_.title + ": advance to " + std::to_string(to_ps) +
                                 " ps has given " + std::to_string(given) +
                                 " edges, and says that there are more; must be at most " +
                                 std::to_string(kMostEdges));
    }
    now_ps_ = to_ps;
  }

  int64_t quiet_until_ps() {
    if (!calls_.quiet_until_ps || !changes_.empty()) return INT64_MIN;
    return quiet_ps_ = guarded("quiet_until_ps", calls_.quiet_until_ps, device_);
  }

  // Starts again and runs up to where it was. What is then different changes there.
  void restart(uint32_t strikes) {
    const int64_t now_ps = now_ps_;
    const uint32_t shown = shown_;
    destroy();
    strikes_ = own_strikes(strikes);
    create();
    std::vector<Edge> passed;
    if (now_ps) advance(now_ps, passed);
    for (uint32_t changed = shown ^ shown_; changed; changed &= changed - 1) {
      const int pin = __builtin_ctz(changed);
      changes_.push_back({now_ps, static_cast<uint8_t>(pin), (shown_ >> pin & 1) != 0});
    }
  }

  int64_t serial_answer_ps() const {
    const bool has_line = calls_.serial_answer_ps && calls_.serial && calls_.serial_sent;
    return has_line ? guarded("serial_answer_ps", calls_.serial_answer_ps, device_) : 0;
  }

  int64_t serial(int64_t time_ps, uint8_t byte) {
    quiet_ps_ = INT64_MIN;
    const guard::Call call(title(), "serial", time_ps);
    return calls_.serial(device_, time_ps, byte);
  }

  void serial_sent(std::vector<SerialByte>& bytes) {
    for (int32_t result = PLEXOR_MORE; result == PLEXOR_MORE;) {
      std::array<plexor_byte, kBytes> room;
      uint32_t count = kBytes;
      {
        const guard::Call call(title(), "serial_sent", now_ps_);
        result = calls_.serial_sent(device_, room.data(), &count);
      }
      if (result < 0) fail("serial_sent");
      check_room("serial_sent", result, count, kBytes);
      for (uint32_t n = 0; n < count; n++) bytes.push_back({room[n].time_ps, room[n].byte});
    }
  }

 private:
  static constexpr uint32_t kRoom = 256, kBytes = 64;
  // In one advance. A device that never ends would take all memory.
  static constexpr uint64_t kMostEdges = 1 << 24;

  const char* title() const { return options_.title.c_str(); }

  template <typename Result>
  Result guarded(const char* name, Result (*get)(void*), void* device) const {
    const guard::Call call(title(), name, now_ps_);
    return get(device);
  }

  void create() {
    char error[512] = "";
    {
      const guard::Call call(title(), "create", 0);
      device_ = calls_.create(options_.options.c_str(), strikes_, error, sizeof error);
    }
    error[sizeof error - 1] = 0;
    if (!device_) throw BadOption(options_.title + ": " + (*error ? error : "create returns null"));
    now_ps_ = edge_ps_ = 0;
    quiet_ps_ = INT64_MIN;
    const auto levels = calls_.initial_levels;
    shown_ = levels ? at_pins(guarded("initial_levels", levels, device_)) : 0;
    const char* load = calls_.load ? guarded("load", calls_.load, device_) : nullptr;
    load_ = load ? load : "";
  }

  void destroy() {
    if (!device_) return;
    const guard::Call call(title(), "destroy", now_ps_);
    calls_.destroy(device_);
    device_ = nullptr;
  }

  [[noreturn]] void fail(const char* name) {
    std::string why = calls_.error ? guarded("error", calls_.error, device_) : "";
    throw std::runtime_error(options_.title + ": " + (why.empty() ? std::string(name) + " has failed" : why));
  }

  // Ends the simulation if a call returns what it may not; one that says that there is more has come
  // on, at least.
  void check_room(const char* name, int32_t result, uint32_t count, uint32_t room) const {
    if (count <= room && (result == PLEXOR_DONE || (result == PLEXOR_MORE && count))) return;
    throw std::runtime_error(options_.title + ": " + name + " returns " + std::to_string(result) +
                             " with a *count of " + std::to_string(count) + "; must be " +
                             std::to_string(PLEXOR_DONE) + " with 0 to " + std::to_string(room) +
                             ", or " + std::to_string(PLEXOR_MORE) + " with 1 to " +
                             std::to_string(room));
  }

  uint32_t own_strikes(uint32_t strikes) const {
    if (options_.strikes.empty()) return strikes;
    uint32_t own = 0;
    for (size_t n = 0; n < options_.strikes.size(); n++)
      own |= (strikes >> options_.strikes[n] & 1) << n;
    return own;
  }

  // The instrument's pin of an output; -1: it goes nowhere.
  int pin_of(int output) const {
    if (output >= kResponses || options_.responses.empty()) return output;
    const auto number = static_cast<size_t>(output);
    return number < options_.responses.size() ? options_.responses[number] : -1;
  }

  uint32_t at_pins(uint32_t outputs) const {
    uint32_t levels = 0;
    for (int output = 0; output < kPins; output++)
      if (const int pin = pin_of(output); pin >= 0) levels |= (outputs >> output & 1) << pin;
    return levels;
  }

  Edge checked(const plexor_edge& edge, int64_t to_ps) {
    if (edge.pin >= kPins)
      wrong(edge, "pin " + std::to_string(edge.pin) + "; must be 0 to " + std::to_string(kPins - 1));
    const int64_t least_ps = std::max(edge_ps_, quiet_ps_);
    if (edge.time_ps < least_ps)
      wrong(edge, edge.time_ps < edge_ps_ ? "edges must come in order"
                                          : "quiet_until_ps has said that none comes before " +
                                                std::to_string(quiet_ps_) + " ps");
    if (edge.time_ps >= to_ps)
      wrong(edge, "this advance goes to " + std::to_string(to_ps) + " ps; must be before it");
    edge_ps_ = edge.time_ps;
    const int pin = pin_of(edge.pin);
    if (pin < 0) return {edge.time_ps, kNowhere, false};
    shown_ = (shown_ & ~(1u << pin)) | static_cast<uint32_t>(edge.level != 0) << pin;
    return {edge.time_ps, static_cast<uint8_t>(pin), edge.level != 0};
  }

  [[noreturn]] void wrong(const plexor_edge& edge, const std::string& what) const {
    throw std::runtime_error(options_.title + ": an edge of pin " + std::to_string(edge.pin) +
                             " at " + std::to_string(edge.time_ps) + " ps: " + what);
  }

  PartOptions options_;
  plexor_device calls_;
  void* device_ = nullptr;
  uint32_t strikes_ = 0;  // before time zero
  uint32_t shown_ = 0;    // levels of the instrument's pins
  std::vector<Edge> changes_;  // of a restart
  std::string load_;
  int64_t now_ps_ = 0;           // it has run up to this
  int64_t edge_ps_ = 0;          // of the last edge
  int64_t quiet_ps_ = INT64_MIN;  // what it has promised
  std::array<plexor_edge, kRoom> room_;
};

class Loaded final : public Device {
 public:
  explicit Loaded(const LoadedOptions& options) {
    guard::start(options.patience_s);
    said::begin(&now_ps_, options.said, false);
    for (const PartOptions& part : options.parts) parts_.push_back(std::make_unique<Part>(part));
    for (auto& part : parts_)
      if (!line_ && part->serial_answer_ps()) line_ = part.get();
  }

  bool draws() const override {
    return std::any_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->draws(); });
  }

  Load load() const override {
    for (const auto& part : parts_)
      if (const std::string name = part->load(); !name.empty()) return {name};
    return {};
  }

  uint32_t initial_levels() const override {
    uint32_t levels = 0;
    for (const auto& part : parts_) levels |= part->initial_levels();
    return levels;
  }

  void input(int64_t time_ps, uint32_t strikes, bool load) override {
    for (auto& part : parts_) part->input(time_ps, strikes, load);
  }

  // What the load and the timecode were is not played again: no run has begun.
  bool restart(uint32_t strikes) override {
    if (line_) return false;
    for (auto& part : parts_) part->restart(strikes);
    return true;
  }

  void timecode(int64_t time_ps, uint32_t pins) override {
    for (auto& part : parts_) part->timecode(time_ps, pins);
  }

  int64_t serial_answer_ps() const override { return line_ ? line_->serial_answer_ps() : 0; }

  int64_t serial(int64_t time_ps, uint8_t byte) override { return line_->serial(time_ps, byte); }

  void serial_sent(std::vector<SerialByte>& bytes) override {
    if (line_) line_->serial_sent(bytes);
  }

  void advance(int64_t to_ps, std::vector<Edge>& edges) override {
    const auto first = static_cast<std::ptrdiff_t>(edges.size());
    for (auto& part : parts_) part->advance(to_ps, edges);
    now_ps_ = to_ps;
    const auto goes_nowhere = [](const Edge& edge) { return edge.channel == kNowhere; };
    edges.erase(std::remove_if(edges.begin() + first, edges.end(), goes_nowhere), edges.end());
    if (parts_.size() == 1) return;
    std::stable_sort(edges.begin() + first, edges.end(),
                     [](const Edge& a, const Edge& b) { return a.time_ps < b.time_ps; });
  }

  int64_t quiet_until_ps() const override {
    int64_t quiet_ps = INT64_MAX;
    for (const auto& part : parts_) quiet_ps = std::min(quiet_ps, part->quiet_until_ps());
    return quiet_ps;
  }

 private:
  std::vector<std::unique_ptr<Part>> parts_;
  Part* line_ = nullptr;  // the first one with a serial line
  int64_t now_ps_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_device(const std::string& options) {
  return std::make_unique<Loaded>(LoadedOptions::parse(options));
}

}  // namespace plexor
