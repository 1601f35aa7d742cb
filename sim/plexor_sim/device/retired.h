// SPDX-License-Identifier: Apache-2.0
// The file of the option `retired`: what the core did, as the truth for codes.
//
// Records of 16 bytes, little-endian, by time: int64 time_ps, uint32 pc, uint32 code. An instruction
// that retires at an edge of the clock has that time and its pc; its code is 0. A code that the port
// takes at an edge has pc 0; its pins change at this time and clk_to_q, or it begins to wait for the
// two wires. Startup, before time zero, is not in it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "device.h"

namespace plexor {

class Retired {
 public:
  // No file is written if the path is empty. Throws BadOption if it cannot be.
  explicit Retired(const std::string& path) : path_(path) {
    if (path.empty()) return;
    file_.reset(std::fopen(path.c_str(), "wb"));
    if (!file_) throw BadOption("retired=" + path + ": cannot be written");
  }

  bool is_on() const { return file_ != nullptr; }

  void instruction(int64_t time_ps, uint32_t pc) { write({time_ps, pc, 0}); }
  void code(int64_t time_ps, uint32_t code) { write({time_ps, 0, code}); }

 private:
  struct Record {
    int64_t time_ps;
    uint32_t pc, code;
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void write(const Record& record) {
    if (std::fwrite(&record, sizeof record, 1, file_.get()) != 1)
      throw std::runtime_error("retired=" + path_ + ": cannot be written");
  }

  const std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace plexor
