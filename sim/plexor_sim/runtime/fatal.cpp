// $stop, $fatal and a failed assertion in a device's Verilog end the simulation with its message.
// build.py compiles Verilator's run time with VL_USER_FATAL, VL_USER_STOP and VL_USER_FINISH.
#include <stdexcept>
#include <string>

#include "verilated.h"

namespace {

[[noreturn]] void ended(const char* file, int line, const std::string& what) {
  throw std::runtime_error(std::string(file && *file ? file : "device") + ":" +
                           std::to_string(line) + ": " + what);
}

}  // namespace

void vl_finish(const char* file, int line, const char*) { ended(file, line, "$finish"); }

void vl_stop(const char* file, int line, const char*) { ended(file, line, "$stop"); }

void vl_fatal(const char* file, int line, const char*, const char* message) {
  ended(file, line, message && *message ? message : "$fatal");
}
