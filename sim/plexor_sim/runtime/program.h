// What every simulation's main does around it: options, stdout, signals, errors.
#pragma once

#include <signal.h>

#include <cstdio>

#include "options.h"

namespace plexor {

// Not 0 once SIGTERM or SIGINT has come; a simulation that is to end sets it too.
extern volatile sig_atomic_t g_stop;

// Stops a simulation whose parent was to be that process, 0 for any, and no longer is.
void stop_without(int parent);

// Parses the arguments and lets `simulate` do the rest; returns the exit code: 0 done, 2 usage or a
// bad device option, 3 the device or the simulation failed, 4 a file cannot be written. Lines that a caller reads go to
// `lines`, which is the original stdout and to be closed behind the last of them; what a device
// prints goes to stderr, so that nobody has to read on.
int program(int count, char** arguments, void (*simulate)(Options options, std::FILE* lines));

}  // namespace plexor
