// SPDX-License-Identifier: Apache-2.0
// The device's serial line, as a TCP port of its own: bytes of the client go to the device, and the
// device's to the client, without anything added.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

#include "device.h"
#include "socket.h"

namespace plexor {

class DeviceLine {
 public:
  explicit DeviceLine(Device& device) : device_(device), answer_ps_(device.serial_answer_ps()) {
    if (answer_ps_) socket_.emplace(0);
  }

  void tell(std::FILE* lines) const {
    if (socket_) std::fprintf(lines, "serial tcp://127.0.0.1:%d\n", socket_->port());
  }

  // What becomes readable when there is something to receive; -1: nothing ever.
  int readable() const { return socket_ ? socket_->readable() : -1; }

  // Whether a client is there.
  bool is_open() const { return socket_ && socket_->connected(); }

  // Whether a byte has passed.
  bool was_used() const { return quiet_ps_ > 0; }
  // The far end; null if there is no line.
  Socket* socket() { return socket_ ? &*socket_ : nullptr; }

  // Until when bytes are on the line, with time for an answer.
  int64_t quiet_ps() const { return quiet_ps_; }

  // Sends all that the client has sent so far to the device, from a time on; returns whether that
  // is anything.
  bool receive(int64_t time_ps) {
    if (!socket_) return false;
    bool any = false;
    socket_->accept(0);
    for (socket_->service(true); socket_->has_byte(); socket_->service(true)) {
      for (; socket_->has_byte(); socket_->pop())
        keep_busy(device_.serial(time_ps, socket_->byte()));
      any = true;
    }
    return any;
  }

  // Whether `receive` is worth its system calls, at the poll of that number.
  bool is_due(uint64_t poll) const {
    return socket_ && (socket_->connected() || poll % kAcceptPolls == 0);
  }

  // Passes on what the device has sent by now.
  void send(int64_t now_ps) {
    if (!socket_) return;
    device_.serial_sent(sent_);
    size_t taken = 0;
    for (; taken < sent_.size() && sent_[taken].time_ps <= now_ps && socket_->has_room(); taken++) {
      socket_->push(sent_[taken].byte);
      keep_busy(sent_[taken].time_ps);
    }
    if (!taken) return;
    sent_.erase(sent_.begin(), sent_.begin() + static_cast<std::ptrdiff_t>(taken));
    socket_->drain();
  }

 private:
  static constexpr uint64_t kAcceptPolls = 64;

  void keep_busy(int64_t time_ps) {
    quiet_ps_ = std::max(quiet_ps_, time_ps + answer_ps_);
  }

  Device& device_;
  const int64_t answer_ps_;
  std::optional<Socket> socket_;
  int64_t quiet_ps_ = 0;
  std::vector<SerialByte> sent_;
};

}  // namespace plexor
