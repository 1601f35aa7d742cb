// SPDX-License-Identifier: Apache-2.0
// Carries bytes between the socket and the core, by byte streams or by the pins of the core's UART.
// `before` sets the core's inputs for the next rising edge, from outputs that have settled.
#pragma once

#include "input.h"
#include "options.h"
#include "random.h"
#include "socket.h"

namespace plexor {

// Inverts a bit of a byte on its way to the client, now and then.
class Corruption {
 public:
  explicit Corruption(const Options& options)
      : chance_(static_cast<uint64_t>(options.corrupt * 0x1p64)),
        random_(options.corrupt_seed, 1) {}

  uint8_t of(uint8_t byte) {
    if (!chance_ || random_.next() >= chance_) return byte;
    return static_cast<uint8_t>(byte ^ 1u << random_.below(8));
  }

 private:
  const uint64_t chance_;
  Random random_;
};

// The streams `rx` and `tx`, at most a byte each way in a clock. Verilator writes the double
// underscore of their ports as ___05F.
class StreamLink {
 public:
  StreamLink(Socket& socket, const Options& options)
      : socket_(socket),
        stall_(static_cast<uint64_t>(options.stall * 0x1p64)),
        full_(options.stall_full),
        random_(options.stall_seed, 0),
        corruption_(options) {}

  // While `take` is low, the client's bytes wait.
  template <typename Core>
  void before(Core& core, bool take) {
    if (core.tx___05Fvalid) {
      core.tx___05Fready = socket_.has_room() && !full_ && !stalled();
      if (core.tx___05Fready) socket_.push(corruption_.of(core.tx___05Fpayload));
    }
    // A byte that is offered stays so until it is taken, as a stream's does.
    const bool offer = offered_ || (take && socket_.has_byte() && !stalled());
    if (offer || core.rx___05Fvalid) {
      core.rx___05Fvalid = offer;
      if (offer) core.rx___05Fpayload = socket_.byte();
      // `ready` may depend on this clock's inputs.
      core.eval();
      offered_ = offer && !core.rx___05Fready;
      if (offer && !offered_) socket_.pop();
    }
  }

  template <typename Core>
  bool is_idle(const Core& core) const {
    return !socket_.has_byte() && !core.rx___05Fvalid && (full_ || !core.tx___05Fvalid);
  }

 private:
  bool stalled() { return stall_ && random_.next() < stall_; }

  Socket& socket_;
  const uint64_t stall_;
  const bool full_;
  bool offered_ = false;
  Random random_;
  Corruption corruption_;
};

// The other end of a UART: 8N1, `uart_divisor` core clocks for each bit, without flow control. A
// byte that finds no room to the client is lost, as on a wire. It begins with the preamble by which
// the core measures the rate, unless the line is not the core's (`no_preamble`).
class UartLink {
 public:
  UartLink(Socket& socket, const Options& options)
      : socket_(socket),
        divisor_(options.uart_divisor),
        corruption_(options),
        low_(options.uart_low, is_low_),
        preamble_sent_(options.no_preamble ? sizeof kPreamble : 0) {
    if (options.stall != 0 || options.stall_full)
      throw Usage("--stall: a UART has no flow control to stall; use a build without it");
  }

  template <typename Core>
  void before(Core& core, bool) {
    low_.step(clocks_++);
    core.uart_rx = send() && !is_low_;
    receive(core.uart_tx);
  }

  template <typename Core>
  bool is_idle(const Core&) const {
    return false;  // bits on the line need every clock
  }

 private:
  bool send() {
    if (out_left_ == 0) {
      uint8_t byte = 0;
      if (preamble_sent_ < sizeof kPreamble) {
        byte = kPreamble[preamble_sent_++];
      } else {
        if (!socket_.has_byte()) return true;
        byte = socket_.byte();
        socket_.pop();
      }
      out_ = 1u << 9 | static_cast<uint32_t>(byte) << 1;
      out_left_ = 10 * divisor_;
    }
    const int bit = (10 * divisor_ - out_left_) / divisor_;
    out_left_--;
    return out_ >> bit & 1;
  }

  void receive(bool level) {
    if (in_cnt_ == 0) {
      if (level) return;
      in_ = 0;
    }
    const int bit = in_cnt_ / divisor_;
    if (in_cnt_ % divisor_ == divisor_ / 2) {
      in_ |= static_cast<uint32_t>(level) << bit;
      if (bit == 0 && level) {  // a glitch is not a start bit
        in_cnt_ = 0;
        return;
      }
      if (bit == 9) {  // the rest of the stop bit is for resynchronising
        if (level && socket_.has_room())
          socket_.push(corruption_.of(static_cast<uint8_t>(in_ >> 1)));
        in_cnt_ = level ? 0 : in_cnt_;
        if (level) return;
      }
    }
    // After a framing error, there is no start bit until the line is high again.
    if (bit >= 9 && in_cnt_ > 9 * divisor_ + divisor_ / 2) {
      if (level) in_cnt_ = 0;
      return;
    }
    in_cnt_++;
  }

  Socket& socket_;
  const int divisor_;
  Corruption corruption_;
  uint8_t is_low_ = 0;
  Input low_;
  int64_t clocks_ = 0;  // none is skipped
  uint32_t out_ = 0, in_ = 0;
  int out_left_ = 0, in_cnt_ = 0;
  size_t preamble_sent_;
  static constexpr uint8_t kPreamble[] = {0x55, 0x00};
};

}  // namespace plexor
