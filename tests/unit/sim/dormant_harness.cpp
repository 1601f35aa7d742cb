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
  // In no stage: a counter, and a flag that goes to and fro, except after stage 1 has held it.
  uint8_t noise = 0, ready = 0, wait = 0;
  // Stage 0 counts down, and adds up what a memory with a clocked read port holds at its count.
  uint8_t left = 0, read = 0, sum = 0;
  uint8_t words[16] = {};
  // Stage 1 follows stage 0 whenever the flag is high. It writes down the counter if a gate is open,
  // and the input's highest bit.
  uint8_t seen[3] = {}, hold = 0, open = 0, tag = 0, mark = 0;
  uint8_t tags[16] = {}, marks[8] = {};

  void clock(uint64_t clocks) {
    const uint8_t asked = go ? value | 1 : 0;
    const Core old = *this;
    noise++;
    wait = old.hold ? 20 : old.wait ? old.wait - 1 : 0;
    ready = !old.ready && !old.wait;
    if (clocks & 2) {
      left = asked ? asked : old.left ? old.left - 1 : 0;
      read = old.words[old.left & 15];
      if (old.left || old.sum & 2) words[old.left & 15] = old.sum & 1;
      if (old.left) sum = old.sum + old.read + 1;
    }
    if (clocks & 4) {
      if (old.ready) seen[0] = old.sum;
      seen[1] = old.seen[0];
      seen[2] = old.seen[1];
      hold = old.seen[0] % 16 == 0 && old.seen[1] % 16 != 0;
      open = (old.sum & 28) == 28;
      tag = old.tags[old.seen[1] & 15];
      if (old.open) tags[old.noise & 15] = old.noise;
      mark = old.marks[(old.ready ? value : value + 3) & 7];
      marks[value & 7] = value >> 7;
    }
  }
};

class Two : public plexor::Stages {
 public:
  explicit Two(const Core& core) : core_(core) {}
  int count() const override { return 2; }
  uint64_t inputs_moved(uint64_t clocks) override {
    uint64_t moved = 0;
    if (clocks & 1) {
      moved |= plexor::renewed(go_, core_.go) != 0;
      moved |= (plexor::renewed(value_, core_.value) != 0) * 3;
    }
    if (clocks & 2) moved |= (plexor::renewed(sum_, core_.sum) != 0) << 1;
    return moved;
  }
  void keep(uint64_t of) override {
    for (int stage = 0; stage < 2; stage++)
      if (of >> stage & 1) kept_[stage] = core_;
  }
  uint64_t state_moved(uint64_t of) const override {
    const Core &one = kept_[0], &two = kept_[1];
    const bool first = one.left != core_.left || one.read != core_.read || one.sum != core_.sum;
    const bool second = plexor::differing(two.seen, core_.seen) != 0 || two.hold != core_.hold ||
                        two.tag != core_.tag || two.mark != core_.mark || core_.open != 0;
    return of & (first | second << 1);
  }
  uint64_t rhythmic() const override { return 2; }
  void beat(uint64_t of, unsigned clock) override {
    if (of & 2) rhythm_[clock] = rhythm();
  }
  uint64_t off_beat(uint64_t of, unsigned clock) const override {
    return of & (rhythm_[clock] != rhythm()) << 1;
  }

 private:
  int rhythm() const { return core_.wait << 1 | core_.ready; }

  const Core& core_;
  Core kept_[2];
  uint8_t go_ = 0, value_ = 0, sum_ = 0;
  int rhythm_[plexor::kRoundClocks] = {};
};

std::vector<unsigned> run(unsigned seed, uint64_t clocks, bool dormant, uint64_t& given) {
  std::mt19937 random(seed);
  Core core;
  plexor::Dormant stages(std::make_unique<Two>(core));
  std::vector<unsigned> seen;
  int held = 0;
  for (uint64_t clock = 0; clock < clocks; clock++) {
    core.go = random() % 600 == 0;
    if (core.go || random() % 600 == 0) core.value = random();
    if (random() % 1000 == 0) {  // a register gets another value from outside
      (random() % 2 ? core.left : core.sum) = random() % 16;
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
    const unsigned behind = core.read << 7 ^ core.seen[2] ^ core.tag ^ core.mark << 7;
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
