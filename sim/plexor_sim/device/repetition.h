// SPDX-License-Identifier: Apache-2.0
// Detects that the system on chip is in a loop that only an input or the timer ends, such as a
// kernel's idle task. Whole rounds of such a loop need not be evaluated.
//
// After a round every flip-flop and every memory is as before, except three counters that run on:
// mtime, mcycle and minstret. RAM is not compared. Instead, no round contains a write to it (`busy`
// of soc.v) or an instruction that may read a counter. So the next state does not depend on what
// differs, and rounds repeat until an input changes or mtime reaches mtimecmp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "Vsoc.h"
#include "Vsoc___024root.h"

namespace plexor {

class Repetition {
 public:
  explicit Repetition(Vsoc& soc) : soc_(soc), root_(*soc.rootp) {}

  // An input or output has changed, so earlier observations no longer hold.
  void disturb() { calm_ = 0; }

  // Looks at the state after a cycle. Returns for how many cycles the rounds surely go on; 0 if
  // that is not known.
  int64_t look() {
    if (soc_.busy) {
      calm_ = 0;
      return 0;
    }
    if (++calm_ == kCalm) {
      window_ = kWindow;
      keep();
    }
    // The state includes the clock's level, so a round has an even number of cycles.
    if (calm_ <= kCalm || (calm_ - at_) % 2) return 0;
    if (root_.plexor_top__DOT__cpu__DOT__IBusCachedPlugin_fetchPc_pcReg == pc_ && is_kept()) {
      const uint64_t time = root_.plexor_top__DOT__mtime, until = root_.plexor_top__DOT__mtimecmp;
      const int64_t round = calm_ - at_;
      if (time >= until || until - time < static_cast<uint64_t>(3 * round)) return 0;
      round_ = round;
      retired_ = root_.plexor_top__DOT__cpu__DOT__CsrPlugin_minstret - counters_.retired;
      return static_cast<int64_t>(std::min<uint64_t>(until - time, kMost)) - 2 * round;
    }
    if (calm_ - at_ >= window_) {
      window_ = std::min(2 * window_, kMostWindow);
      keep();
    }
    return 0;
  }

  // Skips the whole rounds in so many cycles; returns the cycles that are left to evaluate.
  int64_t pass(int64_t cycles) {
    const auto rounds = static_cast<uint64_t>(cycles / round_);
    const auto passed = rounds * static_cast<uint64_t>(round_);
    root_.plexor_top__DOT__mtime += passed;
    root_.plexor_top__DOT__cpu__DOT__CsrPlugin_mcycle += passed;
    root_.plexor_top__DOT__cpu__DOT__CsrPlugin_minstret += rounds * retired_;
    return cycles % round_;
  }

 private:
  static constexpr int64_t kCalm = 16;  // cycles before a look is worthwhile
  static constexpr int64_t kWindow = 32, kMostWindow = 1024;
  static constexpr uint64_t kMost = 1ull << 40;

  struct Counters {
    uint64_t time, cycles, retired;
  };

  Counters exchange(const Counters& with) {
    const Counters were = {root_.plexor_top__DOT__mtime,
                           root_.plexor_top__DOT__cpu__DOT__CsrPlugin_mcycle,
                           root_.plexor_top__DOT__cpu__DOT__CsrPlugin_minstret};
    root_.plexor_top__DOT__mtime = with.time;
    root_.plexor_top__DOT__cpu__DOT__CsrPlugin_mcycle = with.cycles;
    root_.plexor_top__DOT__cpu__DOT__CsrPlugin_minstret = with.retired;
    return were;
  }

  // The model's variables are between its first port and its scope. RAM is left out.
  const std::byte* begin() const { return reinterpret_cast<const std::byte*>(&root_.clk); }
  const std::byte* ram() const {
    return reinterpret_cast<const std::byte*>(&root_.plexor_top__DOT__ram);
  }
  const std::byte* behind() const { return ram() + sizeof root_.plexor_top__DOT__ram; }
  const std::byte* end() const { return reinterpret_cast<const std::byte*>(&root_.vlSymsp); }

  void keep() {
    at_ = calm_;
    pc_ = root_.plexor_top__DOT__cpu__DOT__IBusCachedPlugin_fetchPc_pcReg;
    counters_ = exchange({});
    kept_.assign(begin(), ram());
    kept_.insert(kept_.end(), behind(), end());
    exchange(counters_);
  }

  bool is_kept() {
    const Counters now = exchange({});
    const auto before = static_cast<size_t>(ram() - begin());
    const bool same = !std::memcmp(kept_.data(), begin(), before) &&
                      !std::memcmp(kept_.data() + before, behind(),
                                   static_cast<size_t>(end() - behind()));
    exchange(now);
    return same;
  }

  Vsoc& soc_;
  Vsoc___024root& root_;
  int64_t calm_ = 0;    // cycles since the last one that disturbed the loop
  int64_t at_ = 0;      // calm_ when the state was kept
  int64_t window_ = 0;  // for how long that state is compared
  int64_t round_ = 1;
  uint32_t pc_ = 0;
  uint64_t retired_ = 0;  // instructions of a round
  Counters counters_{};
  std::vector<std::byte> kept_;
};

}  // namespace plexor
