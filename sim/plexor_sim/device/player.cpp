// SPDX-License-Identifier: Apache-2.0
// Plays a script to a device: "time_ps strikes load" on each line of stdin, times rising. A time below
// 0 starts it again with these strikes. Prints the levels of its outputs at time zero, as a mask, then
// its output edges, one "time_ps channel level" a line. Arguments: device options, time to end at in
// ps, step in ps: `advance` is called at least so often, 0: only before each input.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "device.h"

// What the design prints goes to stderr.
static std::FILE* take_stdout() {
  std::FILE* results = fdopen(dup(STDOUT_FILENO), "w");
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return results;
}

static void run(char** argument, std::FILE* results) {
  const int64_t end_ps = std::atoll(argument[2]), step_ps = std::atoll(argument[3]);
  auto device = plexor::make_device(argument[1]);
  std::vector<plexor::Edge> edges;
  int64_t now_ps = 0;
  uint32_t levels = device->initial_levels();
  const auto advance = [&](int64_t to_ps) {
    for (; step_ps && now_ps + step_ps < to_ps; now_ps += step_ps)
      device->advance(now_ps + step_ps, edges);
    device->advance(to_ps, edges);
    now_ps = to_ps;
  };
  long long time_ps = 0;
  unsigned strikes = 0, load = 0;
  while (std::scanf("%lld %u %u", &time_ps, &strikes, &load) == 3) {
    if (time_ps < 0) {
      std::vector<plexor::Edge> restarted;
      device->restart(strikes);
      device->advance(0, restarted);
      for (const auto& edge : restarted) levels ^= 1u << edge.channel;
      continue;
    }
    advance(time_ps);
    device->input(time_ps, strikes, load);
  }
  advance(end_ps);
  std::fprintf(results, "%u\n", levels);
  for (const auto& edge : edges)
    std::fprintf(results, "%lld %d %d\n", (long long)edge.time_ps, edge.channel, edge.level);
  std::fclose(results);
}

int main(int count, char** argument) {
  if (count != 4) return 1;
  try {
    run(argument, take_stdout());
  } catch (const plexor::BadOption& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
  return 0;
}
