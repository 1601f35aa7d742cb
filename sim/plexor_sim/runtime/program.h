// SPDX-License-Identifier: Apache-2.0
// The common parts of every simulation's main: options, stdout, signals, errors.
#pragma once

#include <signal.h>

#include <cstdio>

#include "options.h"

namespace plexor {

// Not 0 after SIGTERM or SIGINT. A simulation that should end sets it too.
extern volatile sig_atomic_t g_stop;

// Stops a simulation if `parent` is no longer its parent process; 0: any parent will do.
void stop_without(int parent);

// Parses the arguments and calls `simulate`. Returns the exit code: 0 done, 2 usage or a bad device
// option, 3 the device or the simulation failed, 4 a file cannot be written. Lines for the caller
// go to `lines`, the original stdout, which must be closed after the last of them. The device's own
// output goes to stderr, as said.h has it.
int program(int count, char** arguments, void (*simulate)(Options options, std::FILE* lines));

}  // namespace plexor
