// SPDX-License-Identifier: Apache-2.0
// The network of an instrument with Ethernet: two UDP ports on loopback, one for the instrument's
// frames and one for Etherbone. Datagrams go over the simulated wire as they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace plexor {

struct Datagram {
  uint16_t device_port = 0;  // of the instrument
  uint16_t host_port = 0;    // on loopback
  std::vector<uint8_t> bytes;
};

// Has the interface that `main.cpp` needs of a Socket. Datagrams have no end of a connection. So
// the client stays from the first datagram on, and time goes on from then.
class Network {
 public:
  // Throws std::runtime_error.
  explicit Network(int buffer_bytes);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  int port() const { return ports_[0]; }
  int etherbone_port() const { return ports_[1]; }
  bool connected() const { return come_; }
  void accept(int timeout_ms);
  void service(bool) { receive(); }
  void await_frame(int, int) {}
  bool has_frame() const { return false; }
  void release_frame() {}
  void drain() {}

  std::deque<Datagram>& received() { return received_; }
  // Sends to the client of the datagram's port. Etherbone answers go to the last client that asked.
  void send(const Datagram& datagram);

 private:
  void receive();

  int sockets_[2] = {-1, -1};
  int ports_[2] = {0, 0};
  uint16_t last_asker_ = 0;
  bool come_ = false;
  std::deque<Datagram> received_;
};

}  // namespace plexor
