# SPDX-License-Identifier: Apache-2.0
"""Frames whose CRC is right and whose content lies: a marked run or one line, and no traceback."""

from __future__ import annotations

import json
import tracemalloc
import zlib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from plexor.base.errors import ExitCode, PlexorError
from plexor.files.store.run_folder import load, save
from plexor.library.run import Run
from plexor.protocol.frames import FrameType, LogCode
from plexor.protocol.memory import (
    STATISTICS,
    STEP,
    IntervalKind,
    LatencyKind,
    ResponseClass,
    Space,
    over_bin,
    under_bin,
)
from plexor.protocol.registers import (
    CHANNEL,
    CHANNEL_STATUS,
    CONTROL,
    MATCHER,
    SOURCE,
    STATUS,
    STIMULUS,
)
from plexor.protocol.registers import STEP as TABLE
from plexor.run.session.replay import replay

from .liar import (
    Lie,
    in_class,
    in_entry,
    in_frames,
    in_memory,
    in_register,
    in_statistics,
    in_step,
    recorded,
    told,
)

NS = Fraction(1, 10**9)
"""A tick of the recording's instrument."""
EXTREMES = (0, 1, 2**31, 2**32 - 1, 2**40, 2**63, 2**64 - 1)
MOST_BYTES = 200 << 20
STATISTICS_OF = {
    "rise": (Space.LATENCY_STATISTICS, LatencyKind.RISE),
    "fall": (Space.LATENCY_STATISTICS, LatencyKind.FALL),
    "width": (Space.INTERVAL_STATISTICS, IntervalKind.WIDTH),
    "period": (Space.INTERVAL_STATISTICS, IntervalKind.PERIOD),
}


def kinds() -> Iterator[tuple[str, list[list[Lie]]]]:
    """Yield each field by name, with what is said of it."""
    for name, (space, kind) in STATISTICS_OF.items():
        for field in STATISTICS.fields:
            lies = [[in_statistics(space, kind, field.name, value)] for value in EXTREMES]
            yield f"{name}.{field.name}", lies
    for step in (0, 1):
        for field in STEP.fields:
            yield (
                f"step[{step}].{field.name}",
                [[in_step(step, field.name, value)] for value in EXTREMES],
            )
    for entry in ResponseClass:
        yield f"classes.{entry.name.lower()}", [[in_class(entry, value)] for value in EXTREMES]
    for space, places in (
        (Space.EDGES, (0, 1, 17, 35)),
        (Space.UPLOAD_DROPS, (0, 8, 17)),
        (Space.LATENCY_BINS, (0, 50, 64, 459, 480, over_bin(4), under_bin(4))),
        (Space.INTERVAL_BINS, (0, 50, 480, over_bin(4), under_bin(4))),
        (Space.LATENCY_ZOOM, (0, 1, 51, 63)),
        (Space.INTERVAL_ZOOM, (0, 21, 63)),
    ):
        for place in places:
            yield (
                f"{space.name.lower()}[{place}]",
                [[in_entry(space, place, value)] for value in EXTREMES],
            )
    for block, copy in (
        *((STATUS, 0), (CHANNEL_STATUS, 0), (SOURCE, 0), (SOURCE, 8), (SOURCE, 17)),
        *((CONTROL, 0), (MATCHER, 0), (CHANNEL, 0), (STIMULUS, 0), (TABLE, 1)),
    ):
        for entry in block.registers:
            yield (
                f"{block.name}[{copy}].{entry.name}",
                [[in_register(block.name, entry.name, value, copy)] for value in EXTREMES],
            )
    for code in (LogCode.STARTED, LogCode.STOPPED, LogCode.TRIGGERED, LogCode.DUMPED):
        for field in ("index", "base_ticks"):
            lies = [[in_frames(FrameType.LOG, code, **{field: value})] for value in EXTREMES]
            yield f"log {code.name.lower()}.{field}", lies
        yield (
            f"log {code.name.lower()} is",
            [[in_frames(FrameType.LOG, code, tag=other)] for other in (0, 1, 2, 3, 4, 5, 6, 65535)],
        )
    for kind in (FrameType.EVENTS, FrameType.TRACE, FrameType.HISTOGRAM, FrameType.STATISTICS):
        for field, values in (
            ("index", EXTREMES),
            ("base_ticks", EXTREMES),
            ("flags", (0, 1, 0x0F, 0x70, 0xFF)),
            ("sequence", (0, 2**31, 2**32 - 1)),
            ("words", (0, 2**26 - 1, 17 << 26, 2**31, 2**32 - 1)),
        ):
            yield (
                f"{kind.name.lower()}.{field}",
                [[_frames(kind, field, value)] for value in values],
            )
    yield "all at once", [_all(value) for value in EXTREMES]


def _frames(kind: FrameType, field: str, value: int) -> Lie:
    return in_frames(kind, None, **{field: value})


def _all(value: int) -> list[Lie]:
    """Counters, edges, statistics and bins that agree as far as one value can."""
    lies = [in_register("status", "end_ticks", 2**61), in_register("status", "flags", 1)]
    lies += [in_register("source", name, value, 8) for name in ("generated", "dropped")]
    lies += [in_entry(Space.EDGES, 17, value), in_entry(Space.LATENCY_BINS, 50, value)]
    lies += [in_class(entry, value) for entry in (ResponseClass.STRIKES, ResponseClass.ANSWERED)]
    for name in ("count", "sum_ticks", "sum_sq_low_ticks2"):
        lies.append(in_statistics(Space.LATENCY_STATISTICS, LatencyKind.RISE, name, value))
    return lies


KINDS = dict(kinds())


@pytest.fixture(scope="module")
def wire(tmp_path_factory):
    return recorded(tmp_path_factory.mktemp("wire") / "wire.bin")


def shown(path: Path, data: bytes, kept: Path | None = None) -> tuple[int, dict | None]:
    """Replay bytes in every form; return the exit code and the document, if there is a run."""
    path.write_bytes(data)
    try:
        result = replay(path)
    except PlexorError as error:
        return error.exit_code, None
    for base in (100 * NS, 0):
        run = Run(result, base)
        code = run.exit_code()
        assert run.text(width=80)
        found = run.document()
        json.dumps(found)
    if kept is not None:
        assert run.page().endswith("</html>\n")
        assert load(save(result, kept)) == result
    return code, found


def figures(found: dict) -> list:
    """What is counted and measured."""
    names = ("strikes", "answered", "late", "missed", "duplicate", "spurious", "early", "pending")
    parts = ("count", "min_ticks", "max_ticks", "mean_s")
    return [
        [channel["name"], *(channel[name] for name in names)]
        + [(channel["latency"] or {}).get(part) for part in parts]
        for channel in found["channels"]
    ]


def test_the_recording_is_of_a_valid_run(tmp_path, wire):
    code, found = shown(tmp_path / "wire.bin", told(wire), tmp_path / "run")
    assert (code, found["valid"]) == (0, True)
    assert len(replay(tmp_path / "wire.bin").steps) == 2


@pytest.fixture(scope="module")
def truth(wire, tmp_path_factory):
    return figures(shown(tmp_path_factory.mktemp("truth") / "wire.bin", told(wire))[1])


def checked(tmp_path, wire, truth, numbers, name) -> None:
    """Tell some of the lies about a field, by number."""
    for number in numbers:
        lies = KINDS[name][number % len(KINDS[name])]
        kept = tmp_path / f"run{number}"
        code, found = shown(tmp_path / "wire.bin", told(wire, *lies), kept)
        assert code in (ExitCode.PASS, ExitCode.LINK, ExitCode.INVALID), number
        if code == ExitCode.PASS:
            assert figures(found) == truth, number


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.full if number % 3 else ())
        for number, name in enumerate(KINDS)
    ],
)
def test_a_field_that_lies_is_no_valid_run(tmp_path, wire, truth, name):
    """Of the lies about a field one, another for each."""
    checked(tmp_path, wire, truth, [zlib.crc32(name.encode())], name)


@pytest.mark.full
@pytest.mark.parametrize("name", KINDS)
def test_whatever_a_field_says_that_is_a_lie_is_no_valid_run(tmp_path, wire, truth, name):
    checked(tmp_path, wire, truth, range(len(KINDS[name])), name)


@pytest.mark.parametrize("value", [2**31, 2**40, 2**63])
def test_words_beyond_all_take_no_memory(tmp_path, wire, value):
    words = [value & 0xFFFFFFFF, value >> 32] * 4000
    lies = [in_memory(space, 0, words) for space in Space]
    path = tmp_path / "wire.bin"
    data = told(wire, *lies, *_all(value))
    shown(path, told(wire))
    tracemalloc.start()
    try:
        shown(path, data)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < MOST_BYTES
