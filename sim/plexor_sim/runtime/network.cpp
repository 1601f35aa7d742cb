// SPDX-License-Identifier: Apache-2.0
#include "network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "ethernet.h"

namespace plexor {

namespace {

constexpr size_t kMostWaiting = 64;  // the rest stays with the kernel
constexpr uint16_t kDevicePorts[2] = {kFramesPort, kEtherbonePort};

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

Network::Network(int buffer_bytes) {
  for (int n = 0; n < 2; n++) {
    sockets_[n] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (sockets_[n] < 0) fail("socket");
    if (buffer_bytes)
      setsockopt(sockets_[n], SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (bind(sockets_[n], reinterpret_cast<sockaddr*>(&address), size)) fail("bind");
    if (getsockname(sockets_[n], reinterpret_cast<sockaddr*>(&address), &size)) fail("getsockname");
    ports_[n] = ntohs(address.sin_port);
  }
}

Network::~Network() {
  for (const int socket : sockets_)
    if (socket >= 0) close(socket);
}

void Network::accept(int timeout_ms) {
  pollfd waits[2] = {{sockets_[0], POLLIN, 0}, {sockets_[1], POLLIN, 0}};
  poll(waits, 2, timeout_ms);
  receive();
}

void Network::receive() {
  for (int n = 0; n < 2; n++) {
    while (received_.size() < kMostWaiting) {
      uint8_t bytes[kMostPayload];
      sockaddr_in from{};
      socklen_t size = sizeof from;
      const ssize_t length = recvfrom(sockets_[n], bytes, sizeof bytes, MSG_TRUNC,
                                      reinterpret_cast<sockaddr*>(&from), &size);
      if (length < 0) break;
      come_ = true;
      // A datagram that does not fit an Ethernet frame would not arrive in one piece either.
      if (length > static_cast<ssize_t>(sizeof bytes)) continue;
      received_.push_back({kDevicePorts[n], ntohs(from.sin_port), {bytes, bytes + length}});
      if (n == 1) last_asker_ = ntohs(from.sin_port);
    }
  }
}

void Network::send(const Datagram& datagram) {
  const bool etherbone = datagram.device_port == kEtherbonePort;
  const sockaddr_in to = loopback(etherbone ? last_asker_ : datagram.host_port);
  // A datagram for which the host has no room is lost, as on any network.
  sendto(sockets_[etherbone], datagram.bytes.data(), datagram.bytes.size(), 0,
         reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

}  // namespace plexor
