# SPDX-License-Identifier: Apache-2.0
"""The chip's tables of codes: read, and refused where they cannot be."""

from dataclasses import replace

import pytest

from plexor.model.code_tables import CodeFigures, CodeTables
from plexor.model.results import Kind
from plexor.protocol.frames import Frame, FrameType, MemoryFlag
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import CODE_FIGURES, VALUE_MOST, ByCode, Space, entries
from plexor.protocol.registers import address
from plexor.wire.decode.code_tables import code_tables_of, wrong_tables
from plexor.wire.decode.consistent import consistent
from plexor.wire.decode.memories import Memories
from plexor.wire.decode.register_image import RegisterImage

from ...runs import run

FEATURES = (ALL_FEATURES & ~Feature.SWEEP) | Feature.CODES
SMALL = Geometry(code_bits=6, features=FEATURES)
WIDE = Geometry(code_bits=12, features=FEATURES)


def memories_of(geometry, tables):
    """Return memories with records (count, sum, minimum, maximum) by table and entry."""
    found = Memories(geometry)
    names = [field.name for field in CODE_FIGURES.fields]
    data = b"".join(
        CODE_FIGURES.pack(dict(zip(names, records.get(place, (0,) * 4), strict=True)))
        for records in (tables.get(table, {}) for table in ByCode)
        for place in range(entries(geometry, Space.CODES) // len(ByCode))
    )
    for start in range(0, len(data), 512):
        piece = data[start : start + 512]
        flags = Space.CODES | MemoryFlag.FINAL
        found.add(Frame(FrameType.STATISTICS, flags, 0, 0, start // 4, 0, piece))
    return found


def image(channel=1):
    found = RegisterImage()
    found.words[address("code", "latency_channel")] = channel
    return found


def test_codes_without_samples_are_left_out():
    tables = {
        ByCode.LATENCY: {3: (2, 30, -5, 35), 4: (1, 7, 7, 7)},
        ByCode.TIMES: {63: (1, 1 << 40, VALUE_MOST, VALUE_MOST)},
    }
    assert code_tables_of(image(), memories_of(SMALL, tables)) == CodeTables(
        1,
        (CodeFigures(63, 1, 1 << 40, VALUE_MOST, VALUE_MOST),),
        (CodeFigures(3, 2, 30, -5, 35), CodeFigures(4, 1, 7, 7, 7)),
    )


def test_of_a_long_code_the_upper_eight_bits_are_told():
    tables = {ByCode.LATENCY: {0x2A: (1, 7, 7, 7)}}
    found = code_tables_of(image(), memories_of(WIDE, tables))
    assert found is not None
    assert [each.code for each in found.latencies] == [0x2A << 4]


def test_tables_that_never_came_or_of_an_unknown_channel_are_not_known():
    assert code_tables_of(image(), Memories(SMALL)) is None
    assert code_tables_of(RegisterImage(), memories_of(SMALL, {})) is None


def sound():
    """Return a run of a build with codes, and tables that fit it."""
    result, _ = run()
    channel = result.channels[0]
    rise = channel.measurement(Kind.RISE).statistics
    whole = CodeFigures(5, rise.count, rise.sum_ticks, rise.min_ticks, rise.max_ticks)
    tables = CodeTables(channel.number, (CodeFigures(5, 2, 30, 10, 20),), (whole,))
    identity = replace(result.identity, geometry=replace(SMALL))
    return replace(result, identity=identity), tables


def wrong(tables):
    result, _ = sound()
    ticks = result.end_ticks - result.start_ticks
    return list(wrong_tables(tables, result.channels, SMALL, ticks))


def test_latencies_by_code_must_be_those_of_the_channel():
    result, tables = sound()
    assert wrong(tables) == []
    (whole,) = tables.latencies
    fewer = replace(whole, count=whole.count - 1, sum_ticks=whole.sum_ticks - whole.min_ticks)
    (text,) = wrong(replace(tables, latencies=(fewer,)))
    assert text.startswith(f"latencies by code: {whole.count - 1} with sum")
    kept = consistent(replace(result, code_tables=replace(tables, latencies=(fewer,))))
    assert kept.code_tables is None
    assert text in kept.invalid_reasons


@pytest.mark.parametrize(
    "times",
    [
        (CodeFigures(64, 1, 5, 5, 5),),
        (CodeFigures(6, 1, 5, 5, 5), CodeFigures(5, 1, 5, 5, 5)),
        (CodeFigures(5, 0, 0, 0, 0),),
        (CodeFigures(5, -1, -5, 5, 5),),
        (CodeFigures(5, 2, 30, 20, 10),),
        (CodeFigures(5, 2, 41, 10, 20),),
        (CodeFigures(5, 1, 1 << 50, VALUE_MOST, VALUE_MOST),),
    ],
)
def test_impossible_figures_are_told(times):
    _, tables = sound()
    assert wrong(replace(tables, times=times))
