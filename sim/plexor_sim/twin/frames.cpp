// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

#include <array>
#include <cstddef>
#include <utility>

namespace plexor {

namespace {

constexpr size_t kCrcBytes = 4;
constexpr size_t kOperationBytes = 8;
constexpr size_t kMostEncoded = 2048;

// Eight bytes at a time: table n is that of a byte with n zero bytes behind it.
using CrcTables = std::array<std::array<uint32_t, 256>, 8>;

CrcTables crc_tables() {
  CrcTables made{};
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    made[0][byte] = crc;
  }
  for (uint32_t byte = 0; byte < 256; byte++)
    for (size_t zeros = 1; zeros < 8; zeros++)
      made[zeros][byte] = made[zeros - 1][byte] >> 8 ^ made[0][made[zeros - 1][byte] & 255];
  return made;
}

uint32_t word_at(const uint8_t* bytes) {
  return bytes[0] | static_cast<uint32_t>(bytes[1]) << 8 | static_cast<uint32_t>(bytes[2]) << 16 |
         static_cast<uint32_t>(bytes[3]) << 24;
}

uint32_t crc32(const uint8_t* bytes, size_t count) {
  static const CrcTables tables = crc_tables();
  uint32_t crc = ~0u;
  for (; count >= 8; count -= 8, bytes += 8) {
    const uint32_t low = crc ^ word_at(bytes), high = word_at(bytes + 4);
    crc = 0;
    for (int byte = 0; byte < 4; byte++)
      crc ^= tables[7 - byte][low >> 8 * byte & 255] ^ tables[3 - byte][high >> 8 * byte & 255];
  }
  for (; count; count--) crc = crc >> 8 ^ tables[0][(crc ^ *bytes++) & 255];
  return ~crc;
}

void put(std::vector<uint8_t>& bytes, uint64_t value, int count) {
  for (int byte = 0; byte < count; byte++) bytes.push_back(static_cast<uint8_t>(value >> 8 * byte));
}

void append_cobs(const std::vector<uint8_t>& data, std::vector<uint8_t>& out) {
  size_t code = out.size();
  out.push_back(1);
  for (const uint8_t byte : data) {
    if (out.size() - code == 255) {
      out[code] = 255;
      code = out.size();
      out.push_back(1);
    }
    if (byte) {
      out.push_back(byte);
      continue;
    }
    out[code] = static_cast<uint8_t>(out.size() - code);
    code = out.size();
    out.push_back(1);
  }
  out[code] = static_cast<uint8_t>(out.size() - code);
}

uint64_t long_at(const uint8_t* bytes) {
  return word_at(bytes) | static_cast<uint64_t>(word_at(bytes + 4)) << 32;
}

// Decodes what stood before a delimiter; returns whether it is COBS with a good CRC.
bool decode_stream(const std::vector<uint8_t>& encoded, std::vector<uint8_t>& decoded) {
  decoded.clear();
  for (size_t at = 0; at < encoded.size();) {
    const size_t code = encoded[at];
    if (at + code > encoded.size()) return false;
    decoded.insert(decoded.end(), &encoded[at] + 1, &encoded[at] + code);
    at += code;
    if (code != 255 && at < encoded.size()) decoded.push_back(0);
  }
  if (decoded.size() < kHeaderBytes + kCrcBytes) return false;
  const size_t body = decoded.size() - kCrcBytes;
  return crc32(decoded.data(), body) == word_at(&decoded[body]);
}

}  // namespace

uint32_t append_stream(const Frame& frame, uint32_t sequence, std::vector<uint8_t>& bytes) {
  std::vector<uint8_t> body;
  body.reserve(kHeaderBytes + 4 * frame.words.size() + kCrcBytes);
  put(body, frame.type, 1);
  put(body, frame.flags, 1);
  put(body, frame.tag, 2);
  put(body, sequence, 4);
  put(body, frame.index, 8);
  put(body, static_cast<uint64_t>(frame.base_ticks), 8);
  for (const uint32_t word : frame.words) put(body, word, 4);
  const uint32_t crc = crc32(body.data(), body.size());
  put(body, crc, 4);
  append_cobs(body, bytes);
  bytes.push_back(0);
  return crc;
}

bool FrameReader::take(uint8_t byte) {
  if (byte) {
    encoded_.push_back(byte);
    return false;
  }
  const bool is_good = decode_stream(encoded_, decoded_);
  encoded_.clear();
  if (!is_good) return false;
  frame_.type = decoded_[kHeaderType];
  frame_.flags = decoded_[kHeaderFlags];
  frame_.tag = decoded_[kHeaderTag] | static_cast<uint32_t>(decoded_[kHeaderTag + 1]) << 8;
  frame_.index = long_at(&decoded_[kHeaderIndex]);
  frame_.base_ticks = static_cast<int64_t>(long_at(&decoded_[kHeaderBaseTicks]));
  frame_.words.clear();
  for (size_t at = kHeaderBytes; at + kCrcBytes < decoded_.size(); at += 4)
    frame_.words.push_back(word_at(&decoded_[at]));
  return true;
}

CommandReader::Result CommandReader::take(uint8_t byte) {
  bytes_++;
  if (byte) {
    is_long_ |= encoded_.size() == kMostEncoded;
    if (!is_long_) encoded_.push_back(byte);
    return Result::kNothing;
  }
  frame_bytes_ = std::exchange(bytes_, 0);
  const bool is_empty = encoded_.empty();
  const bool is_good = !is_empty && !is_long_ && decode();
  encoded_.clear();
  is_long_ = false;
  if (is_empty) return Result::kNothing;
  return is_good ? Result::kCommand : Result::kRejected;
}

bool CommandReader::decode() {
  if (!decode_stream(encoded_, decoded_)) return false;
  if (decoded_.size() < kHeaderBytes + kCrcBytes + kOperationBytes) return false;
  const size_t body = decoded_.size() - kCrcBytes, payload = body - kHeaderBytes;
  if (payload % kOperationBytes || payload / kOperationBytes > kMaxOperations) return false;
  if (decoded_[kHeaderType] != kFrameTypeCommand) return false;
  command_.sequence = word_at(&decoded_[kHeaderSequence]);
  command_.operations.clear();
  for (size_t at = kHeaderBytes; at < body; at += kOperationBytes) {
    const uint32_t head = word_at(&decoded_[at]);
    command_.operations.push_back({static_cast<uint16_t>(head), static_cast<uint8_t>(head >> 16),
                                   0, word_at(&decoded_[at + 4])});
  }
  return true;
}

}  // namespace plexor
