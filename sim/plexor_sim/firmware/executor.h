// SPDX-License-Identifier: Apache-2.0
// The executor: carries out a schedule that comes by messages, at the steps of a timecode.
//
// plexor_lab/mixed/message.py on the host has the messages' format. Time is the timecode, extended to
// 32 bits. An id goes out as code 0x10 + id, and every second one as 0x90 + id, so that equal ids
// in a row are visible too.
#pragma once

#include <stdint.h>

enum { ENTRY = 1, VERIFY = 2, RESET = 3, QUERY = 4 };
enum { MOST_ID = 15, FIRST_CODE = 0x10, TOGGLE = 0x80 };

typedef struct {
  uint8_t sequence, kind, id, ids;
  uint32_t due;
} Message;

// Since the last RESET; they stay at 65535.
typedef struct {
  uint16_t good, damaged, missing, refused;
} Counts;

// executor_message.c

extern Counts counts;
void count(uint16_t *counter, uint32_t more);

// Takes a byte of the line. Returns not 0 once it has ended a good message, which is in `message`.
int take_byte(uint8_t byte, Message *message);

// Encodes a reply; returns its length on the line.
enum { MOST_REPLY_BYTES = 18 };
uint32_t encode_reply(uint8_t sequence, uint32_t time, uint8_t *line);

// executor_schedule.c: none of these may interrupt another.

// Brings the time up to date by its low bits, those in `mask`; fires what is due.
void step(uint32_t count, uint32_t mask);
uint32_t time_now(void);
void schedule(const Message *message);

// executor.c

void fire_code(uint8_t code);
