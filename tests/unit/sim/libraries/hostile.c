// SPDX-License-Identifier: Apache-2.0
// A library that does one thing wrong, which its option says, once an input has come.
#include <stdlib.h>
#include <string.h>

#include "plexor_device.h"

#ifndef VERSION
#define VERSION PLEXOR_DEVICE_VERSION
#endif

static char how[64];
static int64_t input_ps = -1;
static volatile int zero;

static int deeper(volatile char *from) {
  volatile char own[4096];
  own[0] = *from;
  return deeper(own) + own[1];
}

static void *create(const char *options, uint32_t strikes, char *error, size_t error_bytes) {
  (void)strikes;
  if (!strcmp(options, "how=refuse")) {
    strncpy(error, "how=refuse; must be anything else", error_bytes);
    return NULL;
  }
  strncpy(how, options, sizeof how - 1);
  return how;
}

static void destroy(void *device) { (void)device; }

static void input(void *device, int64_t time_ps, uint32_t strikes, uint32_t load) {
  (void)device, (void)strikes, (void)load;
  input_ps = time_ps;
}

static int32_t advance(void *device, int64_t to_ps, plexor_edge *edges, uint32_t *count) {
  (void)device;
  const uint32_t room = *count;
  *count = 0;
  if (input_ps < 0) return PLEXOR_DONE;
  if (!strcmp(how, "how=address")) *(volatile int *)8 = 1;
  if (!strcmp(how, "how=divide")) zero = 7 / zero;
  if (!strcmp(how, "how=abort")) abort();
  if (!strcmp(how, "how=exit")) exit(0);
  if (!strcmp(how, "how=stack")) deeper("");
  if (!strcmp(how, "how=loop"))
    for (;;) zero++;
  if (!strcmp(how, "how=fail")) return PLEXOR_FAILED;
  if (!strcmp(how, "how=result")) return 7;
  if (!strcmp(how, "how=room")) *count = 1u << 20;
  if (!strcmp(how, "how=more")) return PLEXOR_MORE;
  if (!strcmp(how, "how=flood")) {
    for (*count = 0; *count < room; ++*count) edges[*count] = (plexor_edge){to_ps - 1, 0, *count & 1};
    return PLEXOR_MORE;
  }
  if (!strcmp(how, "how=future")) {
    edges[0] = (plexor_edge){to_ps, 0, 1};
    *count = 1;
  }
  if (!strcmp(how, "how=order")) {
    edges[0] = (plexor_edge){to_ps - 1, 0, 1};
    edges[1] = (plexor_edge){to_ps - 2, 0, 0};
    *count = 2;
  }
  if (!strcmp(how, "how=pin") || !strcmp(how, "how=promise")) {
    edges[0] = (plexor_edge){to_ps - 1, !strcmp(how, "how=pin") ? 24 : 0, 1};
    *count = 1;
  }
  return PLEXOR_DONE;
}

static const char *error(void *device) {
  (void)device;
  return "the motor is jammed";
}

static int64_t quiet_until_ps(void *device) {
  (void)device;
  return !strcmp(how, "how=promise") ? INT64_MAX : INT64_MIN;
}

const plexor_device *plexor_device_get(uint32_t version) {
  static const plexor_device calls = {.version = VERSION,
                                      .bytes = sizeof calls,
                                      .create = create,
                                      .destroy = destroy,
                                      .input = input,
                                      .advance = advance,
                                      .error = error,
                                      .quiet_until_ps = quiet_until_ps};
  (void)version;
  return VERSION ? &calls : NULL;
}
