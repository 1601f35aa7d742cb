// SPDX-License-Identifier: Apache-2.0
// Messages of the executor's serial line: COBS, CRC-16/CCITT-FALSE, sequence numbers.
#include "executor.h"

enum { BODY_BYTES = 8, CRC_BYTES = 2, LINE_BYTES = BODY_BYTES + CRC_BYTES + 1 };
enum { MOST_COUNT = 65535, REPLY_BYTES = 14 };

Counts counts;

static uint8_t line[LINE_BYTES];
static uint32_t line_bytes;  // LINE_BYTES + 1: more than a message has
static uint8_t expected;

void count(uint16_t *counter, uint32_t more) {
  *counter = *counter + more < MOST_COUNT ? *counter + more : MOST_COUNT;
}

static uint16_t crc16(const uint8_t *data, uint32_t bytes) {
  uint32_t crc = 0xffff;
  while (bytes--) {
    crc ^= (uint32_t)*data++ << 8;
    for (int bit = 0; bit < 8; bit++) crc = crc << 1 ^ (crc & 0x8000 ? 0x11021 : 0);
  }
  return (uint16_t)crc;
}

static uint32_t read32(const uint8_t *from) {
  return from[0] | from[1] << 8 | from[2] << 16 | (uint32_t)from[3] << 24;
}

static void write16(uint8_t *to, uint32_t value) {
  to[0] = (uint8_t)value;
  to[1] = (uint8_t)(value >> 8);
}

// Turns the line into a body and its CRC, one byte further left. Each code is the distance to the
// next one, and the last one leads exactly behind the end.
static int unstuff(void) {
  uint32_t place = 0;
  if (line_bytes != LINE_BYTES) return 0;
  for (uint32_t code = line[0];; code = line[place], line[place] = 0) {
    place += code;
    if (place >= LINE_BYTES) return place == LINE_BYTES;
  }
}

static int is_known(const Message *message) {
  switch (message->kind) {
    case ENTRY: return message->id <= MOST_ID;
    case VERIFY: return message->id > 0 && message->ids > 0 && message->ids <= MOST_ID + 1;
    case RESET:
    case QUERY: return 1;
    default: return 0;
  }
}

static int is_good(Message *message) {
  const uint8_t *body = line + 1;
  if (!unstuff() || crc16(body, BODY_BYTES) != (body[8] | body[9] << 8)) return 0;
  *message = (Message){body[0], body[1], body[2], body[3], read32(body + 4)};
  return is_known(message);
}

int take_byte(uint8_t byte, Message *message) {
  if (byte) {
    if (line_bytes < LINE_BYTES) line[line_bytes] = byte;
    if (line_bytes <= LINE_BYTES) line_bytes++;
    return 0;
  }
  if (!line_bytes) return 0;
  const int good = is_good(message);
  line_bytes = 0;
  if (!good) {
    count(&counts.damaged, 1);
    return 0;
  }
  if (message->kind == RESET) {
    counts = (Counts){0};
    expected = message->sequence;
  }
  count(&counts.missing, (uint8_t)(message->sequence - expected));
  expected = message->sequence + 1;
  count(&counts.good, 1);
  return 1;
}

uint32_t encode_reply(uint8_t sequence, uint32_t time, uint8_t *to) {
  uint8_t *body = to + 1;
  body[0] = sequence;
  body[1] = QUERY;
  write16(body + 2, counts.good);
  write16(body + 4, time);
  write16(body + 6, time >> 16);
  write16(body + 8, counts.damaged);
  write16(body + 10, counts.missing);
  write16(body + 12, counts.refused);
  write16(body + 14, crc16(body, REPLY_BYTES));
  uint32_t code = 0;
  for (uint32_t place = 1; place < MOST_REPLY_BYTES; place++) {
    const int ends = place == MOST_REPLY_BYTES - 1;
    if (!ends && to[place]) continue;
    to[code] = (uint8_t)(place - code);
    code = place;
  }
  to[code] = 0;
  return MOST_REPLY_BYTES;
}
