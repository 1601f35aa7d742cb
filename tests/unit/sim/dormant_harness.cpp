// A core of two stages in a row, and what is in no stage, run twice: with all clocks, and with
// those that Dormant asks for. What comes out must be the same in each clock. Prints how many
// clocks the stages got. Arguments: a seed and the number of clocks.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "dormant.h"

namespace {

struct Core {
  uint8_t go = 0, value = 0;  // inputs of the core
  uint8_t noise = 0;          // in no stage
  // Stage 0 counts down, and adds up what a memory with a clocked read port holds at its count.
  uint8_t left = 0, read = 0, sum = 0;
  uint8_t words[16] = {};
  // Stage 1 follows stage 0 with a delay.
  uint8_t seen[3] = {};

  void clock(uint64_t clocks) {
    const uint8_t asked = go ? value | 1 : 0;
    const Core old = *this;
    noise++;
    if (clocks & 2) {
      left = asked ? asked : old.left ? old.left - 1 : 0;
      read = old.words[old.left & 15];
      if (old.left || old.sum & 2) words[old.left & 15] = old.sum & 1;
      if (old.left) sum = old.sum + old.read + 1;
    }
    if (clocks & 4) {
      seen[0] = old.sum;
      seen[1] = old.seen[0];
      seen[2] = old.seen[1];
    }
  }
};

class Two : public plexor::Stages {
 public:
  explicit Two(const Core& core) : core_(core) {}
  int count() const override { return 2; }
  void keep(uint64_t of) override {
    for (int stage = 0; stage < 2; stage++)
      if (of >> stage & 1) kept_[stage] = core_;
  }
  uint64_t inputs_moved(uint64_t of) const override {
    const bool first = kept_[0].go != core_.go || kept_[0].value != core_.value;
    return of & (first | (kept_[1].sum != core_.sum) << 1);
  }
  uint64_t state_moved(uint64_t of) const override {
    const Core &one = kept_[0], &two = kept_[1];
    const bool first = one.left != core_.left || one.read != core_.read || one.sum != core_.sum;
    return of & (first | plexor::moved(two.seen, core_.seen) << 1);
  }

 private:
  const Core& core_;
  Core kept_[2];
};

std::vector<unsigned> run(unsigned seed, uint64_t clocks, bool dormant, uint64_t& given) {
  std::mt19937 random(seed);
  Core core;
  plexor::Dormant stages(std::make_unique<Two>(core));
  std::vector<unsigned> seen;
  int held = 0;
  for (uint64_t clock = 0; clock < clocks; clock++) {
    core.go = random() % 200 == 0;
    if (core.go) core.value = random();
    if (random() % 1000 == 0) {  // a register gets another value from outside
      core.left = random() % 16;
      stages.disturb();
    }
    if (random() % 1000 == 0) held = 40;
    if (held > 0) {  // or is held for some clocks
      held--;
      core.seen[0] = 7;
      stages.disturb();
    }
    const uint64_t due = dormant ? stages.due() : stages.all();
    if (!(due & 1)) std::exit(2);
    given += (due >> 1 & 1) + (due >> 2 & 1);
    core.clock(due);
    const unsigned behind = core.read << 7 ^ core.seen[2];
    seen.push_back(core.noise << 24 | core.left << 16 | core.sum << 8 | behind);
  }
  return seen;
}

}  // namespace

int main(int, char** arguments) {
  const unsigned seed = std::atoi(arguments[1]);
  const uint64_t clocks = std::atoll(arguments[2]);
  uint64_t all = 0, given = 0;
  const auto wanted = run(seed, clocks, false, all), found = run(seed, clocks, true, given);
  for (uint64_t clock = 0; clock < clocks; clock++) {
    if (wanted[clock] == found[clock]) continue;
    std::printf("clock %llu: %08x, should be %08x\n", static_cast<unsigned long long>(clock),
                found[clock], wanted[clock]);
    return 1;
  }
  std::printf("%llu\n", static_cast<unsigned long long>(given));
  return all == 2 * clocks ? 0 : 3;
}
