// SPDX-License-Identifier: Apache-2.0
// A device in C++: each rise of strike 0 is answered by a pulse of 50 ns, 300 ns later.
#include <deque>

#include "plexor_device.h"

namespace {

constexpr int64_t kDelayPs = 300'000, kWidthPs = 50'000;

struct Echo {
  bool strike = false;
  std::deque<plexor_edge> edges;
};

void* create(const char*, uint32_t strikes, char*, size_t) { return new Echo{(strikes & 1) != 0, {}}; }

void destroy(void* device) { delete static_cast<Echo*>(device); }

void input(void* device, int64_t time_ps, uint32_t strikes, uint32_t) {
  auto& echo = *static_cast<Echo*>(device);
  const bool strike = strikes & 1;
  if (strike && !echo.strike) {
    echo.edges.push_back({time_ps + kDelayPs, 0, 1});
    echo.edges.push_back({time_ps + kDelayPs + kWidthPs, 0, 0});
  }
  echo.strike = strike;
}

int32_t advance(void* device, int64_t to_ps, plexor_edge* edges, uint32_t* count) {
  auto& waiting = static_cast<Echo*>(device)->edges;
  const uint32_t room = *count;
  for (*count = 0; !waiting.empty() && waiting.front().time_ps < to_ps; waiting.pop_front()) {
    if (*count == room) return PLEXOR_MORE;
    edges[(*count)++] = waiting.front();
  }
  return PLEXOR_DONE;
}

int64_t quiet_until_ps(void* device) {
  const auto& waiting = static_cast<Echo*>(device)->edges;
  return waiting.empty() ? INT64_MAX : waiting.front().time_ps;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const plexor_device* plexor_device_get(
    uint32_t version) {
  static const plexor_device calls = [] {
    plexor_device made{};
    made.version = PLEXOR_DEVICE_VERSION;
    made.bytes = sizeof made;
    made.create = create;
    made.destroy = destroy;
    made.input = input;
    made.advance = advance;
    made.quiet_until_ps = quiet_until_ps;
    return made;
  }();
  return version == PLEXOR_DEVICE_VERSION ? &calls : nullptr;
}
