# SPDX-License-Identifier: Apache-2.0
"""The line to a device: what is sent, what comes back, and what cannot be opened."""

import os
import pty
import socket
import threading
import time

import pytest

from plexor.base.errors import LinkError, UsageError
from plexor.run.session.stop import Stop
from plexor_lab.mixed.device_line import open_line
from plexor_lab.mixed.message import Message, MessageKind, Reply

REPLY = Reply(3, 77, 4, 0, 0)


@pytest.fixture
def ends():
    """A line over TCP, and the device's end of it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with open_line(f"tcp://127.0.0.1:{port}") as line:
            other, _ = listener.accept()
            with other:
                yield line, other


def test_messages_are_numbered_from_0_on(ends):
    line, other = ends
    line.send(Message(MessageKind.RESET), Message(MessageKind.ENTRY, 3, 9))
    line.send(Message(MessageKind.QUERY))
    wanted = Message(MessageKind.RESET).encode(0) + Message(MessageKind.ENTRY, 3, 9).encode(1)
    assert other.recv(1000) == wanted + Message(MessageKind.QUERY).encode(2)
    assert line.sent == 3


def test_what_was_sent_is_there_before_the_next_thing_is_done(ends):
    line, other = ends
    other.setblocking(False)
    for _ in range(200):
        line.send(Message(MessageKind.QUERY))
        assert len(other.recv(1000)) == 12


def test_a_reply_in_pieces_is_one(ends):
    line, other = ends
    data = REPLY.encode()
    other.sendall(data[:5])
    assert line.replies(10) == []
    other.sendall(data[5:])
    assert line.await_reply(10) == REPLY


def test_a_damaged_reply_is_counted_and_the_next_one_read(ends):
    line, other = ends
    other.sendall(b"\7\7\0" + REPLY.encode())
    assert line.await_reply(10) == REPLY
    assert line.damaged == 1


def test_a_device_that_does_not_answer_is_an_error_after_its_time(ends):
    line, other = ends
    other.sendall(b"\7\0")
    began = time.monotonic()
    with pytest.raises(LinkError, match=r"no reply of the device in 0.2 s; 1 damaged"):
        line.await_reply(0.2)
    assert time.monotonic() - began >= 0.2


def test_a_wait_for_a_reply_ends_when_a_stop_is_requested(ends):
    line, _ = ends
    stop = Stop()
    threading.Timer(0.1, stop.ask).start()
    with pytest.raises(LinkError, match="stopped before the device replied"):
        line.await_reply(60, stop)


def test_a_line_that_is_closed_by_the_device_is_an_error(ends):
    line, other = ends
    other.close()
    with pytest.raises(LinkError, match="closed the connection"):
        line.await_reply(10)


def test_nothing_but_messages_goes_out_of_a_serial_port():
    other, own = pty.openpty()
    with open_line(f"serial:{os.ttyname(own)}?baud=1200") as line:
        line.send(Message(MessageKind.QUERY))
        assert os.read(other, 100) == Message(MessageKind.QUERY).encode(0)
        os.write(other, REPLY.encode())
        assert line.await_reply(10) == REPLY
    os.close(own)
    os.close(other)


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        (None, r"device's line: none; must be serial:PORT\?baud=RATE"),
        ("sim:freertos", "device's line: 'sim:freertos'; must be serial:PORT"),
        ("serial:/dev/none?baud=299", "baud 299; must be 300 to 12000000"),
        ("serial:/dev/none?bits=7", "must be serial:PORT or serial:PORT"),
        ("tcp://127.0.0.1", "must be tcp://HOST:PORT"),
    ],
)
def test_a_wrong_line_is_refused_with_what_is_right(uri, text):
    with pytest.raises(UsageError, match=text):
        open_line(uri)


def test_the_users_line_goes_before_the_simulated_devices():
    with pytest.raises(LinkError, match="/dev/none"):
        open_line("serial:/dev/none", "tcp://127.0.0.1:1")
    with pytest.raises(LinkError, match=r"tcp://127\.0\.0\.1:1: cannot connect"):
        open_line(None, "tcp://127.0.0.1:1")
