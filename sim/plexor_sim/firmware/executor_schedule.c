// SPDX-License-Identifier: Apache-2.0
// The executor's schedule: entries by due time, and ids of its own in turn.
#include "executor.h"

enum { ENTRIES = 32 };

typedef struct {
  uint32_t due;
  uint8_t id;
} Entry;

static uint32_t now;
static Entry entries[ENTRIES];  // a ring, earliest first
static uint32_t first, waiting;
static uint32_t own_due;
static uint8_t own_every, own_id, own_ids;  // own_every 0: none
static uint8_t toggle;

// Whether a time has come. Times are less than 2^31 steps apart.
static int is_due(uint32_t due) { return (int32_t)(now - due) >= 0; }

static void fire(uint8_t id) {
  fire_code((FIRST_CODE + id) | toggle);
  toggle ^= TOGGLE;
}

static Entry *entry(uint32_t place) { return &entries[(first + place) % ENTRIES]; }

void step(uint32_t count, uint32_t mask) {
  now += (count - now) & mask;
  while (own_every && is_due(own_due)) {
    fire(own_id);
    own_id = own_id + 1 == own_ids ? 0 : own_id + 1;
    own_due += own_every;
  }
  while (waiting && is_due(entry(0)->due)) {
    const uint8_t id = entry(0)->id;
    first = (first + 1) % ENTRIES;
    waiting--;
    fire(id);
  }
}

uint32_t time_now(void) { return now; }

// Of entries with the same due time, the one that came first stays first.
static void add(const Message *message) {
  if (waiting == ENTRIES) {
    count(&counts.refused, 1);
    return;
  }
  uint32_t place = waiting++;
  for (; place && (int32_t)(message->due - entry(place - 1)->due) < 0; place--)
    *entry(place) = *entry(place - 1);
  *entry(place) = (Entry){message->due, message->id};
}

void schedule(const Message *message) {
  switch (message->kind) {
    case ENTRY:
      add(message);
      break;
    case VERIFY:
      own_due = message->due;
      own_every = message->id;
      own_ids = message->ids;
      own_id = 0;
      break;
    case RESET:
      waiting = 0;
      own_every = 0;
      toggle = 0;
      now = message->due;
      break;
    default:
      break;
  }
}
