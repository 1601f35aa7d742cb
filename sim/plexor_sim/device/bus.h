// SPDX-License-Identifier: Apache-2.0
// One bus for fetches and data, with regions of memory that answer after cycles of their own; and the
// file of the option `bus`, each access that ended on it.
//
// Data goes first; an access that has begun is not interrupted. The option `regions` is
// FIRST:LAST:READ:WRITE:BURST_READ:BURST_WRITE of each region, separated by slashes: its first and
// last address, and picoseconds of an access, which are rounded up to whole cycles of the clock and
// to at least one. An access goes on a burst if it is of the same kind as the region's last one, and
// begins where that ended. What lies in no region takes one cycle.
//
// Records of 24 bytes, little-endian, by time: int64 time_ps, the edge of the clock that ends the
// access; uint32 address; uint32 data, of a write, in the lanes of its bytes; uint32 cycles that it
// took; uint8 kind, 0 a fetch, 1 a read, 2 a write, 3 an instruction that retires; uint8 bytes, 1, 2
// or 4; uint8 flags, 1: goes on a burst, 2: elsewhere than behind the last one of its kind, of
// fetches and instructions, 4: the core takes no interrupts; and a 0. An instruction has its own
// address. Fetches that are thrown away after a jump are in it. Startup, before time zero, is not.
// The firmware's ELF file, if it is beside its image, is copied to PATH.elf.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "Vsoc.h"
#include "device.h"
#include "option_text.h"

namespace plexor {

// This core's loops are not detected.
class Repetition {
 public:
  explicit Repetition(Vsoc&) {}
  void disturb() {}
  int64_t look() { return 0; }
  int64_t pass(int64_t cycles) { return cycles; }
};

class Bus {
 public:
  // No file is written if the path is empty. Throws BadOption if it cannot be.
  Bus(const std::string& regions, const std::string& path, const std::string& image,
      int64_t clock_ps)
      : path_(path) {
    for (const std::string& text : split(regions, '/')) {
      const std::vector<std::string> parts = split(text, ':');
      if (parts.size() != 6) bad_option("regions", text, "six numbers are needed");
      Region region;
      region.first = static_cast<uint32_t>(option_integer("regions", parts[0], 0, UINT32_MAX));
      region.last = static_cast<uint32_t>(option_integer("regions", parts[1], 0, UINT32_MAX));
      for (int which = 0; which < 4; which++) {
        const int64_t time_ps = option_integer("regions", parts[2 + which], 0, kMostPs);
        region.cycles[which] = std::max<int64_t>((time_ps + clock_ps - 1) / clock_ps, 1);
      }
      regions_.push_back(region);
    }
    if (path.empty()) return;
    file_.reset(std::fopen(path.c_str(), "wb"));
    std::error_code failed;
    const auto elf = std::filesystem::path(image).replace_extension(".elf");
    if (file_ && std::filesystem::exists(elf, failed))
      std::filesystem::copy_file(elf, path + ".elf",
                                 std::filesystem::copy_options::overwrite_existing, failed);
    if (!file_ || failed) throw BadOption("bus=" + path + ": cannot be written");
  }

  // Time zero: from now on accesses are kept.
  void begin() { is_on_ = file_ != nullptr; }

  // Decides what ends at the clock's edge that comes now.
  void step(Vsoc& soc, int64_t edge_ps) {
    if (soc.retired) {
      if (is_on_) keep(soc, edge_ps, kRetired, soc.retired_pc != retired_ + 4);
      retired_ = soc.retired_pc;
    }
    soc.i_ready = soc.d_ready = 0;
    if (left_ == 0) {
      if (soc.d_request)
        take(soc.d_write ? kWrite : kRead, soc.d_address, 1 << std::min<int>(soc.d_size, 2));
      else if (soc.i_request)
        take(kFetch, soc.i_address, 4);
      else
        return;
    }
    cycles_++;
    if (left_ > 1) {
      left_--;
      return;
    }
    if (kind_ == kFetch) {
      soc.i_ready = 1;
    } else {
      soc.d_ready = 1;
      if (soc.d_held) return;
    }
    left_ = 0;
    if (is_on_) keep(soc, edge_ps, kind_, kind_ == kFetch && address_ != fetched_ + 4);
    if (kind_ == kFetch) fetched_ = address_;
  }

 private:
  enum Kind : uint8_t { kFetch, kRead, kWrite, kRetired };
  static constexpr int64_t kMostPs = 1'000'000'000;

  struct Region {
    uint32_t first, last;
    int64_t cycles[4];  // of a read, a write, and either as it goes on a burst
    uint32_t end = 0;   // where the last access ended
    bool wrote = false;
  };
  struct Record {
    int64_t time_ps;
    uint32_t address, data, cycles;
    uint8_t kind, bytes, flags, zero;
  };
  static_assert(sizeof(Record) == 24);
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void take(Kind kind, uint32_t address, int bytes) {
    kind_ = kind;
    address_ = address;
    bytes_ = static_cast<uint8_t>(bytes);
    cycles_ = 0;
    left_ = 1;
    is_burst_ = false;
    for (Region& region : regions_) {
      if (address < region.first || address > region.last) continue;
      const bool writes = kind == kWrite;
      is_burst_ = region.end == address && region.wrote == writes;
      left_ = region.cycles[2 * is_burst_ + writes];
      region.end = address + static_cast<uint32_t>(bytes);
      region.wrote = writes;
      return;
    }
  }

  void keep(const Vsoc& soc, int64_t edge_ps, Kind kind, bool jumps) {
    const auto masked = static_cast<uint8_t>(soc.masked << 2 | jumps << 1);
    const Record record =
        kind == kRetired
            ? Record{edge_ps, soc.retired_pc, 0, 0, kind, 4, masked, 0}
            : Record{edge_ps, address_, kind == kWrite ? soc.d_data : 0, cycles_,
                     kind, bytes_, static_cast<uint8_t>(masked | is_burst_), 0};
    if (std::fwrite(&record, sizeof record, 1, file_.get()) != 1)
      throw std::runtime_error("bus=" + path_ + ": cannot be written");
  }

  const std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<Region> regions_;
  bool is_on_ = false;
  int64_t left_ = 0;  // cycles of the access that goes on; 0: none does
  Kind kind_ = kFetch;
  uint32_t address_ = 0, cycles_ = 0, fetched_ = 0, retired_ = 0;
  uint8_t bytes_ = 4;
  bool is_burst_ = false;
};

}  // namespace plexor
