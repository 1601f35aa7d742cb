# SPDX-License-Identifier: Apache-2.0
"""Bytes to frames: against the scalar reference of plexor.protocol.frames."""

import random
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.protocol.frames import (
    SOURCES,
    EventFlag,
    Frame,
    FrameType,
    LogCode,
    cobs_encode,
    event_word,
    split_event_word,
    to_stream,
)
from plexor.wire.decode.batch import EventBatch
from plexor.wire.decode.decoder import MAX_FAULTS, Decoder, FaultKind
from plexor.wire.link.sequence import RECENT_FRAMES, Disorder


def events_frame(sequence, index, base_ticks, events, flags=0):
    """An EVENTS frame of (time, source, polarity)."""
    words = [event_word(time - base_ticks, *rest) for time, *rest in events]
    payload = struct.pack(f"<{len(words)}I", *words)
    return Frame(FrameType.EVENTS, flags, 0, sequence, index, base_ticks, payload)


def random_frames(count, seed, kinds=("random", "dense", "flat", "log")):
    """Frames whose payloads hold no zero, few or many of them."""
    generator = random.Random(seed)
    frames = []
    index = 0
    for sequence in range(count):
        kind = generator.choice(kinds)
        size = generator.choice((1, 2, 7, 63, 64, 127, 249, 250))
        if kind == "log":
            frames.append(Frame(FrameType.LOG, 0, LogCode.DUMPED, sequence, 3, 9))
            continue
        if kind == "random":
            words = [generator.getrandbits(26) | 8 << 26 | 1 << 31 for _ in range(size)]
        elif kind == "dense":
            words = [n * 9 | generator.choice((0, 8)) << 26 for n in range(size)]
        else:
            words = [0x21212121] * size  # no zero at all: blocks of 254
        frames.append(
            Frame(
                FrameType.EVENTS,
                0,
                0,
                sequence,
                index,
                generator.getrandbits(62),
                struct.pack(f"<{size}I", *words),
            )
        )
        index += size
    return frames


def decode(data, cuts=()):
    """All parts of a stream cut at some places, and the decoder."""
    decoder = Decoder()
    parts, start = [], 0
    for cut in [*sorted(cuts), len(data)]:
        parts += decoder.feed(data[start:cut])
        start = cut
    decoder.finish()
    return parts, decoder


def events_of(parts):
    """(index, time, source, polarity) of all events."""
    found = []
    for part in parts:
        if isinstance(part, EventBatch):
            array = part.array()
            found += list(
                zip(
                    array["index"].tolist(),
                    array["time_ticks"].tolist(),
                    array["source"].tolist(),
                    array["polarity"].tolist(),
                    strict=True,
                )
            )
    return found


def reference_events(frames):
    """The same from frames, word by word."""
    found = []
    for frame in frames:
        if frame.type == FrameType.EVENTS:
            for place, (word,) in enumerate(struct.iter_unpack("<I", frame.payload)):
                delta, source, polarity = split_event_word(word)
                found.append((frame.index + place, frame.base_ticks + delta, source, polarity))
    return found


def test_frames_of_every_kind_of_payload_decode_as_the_reference_does():
    frames = random_frames(400, seed=1)
    parts, decoder = decode(b"".join(map(to_stream, frames)))
    assert events_of(parts) == reference_events(frames)
    assert [part for part in parts if isinstance(part, Frame)] == [
        frame for frame in frames if frame.type == FrameType.LOG
    ]
    assert decoder.faults == []
    assert (decoder.frames_received, decoder.frames_lost) == (400, 0)


@settings(max_examples=60)
@given(st.integers(0, 1000), st.lists(st.integers(0, 20_000), max_size=12))
def test_chunks_cut_anywhere_decode_as_one(seed, cuts):
    frames = random_frames(25, seed)
    data = b"".join(map(to_stream, frames))
    noise = random.Random(seed)
    for _ in range(seed % 4):
        at = noise.randrange(len(data))
        data = data[:at] + noise.randbytes(noise.choice((1, 3, 2000))) + data[at:]
    whole_parts, whole = decode(data)
    parts, cut = decode(data, [place for place in cuts if place < len(data)])
    assert events_of(parts) == events_of(whole_parts)
    assert cut.faults == whole.faults
    assert (cut.frames_received, cut.frames_lost) == (whole.frames_received, whole.frames_lost)


def faulty(data, generator, kind):
    """The data with one fault."""
    at = generator.randrange(len(data))
    if kind == "flip":
        return data[:at] + bytes([data[at] ^ 1 << generator.randrange(8)]) + data[at + 1 :]
    if kind == "drop":
        return data[:at] + data[at + 1 :]
    return data[:at] + bytes([generator.randrange(256)]) + data[at:]


@pytest.mark.parametrize(
    ("payloads", "kind"),
    [
        pytest.param(payloads, kind, marks=() if kind == quick else pytest.mark.full)
        for payloads, quick in (("random", "flip"), ("dense", "drop"), ("flat", "insert"))
        for kind in ("flip", "drop", "insert")
    ],
)
def test_a_fault_loses_about_one_frame_and_no_wrong_event_is_accepted(kind, payloads):
    generator = random.Random(f"{kind}{payloads}")
    frames = random_frames(30, seed=5, kinds=(payloads,))
    data = b"".join(map(to_stream, frames))
    sent = set(reference_events(frames))
    lost = 0
    for _ in range(200):
        parts, decoder = decode(faulty(data, generator, kind))
        events = events_of(parts)
        assert set(events) <= sent
        assert len(events) == len(set(events))
        assert len(frames) - decoder.frames_received <= 2  # a lost delimiter joins two
        lost += len(frames) - decoder.frames_received
        if decoder.frames_received < len(frames):
            assert decoder.faults
    assert lost <= 220


def test_each_kind_of_fault_is_counted_with_its_offset():
    good = to_stream(Frame(FrameType.LOG, 0, LogCode.DUMPED, 0, 0, 0))
    crc = bytearray(Frame(FrameType.LOG, 0, 1, 0, 0, 0).encode())
    crc[-1] ^= 1
    bad = {
        FaultKind.LENGTH: b"\x03ab\0",
        FaultKind.CRC: cobs_encode(bytes(crc)) + b"\0",
        FaultKind.COBS: b"\x50" + b"a" * 40 + b"\0",
        FaultKind.TYPE: to_stream(Frame(99, 0, 0, 1, 0, 0)),
        FaultKind.WORDS: to_stream(Frame(FrameType.LOG, 0, 1, 2, 0, 0, b"1234")),
    }
    data, places = good, []
    for stretch in bad.values():
        places.append((len(data), len(stretch) - 1))
        data += stretch + good
    _, decoder = decode(data + b"\x01\x01")
    assert [(fault.kind, fault.offset, fault.length) for fault in decoder.faults] == [
        *((kind, *place) for kind, place in zip(bad, places, strict=True)),
        (FaultKind.TRUNCATED, len(data), 2),
    ]
    assert sum(decoder.fault_counts.values()) == len(bad) + 1


def test_a_last_code_that_points_past_the_end_is_a_fault_though_the_bytes_are_intact():
    frame = Frame(FrameType.LOG, 0, LogCode.DUMPED, 0, 0, 0)
    stretch = bytearray(to_stream(frame)[:-1])
    position = 0
    while position + stretch[position] < len(stretch):
        position += stretch[position]
    stretch[position] += 1
    parts, decoder = decode(bytes(stretch) + b"\0" + to_stream(frame))
    assert parts == [frame]
    assert [(fault.kind, fault.offset) for fault in decoder.faults] == [(FaultKind.COBS, 0)]


def test_an_event_of_a_source_that_cannot_be_makes_its_frame_a_fault():
    good = [events_frame(n, 0, 100, [(100, 8, 1)]) for n in (0, 2)]
    bad = Frame(FrameType.EVENTS, 0, 0, 1, 1, 100, struct.pack("<I", SOURCES << 26))
    parts, decoder = decode(to_stream(good[0]) + to_stream(bad) + to_stream(good[1]))
    assert len(events_of(parts)) == 2
    assert decoder.fault_counts == {FaultKind.WORDS: 1}


def test_lost_frames_are_counted_by_sequence_over_its_wrap():
    numbers = [0xFFFFFFFE, 0xFFFFFFFF, 2, 3]
    frames = [events_frame(n, 0, 5, [(5, 8, 1)]) for n in numbers]
    parts, decoder = decode(b"".join(map(to_stream, frames)))
    assert decoder.frames_lost == 2
    assert parts[0].after_loss.tolist() == [False, False, True, False]


def test_a_loss_before_another_frame_is_told_with_the_next_events():
    log = Frame(FrameType.LOG, 0, LogCode.DUMPED, 2, 0, 0)
    events = [events_frame(n, 0, 5, [(5, 8, 1)]) for n in (0, 3, 4)]
    first = [events[0], log]
    decoder = Decoder()
    parts = [*decoder.feed(b"".join(map(to_stream, first)))]
    parts += decoder.feed(b"".join(map(to_stream, events[1:])))
    batches = [part for part in parts if part != log]
    assert [flag for batch in batches for flag in batch.after_loss] == [False, True, False]
    assert decoder.frames_lost == 1


def test_a_sequence_that_steps_back_is_a_restart_and_no_loss():
    frames = [events_frame(n, 0, 5, [(5, 8, 1)]) for n in (7, 8, 0, 1)]
    _, decoder = decode(b"".join(map(to_stream, frames)))
    assert decoder.frames_lost == 0


def test_parts_keep_the_order_in_which_frames_came():
    log = Frame(FrameType.LOG, 0, LogCode.STARTED, 1, 0, 0)
    stream = [events_frame(0, 0, 5, [(5, 8, 1)]), log, events_frame(2, 1, 9, [(9, 8, 0)])]
    parts, _ = decode(b"".join(map(to_stream, stream)))
    assert [len(part) if isinstance(part, EventBatch) else part for part in parts] == [1, log, 1]


def test_the_gap_flag_reaches_the_batch():
    frames = [
        events_frame(0, 0, 5, [(5, 8, 1)]),
        events_frame(1, 9, 5, [(5, 8, 0)], EventFlag.GAP),
    ]
    parts, _ = decode(b"".join(map(to_stream, frames)))
    assert parts[0].gap.tolist() == [False, True]


def test_times_reach_to_the_end_of_64_bits():
    base = (1 << 64) - 1000
    parts, _ = decode(to_stream(events_frame(0, 1 << 47, base, [(base + 999, 16, 1)])))
    assert events_of(parts) == [(1 << 47, (1 << 64) - 1, 16, 1)]


def test_endless_bytes_without_a_delimiter_take_no_memory():
    decoder = Decoder()
    for _ in range(50):
        assert decoder.feed(b"\x55" * 100_000) == []
    assert len(decoder._tail) < 2000
    decoder.finish()
    assert [(fault.kind, fault.length) for fault in decoder.faults] == [
        (FaultKind.LENGTH, 5_000_000)
    ]


@pytest.mark.parametrize("delimiters", [1, 2, 7, 5000])
@pytest.mark.parametrize("piece", [3, 1000, 1 << 20])
def test_delimiters_in_a_row_are_one(delimiters, piece):
    frames = random_frames(12, 5)
    flood = b"\0" * delimiters
    data = flood + b"".join(to_stream(frame) + flood for frame in frames)
    decoder = Decoder()
    parts = []
    for start in range(0, len(data), piece):
        parts += decoder.feed(data[start : start + piece])
    decoder.finish()
    assert events_of(parts) == reference_events(frames)
    assert not decoder.fault_counts


@pytest.mark.parametrize("size", [1, 20, 5000])
def test_stretches_too_short_or_too_long_are_counted_each_at_its_offset(size):
    decoder = Decoder()
    decoder.feed((b"\1" * size + b"\0\0") * 5)
    assert decoder.fault_counts == {FaultKind.LENGTH: 5}
    assert [(fault.offset, fault.length) for fault in decoder.faults] == [
        (n * (size + 2), size) for n in range(5)
    ]


def test_faults_beyond_the_most_kept_are_counted():
    decoder = Decoder()
    decoder.feed(b"\x02\x02\0" * (MAX_FAULTS + 5))
    assert len(decoder.faults) == MAX_FAULTS
    assert decoder.fault_counts[FaultKind.LENGTH] == MAX_FAULTS + 5


@settings(max_examples=100)
@given(st.lists(st.binary(max_size=3000), max_size=5))
def test_random_bytes_never_raise_and_never_make_a_frame(chunks):
    decoder = Decoder()
    for chunk in chunks:
        assert decoder.feed(chunk) == []
    decoder.finish()
    stretches = [piece for piece in b"".join(chunks).split(b"\0") if piece]
    assert sum(decoder.fault_counts.values()) == len(stretches)


def test_a_part_of_a_batch_holds_the_events_of_its_frames():
    frames = random_frames(9, seed=3, kinds=("random",))
    parts, _ = decode(b"".join(map(to_stream, frames)))
    piece = parts[0].frames(2, 5)
    assert events_of([piece]) == reference_events(frames[2:5])
    assert np.array_equal(piece.counts, parts[0].counts[2:5])


def stream_of(*numbers):
    """Frames of one event each, with these sequences; the event's index is the sequence."""
    frames = [events_frame(n, n, 100 + n, [(100 + n, 8, 1)]) for n in numbers]
    return b"".join(map(to_stream, frames))


@pytest.mark.parametrize("piece", [1, 60, 1 << 20])
def test_a_frame_that_came_before_is_counted_and_left_out(piece):
    data = stream_of(0, 1, 1, 2, 3, 4, 5, 2, 3, 6, 6, 6, 7)
    decoder = Decoder()
    parts = [p for n in range(0, len(data), piece) for p in decoder.feed(data[n : n + piece])]
    assert [event[0] for event in events_of(parts)] == list(range(8))
    assert decoder.disorder == {Disorder.DUPLICATE: 5}
    assert (decoder.frames_received, decoder.frames_lost) == (8, 0)


@pytest.mark.parametrize("piece", [1, 60, 1 << 20])
def test_a_frame_that_others_have_overtaken_is_counted_as_late_and_lost(piece):
    data = stream_of(0, 1, 4, 2, 5, 3, 3, 6)
    decoder = Decoder()
    parts = [p for n in range(0, len(data), piece) for p in decoder.feed(data[n : n + piece])]
    assert [event[0] for event in events_of(parts)] == [0, 1, 4, 5, 6]
    assert decoder.disorder == {Disorder.LATE: 2, Disorder.DUPLICATE: 1}
    assert (decoder.frames_received, decoder.frames_lost) == (5, 2)


def test_what_is_further_back_than_is_known_is_an_instrument_that_begins_anew():
    numbers = [*range(RECENT_FRAMES + 50), 3, 4, 5]
    parts, decoder = decode(stream_of(*numbers))
    assert [event[0] for event in events_of(parts)] == numbers
    assert (decoder.frames_lost, decoder.disorder) == (0, {})


def test_frames_of_sources_that_cannot_be_do_not_cost_each_what_all_do(monkeypatch):
    built = []

    def counted(items=()):
        built.append(len(items))
        return set(items)

    monkeypatch.setattr("plexor.wire.decode.decoder.set", counted, raising=False)
    payload = struct.pack("<I", SOURCES << 26)
    frames = [events_frame(n, n, 100, [(100, 8, 1)]) for n in range(400)]
    frames[::2] = [replace(frame, payload=payload) for frame in frames[::2]]
    parts, decoder = decode(b"".join(map(to_stream, frames)))
    assert len(events_of(parts)) == decoder.fault_counts[FaultKind.WORDS] == 200
    assert sum(built) <= 400


@pytest.mark.parametrize(
    ("ahead", "lost"),
    [(1, 0), (2, 1), ((1 << 31) - 1, (1 << 31) - 2), (1 << 31, (1 << 31) - 1), ((1 << 31) + 1, 0)],
)
def test_up_to_half_of_all_sequences_ahead_is_a_loss_and_beyond_it_a_step_back(ahead, lost):
    for together in (True, False):
        decoder = Decoder()
        pieces = [to_stream(events_frame(n, 0, 5, [(5, 8, 1)])) for n in (7, 7 + ahead)]
        for piece in [b"".join(pieces)] if together else pieces:
            decoder.feed(piece)
        assert decoder.frames_lost == lost
