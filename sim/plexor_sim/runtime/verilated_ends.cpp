// SPDX-License-Identifier: Apache-2.0
// What a Verilated design calls where it ends, or where something is wrong (said.h).
#include <cerrno>
#include <cstring>
#include <string>

#include "said.h"
#include "verilated.h"

namespace said = plexor::said;

namespace {

std::string place(const char* file, int line) {
  return std::string(file && *file ? file : "device") + ":" + std::to_string(line);
}

}  // namespace

void vl_finish(const char* file, int line, const char*) {
  said::ended(place(file, line) + ": $finish");
}

// Called after $stop, $error, $fatal and a failed assertion. A simulation survives an $error.
void vl_stop(const char* file, int line, const char*) {
  const std::string failed = said::failed();
  const std::string here = place(file, line);
  if (failed == said::kError + here) return;
  said::ended(here + (failed == said::kFatal + here ? ": $fatal" : ": $stop"));
}

void vl_fatal(const char* file, int line, const char*, const char* message) {
  std::string what = message && *message ? message : "$fatal";
  if (what.rfind("DIDNOTCONVERGE", 0) == 0) what = "the design never settles (" + what + ")";
  said::fatal(place(file, line) + ": " + what);
}

void vl_warn(const char* file, int line, const char*, const char* message) {
  if (std::strstr(message, "$readmem file not found"))
    said::fatal(std::string(file) + ": $readmemh or $readmemb cannot read it: " +
                std::strerror(errno) + "; the path is seen from the manifest's folder");
  said::say("%Warning: " + place(file, line) + ": " + message);
}
