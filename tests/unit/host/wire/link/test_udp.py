# SPDX-License-Identifier: Apache-2.0
"""The link of datagrams: a byte stream to those above, frames in order, disorder counted."""

import random
import socket
import time

import pytest

from plexor.base.errors import LinkError
from plexor.protocol.frames import Frame, FrameType, LogCode, to_stream
from plexor.wire.decode.decoder import Decoder
from plexor.wire.link import LinkEndError, open_link
from plexor.wire.link.udp import HOLD_S


def frame(sequence, payload=b"", kind=FrameType.STATISTICS):
    return Frame(kind, 0, 0, sequence, 0, 0, payload)


@pytest.fixture
def far():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as far:
        far.bind(("127.0.0.1", 0))
        far.settimeout(60)
        yield far


@pytest.fixture
def link(far):
    link = open_link(f"udp://127.0.0.1:{far.getsockname()[1]}")
    yield link
    link.close()


@pytest.fixture
def peer(far, link):
    """Send a datagram to the link."""
    link.write(to_stream(frame(0)))
    _, address = far.recvfrom(2048)
    return lambda data: far.sendto(data, address)


def read_until(link, size, timeout_s=60.0):
    data = b""
    deadline = time.monotonic() + timeout_s
    while len(data) < size and time.monotonic() < deadline:
        data += link.read(1 << 18, 0.05)
    return data


def payloads():
    rng = random.Random(1)
    yield b""
    # Blocks about as long as COBS has codes for, between zeros.
    for length in (252, 253, 254, 255, 508):
        yield b"\1" * length + bytes(4 - length % 4)
    for words in (1, 64, 250):
        yield bytes(4 * words)
        yield b"\1" * 4 * words
        yield rng.randbytes(4 * words)
        yield bytes(rng.choice((0, 0, 7)) for _ in range(4 * words))


def test_a_frame_goes_out_as_one_datagram_without_cobs(far, link):
    for number, payload in enumerate(payloads()):
        sent = frame(number, payload)
        # In two pieces, and behind a delimiter that ends what was lost before it.
        stream = b"\0" + to_stream(sent)
        link.write(stream[:9])
        link.write(stream[9:])
        assert far.recv(2048) == sent.encode()


def test_datagrams_come_in_as_the_byte_stream_that_they_would_be(link, peer):
    sent = [frame(number, payload) for number, payload in enumerate(payloads())]
    for one in sent:
        peer(one.encode())
    expected = b"".join(to_stream(one) for one in sent)
    assert read_until(link, len(expected)) == expected


@pytest.fixture
def patient(monkeypatch):
    """Have a frame waited for as long as it takes: what is there is read, however slowly."""
    monkeypatch.setattr("plexor.wire.link.udp.HOLD_S", 60.0)


def test_frames_in_disorder_come_in_order_and_are_counted(link, peer, patient):
    for number in (5, 7, 6, 8, 8, 10, 9, 11):
        peer(frame(number, bytes([number] * 4)).encode())
    expected = b"".join(to_stream(frame(n, bytes([n] * 4))) for n in range(5, 12))
    assert read_until(link, len(expected)) == expected
    assert link.disorder == {"reordered": 2, "duplicate": 1}


def test_a_lost_frame_delays_the_others_and_is_missed_by_the_decoder(link, peer):
    peer(frame(1).encode())
    began = time.monotonic()
    for number in (3, 4):
        peer(frame(number).encode())
    data = read_until(link, sum(len(to_stream(frame(n))) for n in (1, 3, 4)))
    assert time.monotonic() - began > HOLD_S / 2
    decoder = Decoder()
    assert [part.sequence for part in decoder.feed(data)] == [1, 3, 4]
    assert decoder.frames_lost == 1
    # It comes after all: too late, and said so.
    peer(frame(2).encode())
    assert link.read(1 << 18, 0.2) == b""
    assert link.disorder == {"late": 1}


@pytest.mark.parametrize("damage", ["bit", "short", "empty"])
def test_what_is_no_frame_becomes_a_fault_of_the_decoder(link, peer, damage):
    whole = Frame(FrameType.LOG, 0, LogCode.STARTED, 7, 0, 0).encode()
    data = {
        "bit": whole[:9] + bytes([whole[9] ^ 1]) + whole[10:],
        "short": whole[:11],
        "empty": b"",
    }
    peer(data[damage])
    peer(whole)
    decoder = Decoder()
    parts = decoder.feed(read_until(link, len(to_stream(Frame.decode(whole)))))
    assert [part.sequence for part in parts] == [7]
    assert decoder.fault_counts.total() == 1


def test_nobody_there_is_one_clear_line(far):
    link = open_link(f"udp://127.0.0.1:{far.getsockname()[1]}")
    far.close()

    def talk():
        for _ in range(20):
            link.write(to_stream(frame(0)))
            link.read(100, 0.05)

    with pytest.raises(LinkError, match=r"udp://127\.0\.0\.1:\d+: nothing listens there"):
        talk()
    link.close()


def test_a_closed_link_says_so(link):
    link.close()
    with pytest.raises(LinkEndError, match="closed"):
        link.read(100, 0.1)
    with pytest.raises(LinkEndError, match="closed"):
        link.write(to_stream(frame(0)))


def test_a_host_without_a_name_is_one_clear_line():
    with pytest.raises(LinkError, match=r"udp://no\.such\.host\.invalid:1: cannot open"):
        open_link("udp://no.such.host.invalid:1")


def test_a_read_returns_no_more_than_it_was_asked_for_however_much_waits(link, peer):
    """A flood that never ends must not hold a read, nor fill the memory."""
    payload = bytes(range(1, 251)) * 4
    sent = [frame(number, payload) for number in range(200)]
    for one in sent:
        peer(one.encode())
    time.sleep(0.05)
    expected = b"".join(to_stream(one) for one in sent)
    most, data, sizes = 16_384, b"", []
    while len(data) < len(expected):
        piece = link.read(most, 1.0)
        assert piece
        sizes.append(len(piece))
        data += piece
    assert data == expected
    assert max(sizes) <= most
    # A read takes what there is room for, not one datagram at a time.
    assert len(sizes) <= 20


def test_frames_that_go_on_coming_do_not_hold_back_those_behind_a_lost_one(link, peer):
    peer(frame(1).encode())
    data, began = b"", time.monotonic()
    sequence = 3
    while time.monotonic() - began < 20 * HOLD_S and len(data) <= len(to_stream(frame(1))):
        peer(frame(sequence).encode())
        data += link.read(1 << 18, HOLD_S / 4)
        sequence += 1
        # Fewer than are ever held.
        time.sleep(HOLD_S / 8)
    assert data.startswith(to_stream(frame(1)) + to_stream(frame(3)))
