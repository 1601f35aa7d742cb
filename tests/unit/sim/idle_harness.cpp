// A core of few registers that counts clocks as the gateware does, run twice: each clock evaluated,
// and with skips. What its counters bring about must come at the same clocks. Prints how many clocks
// were evaluated with skips. Arguments: a seed and the number of clocks.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "idle.h"

namespace {

struct alignas(64) Core {
  uint32_t low = 0;
  uint8_t told = 0;  // changes at each multiple of 1024 clocks
  uint8_t count = 0, on = 0, some = 0;
  uint16_t pool = 0;
  uint8_t last = 0;
  uint8_t line = 0, wait = 0, odd = 0;
  uint8_t noise = 0, clearing = 0;
  uint32_t kept = 0;
  uint64_t pad[8] = {};

  void clock() {
    const bool refill = on && some && count < 8;
    last = on && count == 2 && !some;
    count = (((count | refill << 4) - 1) & 31);
    if (refill) some = pool != 0, pool--;
    if (last) on = 0;
    if (wait == 5) line = (line + 1 + odd) % 11;
    wait = (wait + 1) & 15;
    low = (low + 1) & 0xfffff;
    told ^= low % 1024 == 0;
  }
};

using Event = std::pair<uint64_t, int>;

// Something from outside, at given clocks, that starts what counts.
void poke(Core& core, std::mt19937& random) {
  core.odd = random() % 4 == 0;  // goes around as the model does not say
  core.count = 8 + random() % 8;
  core.on = core.some = 1;
  core.pool = random() % 100;
  core.noise++;
}

std::vector<Event> run(unsigned seed, uint64_t clocks, bool skips, uint64_t& evaluated) {
  std::mt19937 random(seed);
  Core core;
  plexor::Idle idle;
  using plexor::Register;
  idle.begin(&core, sizeof core, Register(core.low, 20));
  idle.watch<plexor::PeriodicCount>(Register(core.low, 20), 1024);
  idle.watch<plexor::CountdownCount>(Register(core.count, 5), Register(core.on, 1),
                                     Register(core.pool, 14));
  idle.watch<plexor::Round>(Register(core.line, 4), 11);
  idle.watch<plexor::Low>(Register(core.clearing, 1));
  for (auto* still : {&core.told, &core.on, &core.some, &core.last, &core.wait, &core.noise})
    idle.still(*still, "a flip-flop");
  idle.end();
  std::vector<Event> events;
  uint64_t next = 100;
  Core before = core;
  for (uint64_t clock = 0; clock < clocks; clock++) {
    if (clock == next) {
      events.emplace_back(clock, 2 + core.line + 16 * core.count);
      poke(core, random);
      core.clearing = random() % 4 == 0;
      next += 20 + random() % 5000;
    }
    if (idle.is_due() && idle.look() && skips) {
      const int64_t most = (std::min(next, clocks) - clock - 1) / plexor::kUnitClocks;
      const int64_t units = std::min(idle.room(), most);
      idle.pass(units);
      clock += units * plexor::kUnitClocks;
    }
    before = core;
    core.clock();
    evaluated++;
    if (core.told != before.told) events.emplace_back(clock, 0);
    if (core.last != before.last) events.emplace_back(clock, 1);
  }
  return events;
}

// Whether what keeps a core from rest is named, whichever of its bytes changes.
bool is_named() {
  Core core;
  plexor::Idle idle;
  idle.begin(&core, sizeof core, plexor::Register(core.low, 20));
  idle.watch<plexor::Low>(plexor::Register(core.clearing, 1));
  idle.still(core.told, "told");
  idle.still(core.kept, "kept");
  idle.still(core.pad, "pad");
  idle.end();
  bool right = idle.look() && idle.look();
  for (int bit = 0; bit < 32; bit++) {
    core.kept ^= 1u << bit;
    right &= !idle.look() && idle.restless() == "kept";
  }
  core.pad[7]++;
  right &= !idle.look() && idle.restless() == "pad";
  core.told++;
  right &= !idle.look() && idle.restless() == "told";
  core.clearing = 1;
  right &= !idle.look() && idle.restless() == "a register that counts clocks";
  core.clearing = 0;
  return right && idle.look();
}

}  // namespace

int main(int, char** arguments) {
  const unsigned seed = std::atoi(arguments[1]);
  const uint64_t clocks = std::atoll(arguments[2]);
  uint64_t all = 0, some = 0;
  const auto wanted = run(seed, clocks, false, all);
  const auto found = run(seed, clocks, true, some);
  for (size_t n = 0; n < wanted.size() || n < found.size(); n++) {
    const Event none{0, -1};
    const Event a = n < wanted.size() ? wanted[n] : none, b = n < found.size() ? found[n] : none;
    if (a == b) continue;
    std::printf("event %d at clock %llu, with skips %d at %llu\n", a.second,
                static_cast<unsigned long long>(a.first), b.second,
                static_cast<unsigned long long>(b.first));
    return 1;
  }
  std::printf("%llu\n", static_cast<unsigned long long>(some));
  return is_named() ? 0 : 2;
}
