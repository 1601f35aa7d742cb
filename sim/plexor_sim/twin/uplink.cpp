// SPDX-License-Identifier: Apache-2.0
#include "uplink.h"

#include <algorithm>
#include <cstdint>

namespace plexor {

namespace {

constexpr int64_t kSentByteClocks = 3;  // a byte of a frame, at least
constexpr int64_t kCheckBytes = 4;

}  // namespace

void pass_events(const Frame& frame, size_t words, Passed& passed) {
  for (size_t n = 0; n < words; n++) {
    passed.mix(frame.index + n);
    passed.mix(static_cast<uint64_t>(frame.base_ticks) ^ frame.words[n]);
  }
  passed.count += words;
}

bool News::take(const Frame& frame) {
  const bool is_log = frame.type == kFrameTypeLog, is_dump = is_log && frame.tag == kLogCodeDumped;
  const bool is_memory = frame.type == kFrameTypeHistogram || frame.type == kFrameTypeStatistics;
  // The last snapshot may still be sent when the run has ended.
  const bool is_part = is_memory && !(frame.flags & kMemoryFlagFinal);
  if (is_part || (is_dump && (runs_on_ || is_sending_))) {
    is_sending_ = is_part;
    snapshot_ = is_dump ? static_cast<uint32_t>(frame.index) : frame.tag;
    return true;
  }
  if (is_log && (frame.tag == kLogCodeStarted || frame.tag == kLogCodeStopped)) {
    runs_on_ = frame.tag == kLogCodeStarted;
    runs_ += runs_on_;
    if (runs_on_) snapshot_ = 0;
  }
  // The end of a run tells how many snapshots there were.
  passed_.mix(frame.type | frame.flags << 8 | (is_memory || is_dump ? 0 : frame.tag << 16));
  if (!is_dump) passed_.mix(frame.index);
  if (!is_log || frame.tag != kLogCodeRejected)
    passed_.mix(static_cast<uint64_t>(frame.base_ticks));
  const bool is_in_banks =
      is_memory && snapshot_ && kBankedSpaces >> (frame.flags & kSpaceMask) & 1;
  if (!is_in_banks)
    for (const uint32_t word : frame.words) passed_.mix(word);
  passed_.count++;
  return false;
}

uint32_t Uplink::send(const Frame& frame) {
  const size_t before = bytes_.size();
  const uint32_t crc = append_stream(frame, sequence_++, bytes_);
  const auto count = static_cast<int64_t>(bytes_.size() - before);
  if (frame.type == kFrameTypeEvents) {
    pass_events(frame, frame.words.size(), events_);
    event_bytes_ += count;
  } else if (frame.type != kFrameTypeResponse) {
    news_.take(frame);
    news_bytes_ += count;
  }
  return crc;
}

void Uplink::log(uint32_t code, uint64_t index, int64_t base_ticks) {
  send({kFrameTypeLog, 0, code, index, base_ticks, {}});
}

int64_t Uplink::respond(const Command& command) {
  end_frame();
  Frame frame{kFrameTypeResponse, 0, static_cast<uint32_t>(command.operations.size()),
              command.sequence, 0, {}};
  for (const Operation& operation : command.operations) {
    frame.words.push_back(operation.address | static_cast<uint32_t>(operation.code) << 16 |
                          static_cast<uint32_t>(operation.status) << 24);
    frame.words.push_back(operation.value);
  }
  const uint32_t crc = send(frame);
  // COBS holds bytes back until the next zero or the end.
  int64_t held = 0;
  for (auto word = frame.words.rbegin(); word != frame.words.rend(); ++word) {
    int byte = 3;
    while (byte >= 0 && *word >> 8 * byte & 255) byte--, held++;
    if (byte >= 0) break;
  }
  // A zero in the CRC lets them go while the rest of it comes.
  int64_t first = 0;
  while (first < kCheckBytes && crc >> 8 * first & 255) first++;
  held = std::max(held + first, kCheckBytes - 1 - first);
  return kSentByteClocks * held;
}

void Uplink::event(const Event& event) {
  const int64_t base_ticks = event.ticks & ~static_cast<int64_t>(kMaxDeltaTicks);
  const size_t needed = event.source == kSourceCode ? 2 : 1;
  if (!frame_.words.empty() && (base_ticks != frame_.base_ticks ||
                                frame_.words.size() + needed > static_cast<size_t>(kMaxWords)))
    end_frame();
  if (frame_.words.empty()) {
    frame_.type = frame_.type ? frame_.type : kFrameTypeEvents;
    frame_.index = static_cast<uint64_t>(event.index);
    frame_.base_ticks = base_ticks;
  }
  add_event(event);
  last_ticks_ = event.ticks;
}

void Uplink::add_event(const Event& event) {
  const auto head = [&](uint32_t source) {
    return source << kSourceShift | static_cast<uint32_t>(event.polarity) << kPolarityShift;
  };
  frame_.words.push_back(head(event.source) | static_cast<uint32_t>(event.ticks & kMaxDeltaTicks));
  if (event.source == kSourceCode) frame_.words.push_back(head(kSourceCodeValue) | event.code);
}

void Uplink::end_frame() {
  if (frame_.words.empty()) return;
  send(frame_);
  frame_ = {};
}

void Uplink::clear_events() {
  frame_ = {};
}

void Uplink::trace(const std::vector<Event>& events) {
  for (const Event& each : events) {
    frame_.type = kFrameTypeTrace;
    event(each);
  }
  end_frame();
}

Uplink::Dumped Uplink::dump(uint32_t spaces, int bank, uint32_t flags, int snapshot, int64_t base_ticks) {
  Dumped all;
  for (uint32_t space = 0; space < static_cast<uint32_t>(kSpaces); space++) {
    if (!(spaces >> space & 1) || !geometry_.entries[space]) continue;
    const int from = geometry_.banks[space] > 1 ? bank : 0;
    const Dumped one = dump_space(space, from, flags, snapshot, base_ticks);
    all = {all.read + one.read, all.sent + one.sent};
  }
  return all;
}

void Uplink::dump_all(uint32_t spaces, int snapshot, int64_t base_ticks) {
  for (uint32_t space = 0; space < static_cast<uint32_t>(kSpaces); space++) {
    if (!(spaces >> space & 1) || !geometry_.entries[space]) continue;
    for (int bank = 0; bank < geometry_.banks[space]; bank++)
      dump_space(space, bank, kMemoryFlagFinal, snapshot, base_ticks);
  }
}

// Frames of bins, steps and codes that hold nothing are left out, except the last.
Uplink::Dumped Uplink::dump_space(uint32_t space, int bank, uint32_t flags, int snapshot,
                                  int64_t base_ticks) {
  const bool is_histogram = kHistogramSpaces >> space & 1;
  const bool leaves_out = geometry_.has(kFeatureSnapshot) &&
                          (is_histogram || space == kSpaceSteps || space == kSpaceCodes);
  const std::vector<uint32_t> words = results_.words(space, bank);
  uint64_t zeros = 0;
  int64_t sent = 0;
  for (size_t start = 0; start < words.size(); start += kDumpWords) {
    const size_t end = std::min(start + kDumpWords, words.size());
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(start);
    const auto behind = words.begin() + static_cast<std::ptrdiff_t>(end);
    const bool is_last = end == words.size();
    if (leaves_out && !is_last &&
        std::all_of(first, behind, [](uint32_t word) { return word == 0; })) {
      zeros += end - start;
      continue;
    }
    Frame frame;
    frame.type = is_histogram ? kFrameTypeHistogram : kFrameTypeStatistics;
    frame.flags = space | flags | (bank ? kMemoryFlagBank : 0) | (is_last ? kMemoryFlagLast : 0);
    frame.tag = static_cast<uint32_t>(snapshot);
    frame.index = start | zeros << kZerosShift;
    frame.base_ticks = base_ticks;
    frame.words.assign(first, behind);
    send(frame);
    sent += static_cast<int64_t>(frame.words.size());
    zeros = 0;
  }
  return {static_cast<int64_t>(words.size()), sent};
}

}  // namespace plexor
