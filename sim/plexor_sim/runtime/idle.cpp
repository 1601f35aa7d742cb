// SPDX-License-Identifier: Apache-2.0
#include "idle.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace plexor {

namespace {

// Whole units in `clocks` except the last one, in which the effect and its causes are evaluated.
int64_t units_before(uint64_t clocks) {
  return std::max<int64_t>(static_cast<int64_t>(clocks) / kUnitClocks - 1, 0);
}

}  // namespace

bool Count::look() {
  const uint64_t before = seen_;
  seen_ = value_.get();
  counts_ = seen_ != before;
  return !counts_ || seen_ == ((before + kUnitClocks) & value_.mask());
}

void Count::pass(int64_t units) {
  if (!counts_) return;
  seen_ = (seen_ + units * kUnitClocks) & value_.mask();
  value_.set(seen_);
}

int64_t PeriodicCount::room() const {
  if (!counts()) return kAnyUnits;
  const uint64_t passed = seen() % period_;
  return passed < kUnitClocks ? 0 : units_before(period_ - passed);
}

bool CountdownCount::look() {
  const uint64_t count_before = count_seen_, limb_before = limb_seen_;
  count_seen_ = count_.get();
  limb_seen_ = limb_.get();
  takes_ = limb_seen_ != limb_before;
  turns_ = count_seen_ != count_before;
  if (on_.get()) return !turns_ && (!takes_ || limb_seen_ + 1 == limb_before);
  return !takes_ && (!turns_ || count_seen_ == ((count_before - kUnitClocks) & count_.mask()));
}

int64_t CountdownCount::room() const {
  return takes_ ? static_cast<int64_t>(limb_seen_) : kAnyUnits;
}

void CountdownCount::pass(int64_t units) {
  if (takes_) limb_.set(limb_seen_ -= units);
  if (turns_) count_.set(count_seen_ = (count_seen_ - units * kUnitClocks) & count_.mask());
}

bool Round::look() {
  const uint64_t before = seen_;
  seen_ = place_.get();
  goes_ = seen_ != before;
  return !goes_ || seen_ == (before + steps_) % places_;
}

void Round::pass(int64_t units) {
  if (goes_) place_.set(seen_ = (seen_ + units % places_ * steps_) % places_);
}

void Idle::begin(void* core, size_t bytes, Register time) {
  core_ = static_cast<unsigned char*>(core);
  time_ = std::make_unique<Register>(time);
  constexpr size_t kBlock = kWords * sizeof(uint64_t);
  masks_.assign(bytes / kBlock * kBlock, 0);  // the core is aligned to such blocks
  follows_.assign(masks_.size(), 0);
  proof_.assign(masks_.size(), 0xff);
}

void Idle::set(std::vector<unsigned char>& masks, const void* at, size_t bytes, int mask) {
  const ptrdiff_t first = static_cast<const unsigned char*>(at) - core_;
  std::fill_n(masks.begin() + first, bytes, static_cast<unsigned char>(mask));
}

void Idle::restore(const std::vector<unsigned char>& state) {
  std::copy(state.begin(), state.end(), core_);
}

void Idle::compare(const std::vector<unsigned char>& found,
                   const std::vector<unsigned char>& wanted, int64_t units) const {
  for (size_t place = 0; place < found.size(); place++) {
    if (!((found[place] ^ wanted[place]) & proof_[place])) continue;
    throw std::runtime_error("a skip of " + std::to_string(units) + " units at clock " +
                             std::to_string(time_->get()) + " changes byte " +
                             std::to_string(place) + " of the core");
  }
}

void Idle::end() {
  constexpr size_t kBlock = kWords * sizeof(uint64_t);
  for (size_t first = 0; first < masks_.size(); first += kBlock) {
    Block block{core_ + first, {}, {}, {}};
    std::memcpy(block.mask, &masks_[first], kBlock);
    std::memcpy(block.follows, &follows_[first], kBlock);
    auto* const end = block.mask + kWords;
    if (std::any_of(block.mask, end, [](uint64_t mask) { return mask != 0; }))
      blocks_.push_back(block);
  }
}

bool Idle::is_resting() const {
  return std::none_of(busy_.begin(), busy_.end(), [](const Register& r) { return r.get() != 0; });
}

bool Idle::look() {
  uint64_t moved = 0, beside = 0;
  for (Block& block : blocks_) {
    uint64_t now[kWords];
    std::memcpy(now, block.at, sizeof now);
    // Once something has moved, the others need not be compared.
    for (size_t word = 0; word < kWords && !beside; word++) {
      const uint64_t differ = (now[word] ^ block.seen[word]) & block.mask[word];
      moved |= differ;
      beside = differ & ~block.follows[word];
      if (beside) restless_ = block.at + word * sizeof beside + __builtin_ctzll(beside) / 8;
    }
    std::memcpy(block.seen, now, sizeof now);
  }
  rested_ = beside == 0;
  if (rested_) restless_ = nullptr;
  for (const auto& watched : watched_) rested_ &= watched->look();
  return rested_ && moved == 0;
}

std::string Idle::restless() const {
  const Name* found = nullptr;
  for (const Name& name : names_)
    if (core_ + name.place <= restless_ && (!found || name.place > found->place)) found = &name;
  return found ? found->name : "a register that counts clocks";
}

int64_t Idle::room() const {
  int64_t units = kAnyUnits;
  for (const auto& watched : watched_) units = std::min(units, watched->room());
  return units;
}

void Idle::pass(int64_t units) {
  for (const auto& watched : watched_) watched->pass(units);
}

}  // namespace plexor
