"""LiteX' server between its client and a simulated system: `litex_remote.py ETHERBONE_PORT PORT`.

Ends with its standard input. What LiteX' own program does, but for one thing: that takes the port
of the system it talks to for itself, which on one machine has the system.
"""

import socket
import sys

from litex.tools.litex_server import RemoteServer
from litex.tools.remote.comm_udp import CommUDP

comm = CommUDP("127.0.0.1", int(sys.argv[1]))
comm.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
comm.socket.settimeout(5)
comm.socket.bind(("127.0.0.1", 0))
server = RemoteServer(comm, "127.0.0.1", int(sys.argv[2]))
server.open()
server.start(4)
print("ready", flush=True)
sys.stdin.read()
