"""Registers and result memories: patterns, and known strikes counted a second time."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from plexor.analyse import analyse, samples_of
from plexor.device import Device
from plexor.protocol.geometry import Feature
from plexor.protocol.registers import (
    CHANNEL,
    CONTROL,
    MATCHER,
    MAX_STEPS,
    STEP,
    STIMULUS,
    Access,
    Register,
    register,
)
from plexor.rematch import bins_of
from plexor.results import Counts, RunResult
from plexor.selftest.model import Check, Finding, check
from plexor.settings import RegisterWrite

_MOST_LISTED = 4
_MOVING = (("stimulus", "enable"), ("stimulus", "invert"))
"""Registers that set an output's level at once: a device that is connected would see strikes."""


def registers(device: Device) -> Check:
    """Write patterns to every register that a run is set up with, and read them back.

    What they held is there again afterwards.
    """
    places = list(_places(device))
    names = [(block, copy, entry.name) for block, copy, entry in places]
    before = device.read_all(names)
    wrong: list[Finding] = []
    words = 0
    try:
        for pattern in range(4):
            values = [
                _pattern(entry, number, pattern) for number, (_, _, entry) in enumerate(places)
            ]
            device.write_all(
                RegisterWrite(*name, value) for name, value in zip(names, values, strict=True)
            )
            found = device.read_all(names)
            for name, value, read in zip(names, values, found, strict=True):
                words += register(name[0], name[2]).words
                if value != read:
                    block, copy, last = name
                    text = f"{block}[{copy}].{last}: wrote {value:#x}, read {read:#x}"
                    wrong.append(Finding("registers", text))
    finally:
        device.write_all(
            RegisterWrite(*name, value) for name, value in zip(names, before, strict=True)
        )
    if len(wrong) > _MOST_LISTED:
        more = Finding("registers", f"and {len(wrong) - _MOST_LISTED} more")
        wrong = [*wrong[:_MOST_LISTED], more]
    return check("registers", f"{words} words written and read in 4 patterns", wrong)


def _places(device: Device) -> Iterator[tuple[str, int, Register]]:
    geometry = device.identity.geometry
    steps = MAX_STEPS if Feature.SWEEP in geometry.features else 0
    for block, copies in (
        (CONTROL, 1),
        (MATCHER, 1),
        (CHANNEL, geometry.channels),
        (STIMULUS, geometry.strikes),
        (STEP, steps),
    ):
        for copy in range(copies):
            for entry in block.registers:
                absent = entry.name == "step_count" and not steps
                moves = (block.name, entry.name) in _MOVING
                if entry.access is Access.SETUP and not absent and not moves:
                    yield block.name, copy, entry


def _pattern(entry: Register, number: int, pattern: int) -> int:
    """Return a value of a register: both chequers, its own number, and random bits."""
    bits = (
        0x5555_5555_5555_5555,
        0xAAAA_AAAA_AAAA_AAAA,
        number * 0x0101_0101_0101_0101,
        random.Random(number).getrandbits(64),
    )[pattern] & (1 << entry.bits) - 1
    return bits - (1 << entry.bits) if entry.signed and bits >> (entry.bits - 1) else bits


def recounted(result: RunResult) -> tuple[int, list[Finding]]:
    """Return how many counts of a run's memories were compared with its events, and what differs.

    The events must be complete.
    """
    compared, wrong = 0, [Finding("memory", text) for text in analyse(result).disagreements]
    for channel in result.channels:
        samples = samples_of(result, channel)
        for entry in channel.measurements:
            if not entry.on_chip:
                continue
            values = getattr(samples, entry.kind.value).value_ticks
            parts = [("bins", entry.bins.counts, bins_of(values, entry.bins.mantissa_bits))]
            if entry.zoom is not None:
                first, size = entry.zoom.first_ticks, len(entry.zoom.counts)
                parts.append(("zoom bins", entry.zoom.counts, _zoomed(values, first, size)))
            for name, counts, expected in parts:
                compared += len(counts)
                off = np.flatnonzero(counts != expected)
                if len(off):
                    place = int(off[0])
                    text = (
                        f"{channel.name} {entry.kind}: {len(off)} {name} differ from the events; "
                        f"bin {place} has {counts[place]}, must be {expected[place]}"
                    )
                    wrong.append(Finding("memory", text))
    return compared, wrong


def _zoomed(values: np.ndarray, first_ticks: int, size: int) -> Counts:
    """Return the window's counts: one tick a bin, the first for under, the last for over."""
    places = np.clip(values - first_ticks + 1, 0, size - 1)
    return np.bincount(places, minlength=size).astype(np.uint64)
