// A core of three stages, and what is in no stage, run twice: with all clocks, and with those that
// Dormant asks for. What comes out must be the same in each clock. Prints how many clocks the stages
// got. Arguments: a seed and the number of clocks.
#include <cstddef>
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
  // and the input's highest bit whenever the flag is high.
  alignas(8) uint8_t first = 0;
  uint8_t second = 0, third = 0, hold = 0, open = 0, none[3] = {};
  uint8_t tag = 0, mark = 0, no_more[6] = {};
  uint8_t tags[16] = {}, marks[8] = {};
  // Stage 2 has no memory. Its level comes one step nearer to stage 0's sum in each clock.
  uint8_t level = 0, shown = 0;

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
      if (old.ready) first = old.sum;
      second = old.first;
      third = old.second;
      hold = old.first % 16 == 0 && old.second % 16 != 0;
      open = (old.sum & 28) == 28;
      tag = old.tags[old.second & 15];
      if (old.open) tags[old.noise & 15] = old.noise;
      mark = old.marks[(old.ready ? value : value + 3) & 7];
      if (old.ready) marks[value & 7] = value >> 7;
    }
    if (clocks & 8) {
      level += (old.level < old.sum) - (old.level > old.sum);
      shown = ~old.level;
    }
  }
};

class Three : public plexor::Stages {
 public:
  explicit Three(const Core& core) : core_(core) {}
  int count() const override { return 3; }
  uint64_t writing() const override { return 3; }
  uint64_t rhythmic() const override { return 2; }
  uint64_t changed(uint64_t clocks) override {
    uint64_t stages = 0;
    if (clocks & 1) {
      stages |= plexor::renewed(go_, core_.go);
      stages |= plexor::renewed(value_, core_.value) * 3;
    }
    if (clocks & 2) {
      stages |= plexor::renewed(left_, core_.left);
      stages |= plexor::renewed(read_, core_.read);
      stages |= plexor::renewed(sum_, core_.sum) * 7;
    }
    if (clocks & 4) {
      const char* now = reinterpret_cast<const char*>(&core_) + offsetof(Core, first);
      stages |= (plexor::renewed_words<2>(words_, now) || core_.open != 0) * 2;
    }
    if (clocks & 8) stages |= plexor::renewed(level_, core_.level) * 4;
    return stages;
  }
  uint64_t off_beat(unsigned clock) override {
    return plexor::renewed(beat_[clock], core_.wait << 1 | core_.ready) * 2;
  }

 private:
  const Core& core_;
  uint64_t words_[2] = {};
  uint8_t go_ = 0, value_ = 0, left_ = 0, read_ = 0, sum_ = 0, level_ = 0;
  int beat_[plexor::kRoundClocks] = {};
};

std::vector<unsigned> run(unsigned seed, uint64_t clocks, bool dormant, uint64_t& given) {
  std::mt19937 random(seed);
  Core core;
  plexor::Dormant stages(std::make_unique<Three>(core));
  std::vector<unsigned> seen;
  int held = 0;
  for (uint64_t clock = 0; clock < clocks; clock++) {
    core.go = random() % 600 == 0;
    if (core.go || random() % 600 == 0) core.value = random();
    if (random() % 1000 == 0) {  // a register gets another value from outside
      uint8_t* const registers[] = {&core.left, &core.sum, &core.level};
      *registers[random() % 3] = random() % 16;
      stages.disturb();
    }
    if (random() % 1000 == 0) held = 40;
    if (held > 0) {  // or is held for some clocks
      held--;
      core.first = 7;
      stages.disturb();
    }
    const uint64_t due = dormant ? stages.due() : stages.all();
    if (!(due & 1)) std::exit(2);
    given += (due >> 1 & 1) + (due >> 2 & 1) + (due >> 3 & 1);
    core.clock(due);
    const unsigned behind = core.read << 7 ^ core.third ^ core.tag ^ core.mark << 7;
    seen.push_back((core.noise ^ core.shown) << 24 | core.left << 16 | core.sum << 8 | behind);
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
  return all == 3 * clocks ? 0 : 3;
}
