# SPDX-License-Identifier: Apache-2.0
"""Recordings that are cut, damaged or nothing at all: figures that are marked, or one line."""

from __future__ import annotations

import json
import random

import pytest

from plexor import cli
from plexor.protocol.frames import Frame, FrameType, cobs_decode, to_stream

from ...unit.host.fake_device import FakeDevice
from ...unit.host.scenario import Scenario

STRIKES = 200
CUTS = [*range(0, 60, 3), 100, 200, 300, 500, 700]
"""Parts of a recording in thousandths."""


@pytest.fixture(scope="module")
def wire(tmp_path_factory):
    """Return the bytes of a run that is as it should be."""
    folder = tmp_path_factory.mktemp("wire") / "run"
    with FakeDevice(Scenario([100 + n for n in range(STRIKES)])) as device:
        arguments = ["measure", "--link", device.uri, "--rate", "1M", "--count", str(STRIKES)]
        assert cli.main([*arguments, "--wire", "--out", str(folder)]) == 0
    return (folder / "wire.bin").read_bytes()


@pytest.fixture
def replayed(tmp_path, capsys):
    """Return a function that replays bytes: the exit code, and the document where there is one."""

    def run(data: bytes) -> tuple[int, dict | None]:
        path = tmp_path / "wire.bin"
        path.write_bytes(data)
        capsys.readouterr()
        code = cli.main(["show", str(path), "--json"])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        if code == 3:
            assert out == ""
            assert err.startswith((f"plexor: {path}: ", f"plexor: file:{path}: "))
            assert err.count("\n") == 1
            return code, None
        return code, json.loads(out)

    return run


def frames(wire: bytes) -> list[bytes]:
    return [part + b"\0" for part in wire.split(b"\0") if part]


def changed(encoded: bytes, **fields: int) -> bytes:
    """Return a frame with other fields and a right CRC."""
    frame = Frame.decode(cobs_decode(encoded[:-1]))
    values = {name: getattr(frame, name) for name in frame.__slots__} | fields
    return to_stream(Frame(**values))


def events_of(document: dict) -> int:
    return document["accounting"]["received"]


def test_a_whole_recording_is_a_valid_run(replayed, wire):
    code, document = replayed(wire)
    assert code == 0
    assert document["valid"]
    assert document["strikes"] == STRIKES


@pytest.mark.parametrize("thousandth", CUTS)
def test_a_recording_that_is_cut_keeps_what_came_and_is_marked(replayed, wire, thousandth):
    data = wire[: len(wire) * thousandth // 1000]
    code, document = replayed(data)
    assert code in (3, 4)
    if document is not None:
        assert not document["valid"]
        kinds = [Frame.decode(cobs_decode(part[:-1])) for part in frames(data)[:-1]]
        events = sum(len(f.payload) // 4 for f in kinds if f.type == FrameType.EVENTS)
        assert events <= events_of(document) <= events + 250


@pytest.mark.parametrize("seed", range(12))
def test_noise_is_no_recording(replayed, seed):
    source = random.Random(seed)
    code, _ = replayed(source.randbytes(source.choice((1, 30, 1000, 100_000))))
    assert code == 3


@pytest.mark.parametrize("data", [b"", b"\0", b"\0" * 5000, b"\1" * 5000, b"\xff" * 70_000])
def test_sameness_is_no_recording(replayed, data):
    assert replayed(data)[0] == 3


@pytest.mark.parametrize("seed", range(20))
def test_damaged_bytes_are_counted_and_never_believed(replayed, wire, seed):
    source = random.Random(seed)
    data = bytearray(wire)
    start = len(data) // 20  # behind the identity
    for _ in range(1 + seed):
        place = source.randrange(start, len(data))
        kind = source.choice(("flip", "drop", "insert"))
        if kind == "flip":
            data[place] ^= 1 << source.randrange(8)
        elif kind == "drop":
            del data[place]
        else:
            data.insert(place, source.randrange(256))
    code, document = replayed(bytes(data))
    if code == 3:
        return
    books = document["accounting"]
    assert books["received"] <= 4 * STRIKES
    if code == 0:
        assert books["generated"] == 4 * STRIKES
        assert books["received"] + books["dropped_on_chip"] + books["lost_on_link"] == 4 * STRIKES
    for channel in document["channels"]:
        latency = channel["latency"]
        if latency is not None and latency["count"]:
            assert 100 <= latency["min_ticks"] <= latency["max_ticks"] < 100 + STRIKES


LIES = {
    "two of each frame": lambda parts: [part for part in parts for _ in range(2)],
    "backwards": lambda parts: parts[::-1],
    "without its start": lambda parts: parts[len(parts) // 2 :],
    "without its events": lambda parts: [
        part for part in parts if Frame.decode(cobs_decode(part[:-1])).type != FrameType.EVENTS
    ],
    "without its memories": lambda parts: [
        part for part in parts if Frame.decode(cobs_decode(part[:-1])).type not in (2, 3)
    ],
    "types that there are not": lambda parts: [
        changed(part, type=n % 200 + 8) if n % 5 == 0 else part for n, part in enumerate(parts)
    ],
    "an index beyond all": lambda parts: [
        changed(part, index=2**63) if n % 7 == 6 else part for n, part in enumerate(parts)
    ],
    "a time beyond all": lambda parts: [
        changed(part, base_ticks=2**64 - 1) if n % 7 == 6 else part for n, part in enumerate(parts)
    ],
    "tags and flags at random": lambda parts: [
        changed(part, tag=n * 7919 % 65536, flags=n * 31 % 256) for n, part in enumerate(parts)
    ],
    "payloads cut to words": lambda parts: [
        changed(part, payload=Frame.decode(cobs_decode(part[:-1])).payload[: n % 9 * 4])
        for n, part in enumerate(parts)
    ],
}


@pytest.mark.parametrize("name", LIES)
def test_intact_frames_that_lie_are_no_valid_run(replayed, wire, name):
    code, document = replayed(b"".join(LIES[name](frames(wire))))
    if document is not None:
        assert document["valid"] == (code == 0)
    if name == "without its events":
        # What was counted on the chip holds; that the events were lost is said.
        books = document["accounting"]
        assert (books["received"], books["lost_on_link"]) == (0, 4 * STRIKES)
    elif name == "two of each frame":
        assert (code, document["accounting"]["received"]) == (0, 4 * STRIKES)
    elif name != "a time beyond all":
        assert code in (3, 4)
