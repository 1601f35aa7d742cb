# SPDX-License-Identifier: Apache-2.0
"""The thread that reads a link: every byte, then the error that ended it."""

import time

import pytest

from plexor.base.errors import LinkError
from plexor.wire.link import LinkEndError, Reader

from ...fake_device import wait_until


class Scripted:
    """A link that gives what it is told to."""

    name = "scripted:"

    def __init__(self, *chunks):
        self.chunks = list(chunks)

    def read(self, max_bytes, timeout_s):
        del max_bytes
        if not self.chunks:
            time.sleep(timeout_s)
            return b""
        chunk = self.chunks.pop(0)
        if isinstance(chunk, Exception):
            raise chunk
        return chunk

    def write(self, data):
        del data

    def close(self):
        self.chunks.clear()


def test_what_is_taken_at_once_is_bounded():
    chunk = bytes(1 << 18)
    reader = Reader(Scripted(*[chunk] * 40))
    sizes = []
    while sum(sizes) < 40 * len(chunk):
        sizes.append(len(reader.take(5.0)))
    assert max(sizes) <= 1 << 20
    reader.close()


def test_a_reader_gives_all_bytes_before_the_error_that_ends_the_link():
    reader = Reader(Scripted(b"a", b"b", LinkEndError("over"), b"never"))
    data = reader.take(1.0)
    while len(data) < 2:
        data += reader.take(1.0)
    assert data == b"ab"
    assert reader.taken_bytes == reader.received_bytes == 2
    with pytest.raises(LinkEndError, match="over"):
        reader.take(0.0)
    reader.close()


def test_a_reader_that_nobody_takes_from_still_closes():
    reader = Reader(Scripted(*[b"x"] * 10_000))
    assert wait_until(reader._queue.full)
    reader.close()
    assert not reader._thread.is_alive()


def test_an_error_of_the_system_becomes_a_link_error():
    reader = Reader(Scripted(OSError(5, "Input/output error")))
    with pytest.raises(LinkError, match=r"scripted:.*Input/output error"):
        reader.take(1.0)
    reader.close()


def test_a_fault_in_a_link_is_a_link_error_that_names_its_kind():
    reader = Reader(Scripted(KeyError("port")))
    with pytest.raises(LinkError, match=r"^scripted:: cannot read: KeyError: 'port'$"):
        reader.take(5.0)
    with pytest.raises(LinkError, match="KeyError"):
        reader.take(0.0)
    reader.close()


def test_a_silent_link_gives_nothing_after_the_timeout():
    reader = Reader(Scripted())
    assert reader.take(0.01) == b""
    reader.close()
