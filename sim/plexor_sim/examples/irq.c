// SPDX-License-Identifier: Apache-2.0
// The interrupt controller of irq.v in C: the same registers, clock by clock while anything moves.
//
// Options: clock_ps, delay_ps, save, work (cycles), such as clock_ps=8000,work=40.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plexor_device.h"

enum { IDLE, SAVE, WORK };
enum { MOST_INPUTS = 4096 };

struct input {
  int64_t time_ps;
  uint32_t strikes, load;
};

struct irq {
  int64_t clock_ps, delay_ps, save, work;
  int64_t edge_ps;  // of the clock: the next rising one
  struct input inputs[MOST_INPUTS];  // a ring of those that no clock edge has seen
  uint32_t first, count;
  uint32_t irq, busy;  // levels at the pins
  uint32_t irq_meta, irq_sync, irq_old, pending;
  uint32_t busy_meta, busy_sync, stolen;
  int state, chosen;
  int64_t cycle_cnt;
  uint32_t outputs;  // bit 0: entry; bits 1 and 2: handled
  const char *error;
};

static int take(struct irq *irq, const char *name, const char *value) {
  const struct {
    const char *name;
    int64_t *field;
  } options[] = {{"clock_ps", &irq->clock_ps},
                 {"delay_ps", &irq->delay_ps},
                 {"save", &irq->save},
                 {"work", &irq->work}};
  char *end;
  for (size_t n = 0; n < sizeof options / sizeof *options; n++) {
    if (strcmp(name, options[n].name)) continue;
    *options[n].field = strtoll(value, &end, 10);
    return *value && !*end && *options[n].field > 0;
  }
  return 0;
}

static void *create(const char *options, uint32_t strikes, char *error, size_t error_bytes) {
  struct irq *irq = calloc(1, sizeof *irq);
  char text[256], *next = text;
  if (!irq) return NULL;
  irq->clock_ps = 10000;
  irq->delay_ps = 700;
  irq->save = 12;
  irq->work = 30;
  irq->irq = strikes & 3;
  snprintf(text, sizeof text, "%s", options);
  while (*next) {
    char *name = next, *value;
    next += strcspn(next, ",");
    if (*next) *next++ = 0;
    value = name + strcspn(name, "=");
    if (*value) *value++ = 0;
    if (take(irq, name, value)) continue;
    snprintf(error, error_bytes, "%s=%s; must be clock_ps, delay_ps, save or work, above 0", name,
             value);
    free(irq);
    return NULL;
  }
  return irq;
}

static void input(void *device, int64_t time_ps, uint32_t strikes, uint32_t load) {
  struct irq *irq = device;
  if (irq->count == MOST_INPUTS) {
    irq->error = "more inputs at once than it keeps";
    return;
  }
  irq->inputs[(irq->first + irq->count++) % MOST_INPUTS] = (struct input){time_ps, strikes & 3, load};
}

static void clock_edge(struct irq *irq) {
  const uint32_t is_taken = irq->state == IDLE && irq->pending && !irq->stolen;
  const uint32_t taken = !is_taken ? 0 : irq->pending & 1 ? 1 : 2;
  const uint32_t pending = (irq->pending & ~taken) | (irq->irq_sync & ~irq->irq_old);
  if (!irq->stolen) {
    if (irq->state == IDLE) {
      if (irq->pending) {
        irq->chosen = !(irq->pending & 1);
        irq->state = SAVE;
        irq->cycle_cnt = irq->save - 1;
        irq->outputs |= 1;
      }
    } else if (irq->cycle_cnt) {
      irq->cycle_cnt--;
    } else if (irq->state == SAVE) {
      irq->state = WORK;
      irq->cycle_cnt = irq->work - 1;
      irq->outputs = (irq->outputs & ~1u) | 2u << irq->chosen;
    } else {
      irq->state = IDLE;
      irq->outputs &= 1;
    }
  }
  irq->pending = pending;
  irq->irq_old = irq->irq_sync;
  irq->irq_sync = irq->irq_meta;
  irq->irq_meta = irq->irq;
  irq->stolen = irq->busy_sync & ~irq->stolen & 1;
  irq->busy_sync = irq->busy_meta;
  irq->busy_meta = irq->busy;
}

// Whether clock edges change nothing until an input comes.
static int rests(const struct irq *irq) {
  return irq->state == IDLE && !irq->pending && irq->irq_meta == irq->irq &&
         irq->irq_sync == irq->irq && irq->irq_old == irq->irq &&
         !(irq->busy | irq->busy_meta | irq->busy_sync | irq->stolen);
}

// Passes clock edges that change nothing: all before the next input.
static int64_t next_edge_ps(struct irq *irq) {
  int64_t input_ps;
  if (!rests(irq)) return irq->edge_ps;
  if (!irq->count) return INT64_MAX;
  input_ps = irq->inputs[irq->first].time_ps;
  if (input_ps > irq->edge_ps)
    irq->edge_ps = (input_ps + irq->clock_ps - 1) / irq->clock_ps * irq->clock_ps;
  return irq->edge_ps;
}

static int64_t quiet_until_ps(void *device) {
  struct irq *irq = device;
  const int64_t edge_ps = next_edge_ps(irq);
  return edge_ps == INT64_MAX ? edge_ps : edge_ps + irq->delay_ps;
}

static int32_t advance(void *device, int64_t to_ps, plexor_edge *edges, uint32_t *count) {
  struct irq *irq = device;
  const uint32_t room = *count;
  *count = 0;
  if (irq->error) return PLEXOR_FAILED;
  for (;;) {
    const uint32_t before = irq->outputs;
    const int64_t edge_ps = next_edge_ps(irq);
    if (edge_ps == INT64_MAX || edge_ps + irq->delay_ps >= to_ps) return PLEXOR_DONE;
    if (*count + 3 > room) return PLEXOR_MORE;
    // An input on a clock edge counts at this edge.
    for (; irq->count && irq->inputs[irq->first].time_ps <= edge_ps; irq->count--) {
      irq->irq = irq->inputs[irq->first].strikes;
      irq->busy = irq->inputs[irq->first].load & 1;
      irq->first = (irq->first + 1) % MOST_INPUTS;
    }
    clock_edge(irq);
    irq->edge_ps = edge_ps + irq->clock_ps;
    for (uint8_t pin = 0; pin < 3; pin++)
      if ((before ^ irq->outputs) >> pin & 1)
        edges[(*count)++] =
            (plexor_edge){edge_ps + irq->delay_ps, pin, irq->outputs >> pin & 1};
  }
}

static const char *error(void *device) { return ((struct irq *)device)->error; }

static const char *load(void *device) {
  (void)device;
  return "on";
}

const plexor_device *plexor_device_get(uint32_t version) {
  static const plexor_device calls = {
      .version = PLEXOR_DEVICE_VERSION,
      .bytes = sizeof calls,
      .create = create,
      .destroy = free,
      .input = input,
      .advance = advance,
      .error = error,
      .quiet_until_ps = quiet_until_ps,
      .load = load,
  };
  return version == PLEXOR_DEVICE_VERSION ? &calls : NULL;
}
