// SPDX-License-Identifier: Apache-2.0
#include "socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace plexor {

namespace {

constexpr size_t kSendBytes = 4096;  // enough to be worth a system call
constexpr int kMostHeld = 32;        // looks; a slow link's bytes come one by one without a pause
constexpr int kDrainMs = 1000;

[[noreturn]] void failed(const char* what) {
  throw std::runtime_error(std::string("socket: ") + what + ": " + std::strerror(errno));
}

}  // namespace

Socket::Socket(int buffer_bytes, bool framed) : buffer_bytes_(buffer_bytes), framed_(framed) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener_ < 0) failed("socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address)) failed("bind");
  if (listen(listener_, 4)) failed("listen");
  socklen_t length = sizeof address;
  if (getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length)) failed("getsockname");
  port_ = ntohs(address.sin_port);
}

Socket::~Socket() {
  if (client_ >= 0) close(client_);
  if (listener_ >= 0) close(listener_);
}

void Socket::accept(int timeout_ms) {
  if (connected()) return;
  if (timeout_ms) {
    pollfd waiting{listener_, POLLIN, 0};
    if (poll(&waiting, 1, timeout_ms) <= 0) return;
  }
  client_ = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (client_ < 0) return;
  // Commands and responses are small and awaited: Nagle's algorithm would cost 40 ms for each.
  int on = 1;
  setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (buffer_bytes_)
    setsockopt(client_, SOL_SOCKET, SO_SNDBUF, &buffer_bytes_, sizeof buffer_bytes_);
}

void Socket::service(bool receives) {
  if (!connected()) return;
  if (receives && !has_byte() && !receive(0)) return;
  const bool paused = tx_tail_ == tx_seen_ || held_ == kMostHeld;
  held_ = tx_tail_ == tx_head_ || paused ? 0 : held_ + 1;
  if (tx_tail_ != tx_head_ && (paused || tx_tail_ - tx_head_ >= kSendBytes)) send_queued();
  tx_seen_ = tx_tail_;
}

// Returns false if the client has gone.
bool Socket::receive(size_t at) {
  const ssize_t got = recv(client_, &rx_[at], rx_.size() - at, 0);
  // A client may wait until this system says that it has the bytes, which by default takes 40 ms.
  int on = 1;
  if (got > 0) setsockopt(client_, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
    drop_client();
    return false;
  }
  rx_head_ = 0;
  rx_tail_ = at + (got > 0 ? static_cast<size_t>(got) : 0);
  for (size_t n = at; n < rx_tail_; n++) rows_.take(rx_[n]);
  return true;
}

// Receives behind bytes that wait.
bool Socket::receive_behind() {
  const size_t open = rx_open_ - rx_head_, tail = rx_tail_ - rx_head_;
  std::memmove(rx_.data(), &rx_[rx_head_], tail);
  if (!receive(tail)) return false;
  rx_open_ = open;
  return true;
}

void Socket::feed(const std::vector<uint8_t>& bytes) {
  std::copy(bytes.begin(), bytes.end(), rx_.begin());
  rx_head_ = 0;
  rx_tail_ = bytes.size();
}

size_t Socket::frame_end() const {
  const auto begin = rx_.begin() + static_cast<ptrdiff_t>(rx_open_);
  const auto end = rx_.begin() + static_cast<ptrdiff_t>(rx_tail_);
  const auto ends = [this](uint8_t byte) { return rows_.ends(byte); };
  return static_cast<size_t>(std::find_if(begin, end, ends) - rx_.begin()) + 1;
}

void Socket::await_frame(int timeout_ms, int other) {
  drain();
  pollfd waiting[] = {{client_, POLLIN, 0}, {other, POLLIN, 0}};
  while (connected() && !(framed_ && has_frame()) && poll(waiting, 2, timeout_ms) > 0) {
    if (waiting[1].revents) return;
    if (!receive_behind() || rx_tail_ == rx_.size() || rows_.ends(rx_[rx_tail_ - 1])) return;
  }
}

void Socket::send_queued() {
  const ssize_t sent = send(client_, &tx_[tx_head_], tx_tail_ - tx_head_, MSG_NOSIGNAL);
  if (sent < 0) {
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) drop_client();
    return;
  }
  tx_head_ += static_cast<size_t>(sent);
  if (tx_head_ > 0) {
    std::memmove(tx_.data(), &tx_[tx_head_], tx_tail_ - tx_head_);
    tx_tail_ -= tx_head_;
    tx_head_ = 0;
  }
}

void Socket::drain() {
  while (connected() && tx_head_ != tx_tail_) {
    pollfd ready{client_, POLLOUT, 0};
    if (poll(&ready, 1, kDrainMs) <= 0) return;
    send_queued();
  }
}

void Socket::drop_client() {
  close(client_);
  client_ = -1;
  rx_head_ = rx_open_ = rx_tail_ = tx_head_ = tx_tail_ = tx_seen_ = 0;
}

}  // namespace plexor
