// SPDX-License-Identifier: Apache-2.0
#include "truth.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace plexor {

namespace {

constexpr size_t kRecordBytes = 16;

[[noreturn]] void cannot_write(const std::string& path) {
  throw CannotWrite(path + ": cannot be written: " + std::strerror(errno));
}

std::FILE* open(const std::string& path) {
  if (path.empty()) return nullptr;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) cannot_write(path);
  return file;
}

int rank(uint8_t source) {
  if (source >= kSourceCodePin) return 3;
  if (source == kSourceLoad) return 2;
  return source < kSourceStrike ? 1 : 0;
}

char vcd_name(uint8_t source) { return static_cast<char>('!' + source); }

}  // namespace

EdgeLog::EdgeLog(const std::string& truth_path, const std::string& vcd_path)
    : truth_path_(truth_path),
      vcd_path_(vcd_path),
      truth_(open(truth_path)),
      vcd_(open(vcd_path)),
      on_(truth_ || vcd_) {}

EdgeLog::~EdgeLog() {
  try {
    flush();  // keeps the log of a simulation that failed
  } catch (const CannotWrite&) {
  }
  if (truth_) std::fclose(truth_);
  if (vcd_) std::fclose(vcd_);
}

void EdgeLog::close() {
  // A strike in the last clock was logged as an input but not written.
  sync();
  on_ = false;
}

void EdgeLog::check() const {
  if (truth_ && std::ferror(truth_)) cannot_write(truth_path_);
  if (vcd_ && std::ferror(vcd_)) cannot_write(vcd_path_);
}

void EdgeLog::start(int channels, int strikes, int codes, uint32_t initial_levels) {
  if (!vcd_) return;
  std::fprintf(vcd_, "$timescale 1ps $end\n$scope module pins $end\n");
  for (int n = 0; n < strikes; n++)
    std::fprintf(vcd_, "$var wire 1 %c strike%d $end\n", vcd_name(kSourceStrike + n), n);
  for (int n = 0; n < channels; n++)
    std::fprintf(vcd_, "$var wire 1 %c channel%d $end\n", vcd_name(n), n);
  for (int n = 0; n < codes; n++)
    std::fprintf(vcd_, "$var wire 1 %c code%d $end\n", vcd_name(kSourceCodePin + n), n);
  std::fprintf(vcd_, "$var wire 1 %c load $end\n$upscope $end\n$enddefinitions $end\n#0\n",
               vcd_name(kSourceLoad));
  for (int n = 0; n < strikes; n++) std::fprintf(vcd_, "0%c\n", vcd_name(kSourceStrike + n));
  for (int n = 0; n < channels; n++)
    std::fprintf(vcd_, "%d%c\n", initial_levels >> n & 1, vcd_name(n));
  for (int n = 0; n < codes; n++)
    std::fprintf(vcd_, "%d%c\n", initial_levels >> (kFirstCodePin + n) & 1,
                 vcd_name(kSourceCodePin + n));
  std::fprintf(vcd_, "0%c\n", vcd_name(kSourceLoad));
}

void EdgeLog::write() {
  inputs_.insert(inputs_.end(), responses_.begin(), responses_.end());
  std::stable_sort(inputs_.begin(), inputs_.end(), [](const Entry& a, const Entry& b) {
    return a.time_ps != b.time_ps ? a.time_ps < b.time_ps : rank(a.source) < rank(b.source);
  });
  for (const Entry& entry : inputs_) write(entry);
  inputs_.clear();
  responses_.clear();
  check();
}

void EdgeLog::write(const Entry& entry) {
  if (truth_) {
    uint8_t record[kRecordBytes] = {};
    for (int byte = 0; byte < 8; byte++)
      record[byte] = static_cast<uint8_t>(static_cast<uint64_t>(entry.time_ps) >> 8 * byte);
    record[8] = entry.source;
    record[9] = entry.level;
    std::fwrite(record, sizeof record, 1, truth_);
  }
  if (vcd_) {
    if (entry.time_ps != vcd_ps_)
      std::fprintf(vcd_, "#%lld\n", static_cast<long long>(entry.time_ps));
    vcd_ps_ = entry.time_ps;
    std::fprintf(vcd_, "%d%c\n", entry.level, vcd_name(entry.source));
  }
}

void EdgeLog::sync() {
  flush();
  if (truth_) std::fflush(truth_);
  if (vcd_) std::fflush(vcd_);
  check();
}

}  // namespace plexor
