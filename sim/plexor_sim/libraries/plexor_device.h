// SPDX-License-Identifier: Apache-2.0
// The interface of a device under test that is a library, in C or any language with C's calls.
//
// A library defines plexor_device_get. Time is absolute picoseconds, from the simulation's start. All
// calls come from one thread. Nothing but these calls may cross: no exception, no longjmp.
#ifndef PLEXOR_DEVICE_H
#define PLEXOR_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLEXOR_DEVICE_VERSION 1u

// Results of `advance` and `serial_sent`.
#define PLEXOR_DONE 0
#define PLEXOR_MORE 1  // the room, some of which is used, is too small; the same call follows
#define PLEXOR_FAILED -1  // `error` says why; the simulation ends

// An output's change. Pins 0 to 7 are response channels; code pin n is 8 + n, n from 0 to 15.
typedef struct {
  int64_t time_ps;
  uint8_t pin, level;
} plexor_edge;

// A byte that the device has sent on its serial line; it has come by then.
typedef struct {
  int64_t time_ps;
  uint8_t byte;
} plexor_byte;

// The calls. Those behind `advance` may be null.
typedef struct {
  uint32_t version;  // PLEXOR_DEVICE_VERSION
  uint32_t bytes;  // sizeof(plexor_device)

  // Makes a device. `options` is "key=value,key=value". `strikes` are the levels of its strike inputs
  // from before time zero on, bit k that of input k. Returns null, with the reason in `error`, for an
  // option that cannot be used.
  void *(*create)(const char *options, uint32_t strikes, char *error, size_t error_bytes);
  void (*destroy)(void *device);

  // Sets the inputs from time_ps on; `load` requests the background load. Times of calls increase,
  // and are not before a time already advanced to.
  void (*input)(void *device, int64_t time_ps, uint32_t strikes, uint32_t load);

  // Runs up to, but not including, to_ps, and writes each output edge, oldest first. An input at time
  // t may cause an output at t or later. *count is the room, and then the number of edges.
  int32_t (*advance)(void *device, int64_t to_ps, plexor_edge *edges, uint32_t *count);

  // Why the last call failed.
  const char *(*error)(void *device);

  // There is no output edge before this time unless an input comes; INT64_MAX: none at all. Without
  // it, the device is advanced step by step.
  int64_t (*quiet_until_ps)(void *device);

  // Levels of the outputs before the first edge; without it all are low.
  uint32_t (*initial_levels)(void *device);

  // The load that it runs while `load` is 1; "none": it could run one, and runs none. Without it, it
  // has nothing that could load it.
  const char *(*load)(void *device);

  // 1 if it draws at random; otherwise it answers the same inputs in the same way.
  int32_t (*draws)(void *device);

  // Sets the timecode's pins from time_ps on. Times as those of `input`.
  void (*timecode)(void *device, int64_t time_ps, uint32_t pins);

  // The serial line. For how long it may be quiet between a byte and the device's answer; a byte to
  // the device, and when it has arrived; the bytes that nobody has taken, as `advance` gives edges.
  int64_t (*serial_answer_ps)(void *device);
  int64_t (*serial)(void *device, int64_t time_ps, uint8_t byte);
  int32_t (*serial_sent)(void *device, plexor_byte *bytes, uint32_t *count);
} plexor_device;

// Returns the calls. `version` is the simulator's; null if the library does not have that one.
const plexor_device *plexor_device_get(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
