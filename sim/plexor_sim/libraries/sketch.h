// SPDX-License-Identifier: Apache-2.0
// A device in Python: a process that answers the calls of plexor_device.h; sketch.py is its other end.
#pragma once

#include "plexor_device.h"

namespace plexor {

// The calls. The options of `create` are the interpreter, the file and the sketch's own options, a
// line each.
const plexor_device& sketch_calls();

}  // namespace plexor
