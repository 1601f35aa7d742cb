// SPDX-License-Identifier: Apache-2.0
#include "ethernet.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace plexor {

namespace {

using Mac = std::array<uint8_t, 6>;
using Address = std::array<uint8_t, 4>;

// plexor_soc.simulated has the instrument's.
constexpr Mac kDeviceMac = {0x10, 0xe2, 0xd5, 0, 0, 0};
constexpr Mac kHostMac = {0x02, 0, 0, 0, 0, 0x01};
constexpr Address kDeviceAddress = {192, 168, 1, 50};
constexpr Address kHostAddress = {192, 168, 1, 100};
constexpr size_t kPreambleBytes = 8, kHeaderBytes = 14, kIpBytes = 20, kUdpBytes = 8;
constexpr size_t kLeastBytes = 60;  // without the check sequence
constexpr size_t kCheckBytes = 4;
constexpr uint16_t kIp = 0x0800, kArp = 0x0806;
constexpr uint8_t kUdp = 17;

void put16(Bytes& to, size_t value) {
  to.push_back(static_cast<uint8_t>(value >> 8));
  to.push_back(static_cast<uint8_t>(value));
}

template <typename Items>
void put(Bytes& to, const Items& items) {
  to.insert(to.end(), items.begin(), items.end());
}

uint16_t get16(const Bytes& from, size_t place) {
  return static_cast<uint16_t>(from[place] << 8 | from[place + 1]);
}

uint32_t check_of(const Bytes& bytes, size_t start, size_t end) {
  uint32_t check = ~0u;
  for (size_t n = start; n < end; n++) {
    check ^= bytes[n];
    for (int bit = 0; bit < 8; bit++) check = check >> 1 ^ (check & 1 ? 0xEDB88320u : 0);
  }
  return ~check;
}

uint32_t sum16(const Bytes& bytes, size_t start, size_t end) {
  uint32_t sum = 0;
  for (size_t n = start; n < end; n += 2) sum += get16(bytes, n);
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return sum;
}

Bytes begin(uint16_t type) {
  Bytes frame;
  put(frame, kDeviceMac);
  put(frame, kHostMac);
  put16(frame, type);
  return frame;
}

// Return the frame as it is on the wire.
Bytes finish(Bytes frame) {
  if (frame.size() < kLeastBytes) frame.resize(kLeastBytes);
  const uint32_t check = check_of(frame, 0, frame.size());
  for (int shift = 0; shift < 32; shift += 8) frame.push_back(static_cast<uint8_t>(check >> shift));
  Bytes wire(kPreambleBytes - 1, 0x55);
  wire.push_back(0xD5);
  put(wire, frame);
  return wire;
}

[[noreturn]] void wrong(const std::string& what) {
  throw std::runtime_error("Ethernet frame of the instrument: " + what);
}

// Return the frame inside, without preamble and check sequence.
Bytes open(const Bytes& wire) {
  const size_t least = kPreambleBytes + kLeastBytes + kCheckBytes;
  if (wire.size() < least) wrong(std::to_string(wire.size()) + " bytes, too short");
  for (size_t n = 0; n < kPreambleBytes; n++)
    if (wire[n] != (n == kPreambleBytes - 1 ? 0xD5 : 0x55)) wrong("no preamble");
  const size_t end = wire.size() - kCheckBytes;
  uint32_t check = 0;
  for (size_t n = 0; n < kCheckBytes; n++) check |= static_cast<uint32_t>(wire[end + n]) << 8 * n;
  if (check != check_of(wire, kPreambleBytes, end)) wrong("wrong check sequence");
  return {wire.begin() + kPreambleBytes, wire.begin() + static_cast<std::ptrdiff_t>(end)};
}

Bytes arp_answer(const Bytes& frame) {
  constexpr size_t kOperation = kHeaderBytes + 6, kTarget = kHeaderBytes + 24;
  const bool asks = get16(frame, kOperation) == 1;
  if (!asks || !std::equal(kHostAddress.begin(), kHostAddress.end(), frame.begin() + kTarget))
    return {};
  Bytes answer = begin(kArp);
  for (const size_t value : {0x0001, 0x0800, 0x0604, 0x0002}) put16(answer, value);
  put(answer, kHostMac);
  put(answer, kHostAddress);
  put(answer, kDeviceMac);
  put(answer, kDeviceAddress);
  return finish(answer);
}

}  // namespace

Bytes Ethernet::wrap(const Datagram& datagram) const {
  Bytes frame = begin(kIp);
  const size_t ip = frame.size();
  put16(frame, 0x4500);
  put16(frame, kIpBytes + kUdpBytes + datagram.bytes.size());
  for (const size_t value : {0x0000, 0x4000, 0x4000 | kUdp, 0x0000}) put16(frame, value);
  put(frame, kHostAddress);
  put(frame, kDeviceAddress);
  const uint32_t sum = ~sum16(frame, ip, ip + kIpBytes);
  frame[ip + 10] = static_cast<uint8_t>(sum >> 8);
  frame[ip + 11] = static_cast<uint8_t>(sum);
  put16(frame, datagram.host_port);
  put16(frame, datagram.device_port);
  put16(frame, kUdpBytes + datagram.bytes.size());
  put16(frame, 0);
  put(frame, datagram.bytes);
  return finish(frame);
}

Ethernet::Taken Ethernet::take(const Bytes& wire) const {
  const Bytes frame = open(wire);
  Taken taken;
  const uint16_t type = get16(frame, kHeaderBytes - 2);
  if (type == kArp) {
    taken.answer = arp_answer(frame);
    return taken;
  }
  if (type != kIp) wrong("type " + std::to_string(type));
  const size_t ip = kHeaderBytes, udp = ip + kIpBytes;
  if (frame[ip] != 0x45 || sum16(frame, ip, udp) != 0xFFFF) wrong("no IPv4 header");
  if (frame[ip + 9] != kUdp) return taken;
  const size_t size = get16(frame, udp + 4);
  if (size < kUdpBytes || size + kIpBytes != get16(frame, ip + 2) || udp + size > frame.size())
    wrong("UDP of " + std::to_string(size) + " bytes");
  taken.is_datagram = true;
  taken.datagram.device_port = get16(frame, udp);
  taken.datagram.host_port = get16(frame, udp + 2);
  taken.datagram.bytes.assign(frame.begin() + static_cast<std::ptrdiff_t>(udp + kUdpBytes),
                              frame.begin() + static_cast<std::ptrdiff_t>(udp + size));
  return taken;
}

}  // namespace plexor
