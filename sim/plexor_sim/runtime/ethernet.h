// SPDX-License-Identifier: Apache-2.0
// Ethernet frames with ARP and UDP over IPv4, as much as an instrument's network needs.
//
// IEEE 802.3 (preamble, frame check sequence, gap), RFC 826 (ARP), RFC 791 (IPv4), RFC 768 (UDP).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "network.h"

namespace plexor {

using Bytes = std::vector<uint8_t>;

constexpr uint16_t kFramesPort = 7539;     // plexor_soc.datagrams.FRAMES_PORT
constexpr uint16_t kEtherbonePort = 1234;  // LiteX' default
constexpr size_t kMostPayload = 1472;      // 1500 less 20 of IP and 8 of UDP
constexpr int kGapClocks = 12;             // bytes between frames, at least

// The host's end of the wire. Turns datagrams into frames with preamble and check sequence, and
// back; answers ARP. Throws std::runtime_error for a frame that violates the standards.
class Ethernet {
 public:
  Bytes wrap(const Datagram& datagram) const;

  // What a frame from the wire calls for: a datagram for the host, or a frame as answer.
  struct Taken {
    bool is_datagram = false;
    Datagram datagram;
    Bytes answer;
  };
  Taken take(const Bytes& wire) const;
};

// The ends of the wire. `before` sets the core's inputs for the next rising edge, byte by byte.
class EthernetLink {
 public:
  template <typename Options>
  EthernetLink(Network& network, const Options&) : network_(network) {}

  template <typename Core>
  void before(Core& core, bool) {
    core.eth_sink_valid = next(core.eth_sink_data);
    if (core.eth_source_valid) {
      out_.push_back(core.eth_source_data);
    } else if (!out_.empty()) {
      const Ethernet::Taken taken = ethernet_.take(out_);
      if (taken.is_datagram) network_.send(taken.datagram);
      if (!taken.answer.empty()) answers_.push_back(taken.answer);
      out_.clear();
    }
  }

  template <typename Core>
  bool is_idle(const Core&) const {
    return false;
  }

 private:
  template <typename Byte>
  bool next(Byte& byte) {
    if (gap_ > 0) {
      gap_--;
      return false;
    }
    if (place_ == in_.size()) {
      if (!answers_.empty()) {
        in_ = answers_.front();
        answers_.pop_front();
      } else if (!network_.received().empty()) {
        in_ = ethernet_.wrap(network_.received().front());
        network_.received().pop_front();
      } else {
        return false;
      }
      place_ = 0;
    }
    byte = in_[place_++];
    if (place_ == in_.size()) gap_ = kGapClocks;
    return true;
  }

  Network& network_;
  Ethernet ethernet_;
  std::deque<Bytes> answers_;
  Bytes in_, out_;
  size_t place_ = 0;
  int gap_ = 0;
};

}  // namespace plexor
