// SPDX-License-Identifier: Apache-2.0
// One TCP client at a time, on loopback only. Only accept, await_frame and drain block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rows.h"

namespace plexor {

class Socket {
 public:
  // Listens on 127.0.0.1 at an ephemeral port. About `buffer_bytes` fit on the way to a client that
  // does not read; 0: megabytes, by the kernel's choice. Throws std::runtime_error.
  // `framed`: bytes are seen only once release_frame has let them in.
  explicit Socket(int buffer_bytes, bool framed = false);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int port() const { return port_; }
  bool connected() const { return client_ >= 0; }
  // What becomes readable when a client comes, sends or goes.
  int readable() const { return connected() ? client_ : listener_; }

  // Accepts a client if none is connected; waits for it up to timeout_ms.
  void accept(int timeout_ms);

  // Sends what is due and, if it `receives`, receives into an empty queue. If the client has gone,
  // the queues both ways are discarded.
  void service(bool receives);

  // Sends what is queued, and receives until there is a whole frame: its last byte ends it, and the
  // client sends no other before it is answered. Waits up to timeout_ms for progress, or until
  // `other` is readable; -1: none.
  void await_frame(int timeout_ms, int other = -1);

  // If framed: whether a whole frame waits to be let in, and that.
  bool has_frame() const { return frame_end() != rx_tail_ + 1; }
  void release_frame() { rx_open_ = frame_end(); }

  // Bytes as if the client had sent them. The queue from the client must be empty.
  void feed(const std::vector<uint8_t>& bytes);

  // Sends what is queued, waiting up to a second.
  void drain();

  bool has_byte() const { return rx_head_ != (framed_ ? rx_open_ : rx_tail_); }
  uint8_t byte() const { return rx_[rx_head_]; }
  void pop() { rx_head_++; }

  // Without a client there is always room: bytes are discarded, as on an unplugged cable.
  bool has_room(size_t bytes = 1) const { return tx_tail_ + bytes <= kBytes || !connected(); }
  void push(uint8_t byte) {
    if (connected()) tx_[tx_tail_++] = byte;
  }

 private:
  static constexpr size_t kBytes = 1 << 16;

  bool receive(size_t at);
  bool receive_behind();
  size_t frame_end() const;  // rx_tail_ + 1: none
  void send_queued();
  void drop_client();

  const int buffer_bytes_;
  const bool framed_;
  int listener_ = -1, client_ = -1, port_ = 0;
  std::vector<uint8_t> rx_ = std::vector<uint8_t>(kBytes), tx_ = std::vector<uint8_t>(kBytes);
  Rows rows_;  // of what was received
  size_t rx_head_ = 0, rx_open_ = 0, rx_tail_ = 0, tx_head_ = 0, tx_tail_ = 0;
  size_t tx_seen_ = 0;  // tx_tail_ at the last service; no growth since is a pause in which to send
  int held_ = 0;        // services in which bytes waited for a pause
};

}  // namespace plexor
