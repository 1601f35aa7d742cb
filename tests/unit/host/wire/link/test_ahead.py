# SPDX-License-Identifier: Apache-2.0
"""A port is read ahead of the host program, by a process that ends with it."""

import contextlib
import errno
import os
import pty
import signal
import socket
import subprocess
import sys
import time
import tty
from concurrent.futures import ThreadPoolExecutor

import pytest

from plexor.wire.link import ahead
from plexor.wire.link.ahead import Ahead
from plexor.wire.link.serial_port import SerialLink

HOLDER = """
import sys, time
from plexor.wire.link.serial_port import SerialLink
link = SerialLink(sys.argv[1])
print("open", flush=True)
time.sleep(60)
"""


@pytest.fixture
def terminal():
    far, near = pty.openpty()
    tty.setraw(near)
    os.set_blocking(far, False)
    yield far, near
    for number in (far, near):
        with contextlib.suppress(OSError):
            os.close(number)


def put(far, data, seconds=20.0):
    """Write what the terminal takes within a time; return how many bytes it took."""
    done, deadline = 0, time.monotonic() + seconds
    while done < len(data) and time.monotonic() < deadline:
        try:
            done += os.write(far, data[done : done + 4096])
        except BlockingIOError:
            time.sleep(0.001)
    return done


def test_bytes_are_kept_while_the_host_does_not_read(terminal):
    far, near = terminal
    sent = os.urandom(1 << 20)
    link = SerialLink(os.ttyname(near))
    # A terminal itself keeps some 70 kB.
    assert put(far, sent) == len(sent)
    got = bytearray()
    while len(got) < len(sent):
        data = link.read(1 << 18, 5.0)
        assert data
        got += data
    assert got == sent
    link.close()


def test_what_had_come_is_read_before_the_ports_end_is_told(terminal):
    far, near = terminal
    reads = Ahead(near)
    os.write(far, b"the last words")
    got = b""
    while len(got) < 14:
        got += reads.read(5, 5.0)
    assert got == b"the last words"
    os.close(near)
    os.close(far)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        reads.read(5, 5.0)
    reads.close()


def test_a_read_that_waits_ends_once_it_is_closed(terminal):
    _, near = terminal
    reads = Ahead(near)
    assert reads.read(1, 0.0) == b""
    with ThreadPoolExecutor() as pool:
        waits = pool.submit(reads.read, 1, 30.0)
        time.sleep(0.05)
        reads.close()
        with pytest.raises(OSError, match=r"error|descriptor"):
            waits.result(10.0)
    with pytest.raises(OSError, match="Bad file descriptor"):
        reads.read(1, 0.0)


def test_the_port_is_free_once_its_holder_was_killed(terminal):
    far, near = terminal
    name = os.ttyname(near)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, name], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "open\n"
        holder.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10.0
    while True:
        try:
            link = SerialLink(name)
            break
        except Exception:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    os.write(far, b"x")
    assert link.read(1, 5.0) == b"x"
    link.close()


def test_no_more_is_kept_than_its_bound(terminal):
    """With a bound of 1,000 bytes the rest waits in the terminal, and nothing is lost."""
    far, near = terminal
    own, other = socket.socketpair()
    own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    other.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    code = f"import runpy; m = runpy.run_path({ahead.__file__!r})['main']; m.__globals__.update("
    code += f"MOST_BYTES=1000, _READ_BYTES=500); m({near}, {other.fileno()})"
    with subprocess.Popen([sys.executable, "-c", code], pass_fds=(near, other.fileno())) as reader:
        other.close()
        sent = bytes(range(256)) * 4096
        taken = put(far, sent, 1.0)
        assert taken < len(sent)
        got = b""
        while len(got) < taken:
            got += own.recv(1 << 16)
        assert got == sent[:taken]
        own.close()
        assert reader.wait(10) == 0
