# SPDX-License-Identifier: Apache-2.0
"""A run whose events and their classes are written down here."""

from dataclasses import replace

import numpy as np

from plexor.model.code_array import CODE_DTYPE
from plexor.model.codes import Codes, Port
from plexor.model.identity import Identity
from plexor.model.results import (
    EVENT_DTYPE,
    Accounting,
    ChannelResult,
    Kind,
    RunResult,
    SourceAccounting,
)
from plexor.model.settings import NO_DEADLINE_TICKS, Channel, RegisterWrite, Settings, Stimulus
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import Policy, StatusFlag, StopReason
from plexor.show.export.source import ExportSource
from plexor.wire.decode.bins import measurement_of
from plexor.wire.decode.matched import Rules
from plexor.wire.decode.rematch import rematch

START, END = 1000, 4600
TIMEOUT, DEADLINE = 900, 200
ROWS = [
    (1050, 0, 1),  # ISR: nothing was struck
    (1060, 0, 0),
    (1100, 8, 1),
    (1110, 8, 0),
    (1150, 0, 1),  # ISR answers after 50
    (1170, 0, 0),
    (1300, 1, 1),  # TASK answers after 200
    (1330, 1, 0),
    (2100, 8, 1),  # TASK misses this one
    (2110, 8, 0),
    (2400, 0, 1),  # ISR answers after 300, which is late
    (2420, 0, 0),
    (3100, 8, 1),
    (3100, 1, 1),  # TASK answers at once
    (3110, 8, 0),
    (3130, 1, 0),
    (3150, 0, 1),  # ISR answers after 50
    (3160, 0, 0),
    (3200, 0, 1),  # ISR: once more
    (3210, 0, 0),
    (4100, 8, 1),  # outstanding at the end
    (4110, 8, 0),
]
"""Time in ticks, source, polarity."""
NAMES = {8: "strike0", 0: "ISR", 1: "TASK"}
CLASS_OF = {0: "spurious", 4: "answered", 6: "answered", 10: "late"}
CLASS_OF |= {13: "answered", 16: "answered", 18: "duplicate"}
"""Class of each response, by its number among the events."""
LATENCY_OF = {4: (50, 2), 6: (200, 2), 10: (300, 8), 13: (0, 12), 16: (50, 12)}
"""Latency in ticks, and the number of the strike, of each response that has one."""
MISSED = {8: "TASK"}
TICKS_FS = (1_000_000, 500_000, 1_041_667, 2_604_167)
"""1 ns, half of it, 1/960 µs and 1/384 µs as an instrument reports them."""


def events_of(rows):
    found = np.zeros(len(rows), EVENT_DTYPE)
    for index, (time, source, polarity) in enumerate(rows):
        found[index] = (time, index, source, polarity)
    return found


def run(tick_fs=1_000_000, rows=ROWS, references=("strike0", "strike0"), **other):
    """Return the run; `references` are those of ISR and TASK."""
    geometry = Geometry(
        channels=2,
        strikes=1,
        tick_fs=tick_fs,
        features=Feature.SIMULATED | Feature.EVENTS,
        board="bench",
    )
    events = events_of(rows)
    channels = []
    for number, reference in enumerate(references):
        deadline = None if number else DEADLINE
        source, polarity = {"strike0": (8, 1), "ch0": (0, 1), "ch0.fall": (0, 0)}[reference]
        limit = NO_DEADLINE_TICKS if deadline is None else deadline
        rules = Rules(number, source, polarity, Policy.OLDEST, TIMEOUT, 0, 0, limit, 64)
        found = rematch(events, rules, END)
        channels.append(
            ChannelResult(
                number,
                NAMES[number],
                reference,
                deadline,
                found.classes,
                found.pending,
                found.active_edges,
                tuple(measurement_of(kind, found.samples[kind], 6) for kind in Kind),
            )
        )
    counts = {source: sum(row[1] == source for row in rows) for source in geometry.sources}
    fields = {
        "identity": Identity(geometry, 0xABC),
        "settings": Settings(
            strikes=(Stimulus(),), channels=(Channel(0, "ISR"), Channel(1, "TASK"))
        ),
        "registers": (RegisterWrite("matcher", 0, "timeout_ticks", TIMEOUT),),
        "echo": (),
        "start_ticks": START,
        "end_ticks": END,
        "stop_reason": StopReason.STRIKES,
        "flags": StatusFlag(0),
        "channels": tuple(channels),
        "accounting": Accounting(
            len(rows),
            len(rows),
            0,
            0,
            tuple(SourceAccounting(source, n, 0, 0, n) for source, n in counts.items()),
        ),
        "events": events,
        "started": "2026-11-21T08:00:00+00:00",
        "versions": {"plexor": "0.1.0"},
        "device": {"os": "FreeRTOS 11", "board": "a, “board”"},
    }
    return RunResult(**fields | other)


def lost(result):
    """Return the run with two events of ISR dropped on the chip, which makes it invalid."""
    books = result.accounting
    sources = tuple(
        SourceAccounting(e.source, e.generated + 2, 2, 0, e.received) if e.source == 0 else e
        for e in books.sources
    )
    return run(
        result.tick_fs,
        accounting=Accounting(books.generated + 2, books.received, 2, 0, sources),
        invalid_reasons=("2 edges were dropped before they could be matched",),
    )


def written(write, path, result, budget=None):
    """Write a run by a format's function and return the file."""
    write(ExportSource(result, budget), path, path)
    return path


CODES = [(1055, 0b11), (1300, 0b01), (3100, 0b10)]
"""Time in ticks and value of each code, in a port of six bits."""
CODE_EDGES = [
    (1055, "code0", 1),
    (1055, "code1", 1),
    (1300, "code1", 0),
    (3100, "code0", 0),
    (3100, "code1", 1),
]


def coded(**other):
    """Return the run with codes at a port; each is two events."""
    rows = sorted([*ROWS, *((time, source, 1) for time, _ in CODES for source in (18, 19))])
    found = run(rows=rows, **other)
    geometry = replace(
        found.identity.geometry,
        features=found.identity.geometry.features | Feature.CODES,
        code_bits=6,
    )
    places = [rows.index((time, 18, 1)) for time, _ in CODES]
    codes = [
        (time, index, code, 0, False, False)
        for (time, code), index in zip(CODES, places, strict=True)
    ]
    return replace(
        found,
        identity=replace(found.identity, geometry=geometry),
        settings=replace(found.settings, codes=Codes(port=Port(), bits=6)),
        codes=np.array(codes, CODE_DTYPE),
    )
