// SPDX-License-Identifier: Apache-2.0
// The synthetic device: a loop that always handles the earliest event. See synthetic.h.
#include "synthetic.h"

#include <algorithm>
#include <deque>
#include <queue>

#include "device.h"
#include "planted_codes.h"

namespace plexor {

namespace {

constexpr int64_t kNever = INT64_MAX;
constexpr double kPsPerSecond = 1e12;

// Possible times of edges, by the device's clock and the grid.
class Instants {
 public:
  explicit Instants(const SyntheticOptions& options)
      : clock_ps_(options.clock_ps),
        phase_ps_(options.clock_ps ? options.phase_ps % options.clock_ps : 0),
        grid_fs_(options.grid_fs) {}

  // The first rising clock edge at or after a time that is not negative.
  int64_t seen(int64_t ps) const {
    if (!clock_ps_) return ps;
    const int64_t since = ps - phase_ps_;
    return since <= 0 ? phase_ps_ : phase_ps_ + (since + clock_ps_ - 1) / clock_ps_ * clock_ps_;
  }

  // The first possible output edge at or after a time. Grid times are rounded down to whole ps.
  int64_t output(int64_t ps) const {
    ps = seen(ps);
    if (!grid_fs_) return ps;
    const __int128 multiple = (static_cast<__int128>(ps) * 1000 + grid_fs_ - 1) / grid_fs_;
    return static_cast<int64_t>(multiple * grid_fs_ / 1000);
  }

 private:
  const int64_t clock_ps_, phase_ps_, grid_fs_;
};

struct Pulse {
  int64_t ready_ps;
  uint64_t number;  // keeps the order of pulses that are ready at the same time
  int64_t width_ps;

  bool operator>(const Pulse& other) const {
    return ready_ps != other.ready_ps ? ready_ps > other.ready_ps : number > other.number;
  }
};

class Channel {
 public:
  Channel(const ChannelOptions& options, const Instants& instants, uint64_t seed, int number)
      : options_(options),
        instants_(instants),
        latency_(seed, number * kPurposes + 0),
        width_(seed, number * kPurposes + 1),
        service_(seed, number * kPurposes + 2),
        drop_(seed, number * kPurposes + 3),
        duplicate_(seed, number * kPurposes + 4),
        spurious_(seed, number * kPurposes + 5) {
    if (options_.spurious_hz > 0) schedule_spurious(0);
    if (options_.tick_period_ps) tick_ps_ = options_.tick_phase_ps;
    settle();
  }

  const After& after() const { return options_.after; }
  bool invert() const { return options_.invert; }
  bool toggles() const { return options_.toggle; }
  int64_t next_ps() const { return next_ps_; }

  void request(int64_t now_ps, bool load) {
    const int64_t since_ps = last_request_ps_ ? now_ps - *last_request_ps_ : kNever;
    last_request_ps_ = now_ps;
    if (since_ps >= options_.deaf_low_ps && since_ps <= options_.deaf_high_ps) return;
    if (options_.drop > 0 && drop_.unit() < options_.drop) return;
    while (!starts_.empty() && starts_.front() <= now_ps) starts_.pop_front();
    const bool waits = free_ps_ > now_ps;
    if (waits && static_cast<int64_t>(starts_.size()) >= options_.queue) {
      overloaded_ = options_.overload_service.has_value();
      return;
    }
    if (now_ps - free_ps_ >= options_.overload_rest_ps) overloaded_ = false;
    const int64_t start_ps = waits ? free_ps_ : now_ps;
    if (waits) starts_.push_back(start_ps);
    Distribution& service = overloaded_ ? *options_.overload_service
                                        : either(options_.service, options_.load_service, load);
    free_ps_ = start_ps + service.draw(service_);
    const int64_t latency_ps =
        either(options_.latency, options_.load_latency, load).draw(latency_);
    last_ready_ps_ = std::max(last_ready_ps_, start_ps + latency_ps);
    add_pulse(last_ready_ps_, load);
    if (options_.duplicate > 0 && duplicate_.unit() < options_.duplicate)
      add_pulse(last_ready_ps_ + options_.duplicate_delay.draw(duplicate_), load);
    settle();
  }

  // Handles the event at next_ps(). Returns 1 for a rise, 0 for a fall, -1 if the pin stays.
  int act() {
    const int64_t now_ps = next_ps_;
    int edge = -1;
    if (spurious_ps_ == now_ps) {
      add_pulse(now_ps, false);
      schedule_spurious(now_ps);
    } else if (tick_ps_ == now_ps) {
      add_pulse(now_ps, false);
      tick_ps_ += options_.tick_period_ps;
    } else if (options_.toggle) {
      high_ = !high_;
      free_pin_ps_ = now_ps + options_.gap_ps;
      pulses_.pop();
      edge = high_;
    } else if (high_) {
      high_ = false;
      free_pin_ps_ = now_ps + options_.gap_ps;
      edge = 0;
    } else {
      high_ = true;
      fall_ps_ = std::max(instants_.output(now_ps + pulses_.top().width_ps), now_ps + 1);
      pulses_.pop();
      edge = 1;
    }
    settle();
    return edge;
  }

 private:
  static constexpr int kPurposes = 8;

  static Distribution& either(Distribution& idle, std::optional<Distribution>& loaded, bool load) {
    return load && loaded ? *loaded : idle;
  }

  void add_pulse(int64_t ready_ps, bool load) {
    const int64_t width_ps = either(options_.width, options_.load_width, load).draw(width_);
    pulses_.push({ready_ps, pulse_cnt_++, std::max<int64_t>(width_ps, 1)});
  }

  void schedule_spurious(int64_t now_ps) {
    const double gap_ps =
        -portable_log(1 - spurious_.unit()) * (kPsPerSecond / options_.spurious_hz);
    spurious_ps_ = now_ps + 1 + static_cast<int64_t>(std::min(gap_ps, 1e18));
  }

  int64_t unmasked(int64_t ps) const {
    if (!options_.mask_period_ps || ps < options_.mask_phase_ps) return ps;
    const int64_t into = (ps - options_.mask_phase_ps) % options_.mask_period_ps;
    return into < options_.mask_length_ps ? ps - into + options_.mask_length_ps : ps;
  }

  void settle() {
    int64_t edge_ps = kNever;
    if (high_ && !options_.toggle)
      edge_ps = fall_ps_;
    else if (!pulses_.empty())
      edge_ps = instants_.output(unmasked(std::max(pulses_.top().ready_ps, free_pin_ps_)));
    next_ps_ = std::min({edge_ps, spurious_ps_, tick_ps_});
  }

  ChannelOptions options_;
  const Instants& instants_;
  Random latency_, width_, service_, drop_, duplicate_, spurious_;
  std::priority_queue<Pulse, std::vector<Pulse>, std::greater<>> pulses_;
  std::deque<int64_t> starts_;  // times at which waiting requests will be served
  uint64_t pulse_cnt_ = 0;
  std::optional<int64_t> last_request_ps_;
  int64_t free_ps_ = 0, last_ready_ps_ = 0;
  bool overloaded_ = false;
  int64_t free_pin_ps_ = 0, fall_ps_ = 0, spurious_ps_ = kNever;
  int64_t tick_ps_ = kNever, next_ps_ = kNever;
  bool high_ = false;
};

// A strike input. A level is seen at the next clock edge, unless it has gone by then.
struct Input {
  bool level = false, seen = false;
  int64_t due_ps = kNever;
};

class Synthetic final : public Device {
 public:
  explicit Synthetic(const SyntheticOptions& options)
      : instants_(options),
        load_name_(options.loaded()),
        loadable_(options.load != "none"),
        draws_(std::any_of(options.channels.begin(), options.channels.end(),
                           [](const ChannelOptions& channel) { return channel.draws(); })) {
    if (!options.codes.empty())
      codes_ = planted_codes(options.codes, options.code_skew_ps, options.code_strobe);
    channels_.reserve(kPins);
    for (int n = 0; n < kPins; n++)
      channels_.emplace_back(options.channels[n], instants_, options.seed, n);
    find_next();
  }

  bool draws() const override { return draws_; }

  Load load() const override { return {load_name_}; }

  uint32_t initial_levels() const override {
    uint32_t levels = 0;
    for (int n = 0; n < kPins; n++) levels |= static_cast<uint32_t>(channels_[n].invert()) << n;
    return levels;
  }

  void input(int64_t time_ps, uint32_t strikes, bool load) override {
    changes_.push_back({time_ps, strikes, load});
    find_next();
  }

  void advance(int64_t to_ps, std::vector<Edge>& edges) override {
    while (next_ps_ < to_ps) {
      // Inputs come first, because an input on a clock edge counts at this edge.
      for (; !changes_.empty() && changes_.front().time_ps == next_ps_; changes_.pop_front())
        apply(changes_.front());
      for (int n = 0; n < kPins; n++)
        if (strikes_[n].due_ps == next_ps_) see(n);
      for (int n = 0; n < kPins; n++)
        if (channels_[n].next_ps() == next_ps_) act(n, edges);
      for (; next_code_ < codes_.size() && codes_[next_code_].time_ps == next_ps_; next_code_++)
        edges.push_back(codes_[next_code_]);
      find_next();
    }
  }

  int64_t quiet_until_ps() const override { return next_ps_; }

 private:
  struct Change {
    int64_t time_ps;
    uint32_t strikes;
    bool load;
  };

  void apply(const Change& change) {
    load_ = change.load && loadable_;
    for (int n = 0; n < kPins; n++) {
      Input& strike = strikes_[n];
      strike.level = change.strikes >> n & 1;
      if (strike.level == strike.seen)
        strike.due_ps = kNever;
      else if (strike.due_ps == kNever)
        strike.due_ps = instants_.seen(change.time_ps);
    }
  }

  void see(int number) {
    Input& strike = strikes_[number];
    const int64_t now_ps = strike.due_ps;
    strike.due_ps = kNever;
    strike.seen = strike.level;
    ask(After::Source::kStrike, number, strike.level, now_ps);
  }

  void act(int number, std::vector<Edge>& edges) {
    Channel& channel = channels_[number];
    const int64_t now_ps = channel.next_ps();
    const int edge = channel.act();
    if (edge < 0) return;
    edges.push_back({now_ps, static_cast<uint8_t>(number), (edge == 1) != channel.invert()});
    ask(After::Source::kChannel, number, edge == 1, now_ps);
    // A pin that toggles has answered with either edge.
    if (channel.toggles()) ask(After::Source::kChannel, number, edge != 1, now_ps);
  }

  void ask(After::Source source, int number, bool rise, int64_t now_ps) {
    for (Channel& channel : channels_)
      if (channel.after().is(source, number, rise)) channel.request(now_ps, load_);
  }

  void find_next() {
    next_ps_ = changes_.empty() ? kNever : changes_.front().time_ps;
    for (const Input& strike : strikes_) next_ps_ = std::min(next_ps_, strike.due_ps);
    for (const Channel& channel : channels_) next_ps_ = std::min(next_ps_, channel.next_ps());
    if (next_code_ < codes_.size()) next_ps_ = std::min(next_ps_, codes_[next_code_].time_ps);
  }

  const Instants instants_;
  std::vector<Channel> channels_;
  std::deque<Change> changes_;
  std::vector<Edge> codes_;
  size_t next_code_ = 0;
  std::array<Input, kPins> strikes_;
  const std::string load_name_;
  const bool loadable_, draws_;
  bool load_ = false;
  int64_t next_ps_ = kNever;
};

}  // namespace

std::unique_ptr<Device> make_device(const std::string& options) {
  return std::make_unique<Synthetic>(SyntheticOptions::parse(options));
}

}  // namespace plexor
