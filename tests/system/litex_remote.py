# SPDX-License-Identifier: Apache-2.0
"""LiteX' server between its client and a simulated system: `litex_remote.py KIND THEIRS OURS`.

KIND is udp, for Etherbone, or uart, for UARTBone; the others are ports on loopback, of the system
and of the server. Ends with its standard input. What LiteX' own program does, but for one thing:
that takes the port of the system it talks to for itself, which on one machine the system has.
"""

import socket
import sys

from litex.tools.litex_server import RemoteServer
from litex.tools.remote.comm_uart import CommUART
from litex.tools.remote.comm_udp import CommUDP

kind, theirs, ours = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if kind == "udp":
    comm = CommUDP("127.0.0.1", theirs)
    comm.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    comm.socket.settimeout(5)
    comm.socket.bind(("127.0.0.1", 0))
else:
    comm = CommUART(f"socket://127.0.0.1:{theirs}")
server = RemoteServer(comm, "127.0.0.1", ours)
server.open()
server.start(4)
print("ready", flush=True)
sys.stdin.read()
