# SPDX-License-Identifier: Apache-2.0
"""A TCP link: bytes both ways, and whose end it was that ended it."""

import socket
import threading

import pytest

from plexor.base.errors import LinkError
from plexor.wire.link import LinkEndError, open_link
from plexor.wire.link.tcp import TcpLink

from .served import read_some


@pytest.fixture
def ends():
    """A link, and the other end of it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        link = TcpLink(*listener.getsockname())
        other, _ = listener.accept()
        with other:
            yield link, other
        link.close()


def test_a_tcp_link_carries_bytes_both_ways_and_ends_with_the_other_side():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        link = open_link(f"tcp://127.0.0.1:{listener.getsockname()[1]}")
        other, _ = listener.accept()
        link.write(b"to the instrument")
        assert other.recv(100) == b"to the instrument"
        other.sendall(b"back")
        assert read_some(link, 4) == b"back"
        assert link.read(10, 0.01) == b""
        other.close()
        with pytest.raises(LinkEndError, match="closed the connection"):
            read_some(link)
        link.close()


def test_no_more_is_read_than_was_asked_for(ends):
    link, other = ends
    other.sendall(b"12345")
    assert link.read(3, 60.0) == b"123"
    assert read_some(link, 2) == b"45"


def test_a_link_closed_by_this_host_says_so_and_not_that_it_broke(ends):
    link, _ = ends
    link.close()
    link.close()
    with pytest.raises(LinkEndError, match=r"tcp://127.0.0.1:\d+: closed$"):
        link.read(10, 0.01)
    with pytest.raises(LinkEndError, match=r": closed$"):
        link.write(b"x")


def test_a_read_that_waits_ends_with_the_link(ends):
    link, _ = ends
    found = []

    def read():
        try:
            link.read(10, 60.0)
        except LinkEndError as error:
            found.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    link.close()
    thread.join(10)
    assert not thread.is_alive()
    assert len(found) == 1


def test_a_connection_that_is_reset_is_broken_with_the_reason(ends):
    link, other = ends
    # Linger of no time: the close is a reset.
    other.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    other.close()
    with pytest.raises(LinkError, match="connection broken: connection reset by peer"):
        read_some(link)


def test_a_port_that_nobody_listens_at_is_refused_with_the_address():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(LinkError) as caught:
        TcpLink("127.0.0.1", port)
    assert str(caught.value) == f"tcp://127.0.0.1:{port}: cannot connect: connection refused"
