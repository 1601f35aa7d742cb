// SPDX-License-Identifier: Apache-2.0
// What the instrument sends: numbered frames of events, results, news and answers.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "frames.h"
#include "geometry.h"
#include "matcher.h"
#include "results.h"

namespace plexor {

// A count of what has passed, and a sum by which it is known again.
struct Passed {
  uint64_t count = 0, sum = 0xcbf29ce484222325u;
  void mix(uint64_t value) { sum = (sum ^ value) * 0x100000001b3u; }
};

// Adds the first words of a frame of events.
void pass_events(const Frame& frame, size_t words, Passed& passed);

// What has passed of results and news. Snapshots are apart: clocks decide which event is their last,
// and so what each bank has counted at the end of their run.
class News {
 public:
  // Adds a frame of results or news; returns whether it is of a snapshot.
  bool take(const Frame& frame);

  const Passed& passed() const { return passed_; }
  // The run's number, and that of its last snapshot.
  std::pair<uint64_t, uint32_t> snapshots() const { return {runs_, snapshot_}; }

 private:
  Passed passed_;
  bool runs_on_ = false, is_sending_ = false;
  uint64_t runs_ = 0;
  uint32_t snapshot_ = 0;
};

class Uplink {
 public:
  Uplink(const Geometry& geometry, const Results& results)
      : geometry_(geometry), results_(results) {}

  // Bytes that have been sent; the reader takes them.
  std::vector<uint8_t>& bytes() { return bytes_; }

  void log(uint32_t code, uint64_t index, int64_t base_ticks);
  // Returns the clocks from the frame's last byte to its end on the link, besides a constant.
  int64_t respond(const Command& command);

  // Passes on a frame of another instrument, with a number of its own.
  void forward(const Frame& frame) { append_stream(frame, sequence_++, bytes_); }

  // Bytes of frames of events, and of results and news.
  int64_t event_bytes() const { return event_bytes_; }
  int64_t news_bytes() const { return news_bytes_; }
  // All that was sent except answers.
  const Passed& events() const { return events_; }
  const News& news() const { return news_; }

  // Event frames. A frame ends when it is full, at a change of base, and where no event has come
  // for a time.
  void event(const Event& event);
  void end_frame();
  int64_t last_ticks() const { return last_ticks_; }
  void clear_events();

  // The same for events that were kept around a trigger.
  void trace(const std::vector<Event>& events);

  // How many words were read, and how many of them were sent.
  struct Dumped {
    int64_t read = 0, sent = 0;
  };
  // One bank of each space, or all.
  Dumped dump(uint32_t spaces, int bank, uint32_t flags, int snapshot, int64_t base_ticks);
  void dump_all(uint32_t spaces, int snapshot, int64_t base_ticks);

 private:
  static constexpr size_t kDumpWords = 128;

  // Returns the frame's CRC.
  uint32_t send(const Frame& frame);
  void add_event(const Event& event);
  Dumped dump_space(uint32_t space, int bank, uint32_t flags, int snapshot, int64_t base_ticks);

  const Geometry& geometry_;
  const Results& results_;
  std::vector<uint8_t> bytes_;
  uint32_t sequence_ = 0;
  Passed events_;
  News news_;
  int64_t event_bytes_ = 0, news_bytes_ = 0;
  Frame frame_;  // of events, under way
  int64_t last_ticks_ = 0;
};

}  // namespace plexor
