// Plays inputs to a device and prints its output edges, one "time_ps channel level" a line, then the
// bytes it has sent, as "time_ps -1 byte". Ends if an edge is not where device.h says.
// Arguments: device options, end_ps, step_ps (how far to advance at once; 0: to the next input).
// Standard input: lines "pins time_ps strikes load", "timecode time_ps pins", "serial time_ps byte",
// rising times.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

#include "device.h"

static void play(const std::string& options, int64_t end_ps, int64_t step_ps) {
  auto device = plexor::make_device(options);
  std::vector<plexor::Edge> edges;
  const auto began = std::chrono::steady_clock::now();
  int64_t now_ps = 0;
  auto advance = [&](int64_t to_ps) {
    while (now_ps < to_ps) {
      int64_t earliest_ps = std::max(now_ps, device->quiet_until_ps());
      now_ps = step_ps ? std::min(to_ps, now_ps + step_ps) : to_ps;
      const size_t count = edges.size();
      device->advance(now_ps, edges);
      for (size_t i = count; i < edges.size(); i++) {
        const int64_t edge_ps = edges[i].time_ps;
        if (edge_ps < earliest_ps || edge_ps >= now_ps)
          throw std::runtime_error("misplaced edge at " + std::to_string(edge_ps) + " ps");
        earliest_ps = edge_ps;
      }
    }
  };
  std::string what;
  int64_t time_ps;
  uint32_t value;
  while (std::cin >> what >> time_ps >> value) {
    advance(time_ps);
    bool load = false;
    if (what == "pins" && std::cin >> load) device->input(time_ps, value, load);
    if (what == "timecode") device->timecode(time_ps, value);
    if (what == "serial") device->serial(time_ps, static_cast<uint8_t>(value));
  }
  advance(end_ps);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  for (const auto& edge : edges)
    std::printf("%lld %d %d\n", (long long)edge.time_ps, edge.channel, edge.level);
  std::vector<plexor::SerialByte> bytes;
  device->serial_sent(bytes);
  for (const auto& sent : bytes) std::printf("%lld -1 %d\n", (long long)sent.time_ps, sent.byte);
  std::fprintf(stderr, "%.0f ps simulated per second of run time\n", end_ps / took.count());
}

int main(int count, char** argument) {
  if (count != 4) return 2;
  try {
    play(argument[1], std::atoll(argument[2]), std::atoll(argument[3]));
  } catch (const plexor::BadOption& error) {
    std::fprintf(stderr, "BadOption: %s\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 4;
  }
}
