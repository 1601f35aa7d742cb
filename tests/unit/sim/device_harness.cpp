// Plays a script to a device: "time_ps strikes load" on each line of stdin, times rising. A time below
// 0 starts it again with these strikes. Prints its output edges, one "time_ps channel level" a
// line. Arguments: device options, time to end at in ps, step in ps: `advance` is called at least so
// often, 0: only before each input.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "device.h"

static void run(char** argument) {
  const int64_t end_ps = std::atoll(argument[2]), step_ps = std::atoll(argument[3]);
  auto device = plexor::make_device(argument[1]);
  std::vector<plexor::Edge> edges;
  int64_t now_ps = 0;
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
      device->restart(strikes);
      continue;
    }
    advance(time_ps);
    device->input(time_ps, strikes, load);
  }
  advance(end_ps);
  for (const auto& edge : edges)
    std::printf("%lld %d %d\n", (long long)edge.time_ps, edge.channel, edge.level);
}

int main(int count, char** argument) {
  if (count != 4) return 1;
  try {
    run(argument);
  } catch (const plexor::BadOption& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
  return 0;
}
