# SPDX-License-Identifier: Apache-2.0
"""Tests registers with patterns, and result memories with strikes that are counted again."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from plexor.base.counts import agreed, counted
from plexor.experiments.selftest.model import Finding, SelftestPart, check
from plexor.figures.analyse.analyse import analyse, samples_of
from plexor.model.results import ChannelResult, Counts, Kind, RunResult, SampleResult
from plexor.model.settings import RegisterWrite
from plexor.protocol.geometry import Feature
from plexor.protocol.memory import bin_bounds, bin_count, bin_of
from plexor.protocol.registers import (
    CHANNEL,
    CONTROL,
    MATCHER,
    STEP,
    STIMULUS,
    Access,
    Register,
    register,
)
from plexor.wire.decode.bins import bins_of
from plexor.wire.device.device import Device

_MOST_LISTED = 4
_MOVING = (("stimulus", "enable"), ("stimulus", "invert"))
"""Registers that set an output's level at once. A connected device would see strikes."""


def registers(device: Device) -> SelftestPart:
    """Write patterns to every register of a run's settings, and read them back.

    Their previous values are restored.
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
    return check("registers", f"{counted(words, 'word')} written and read in 4 patterns", wrong)


def _places(device: Device) -> Iterator[tuple[str, int, Register]]:
    geometry = device.identity.geometry
    steps = geometry.table_steps if Feature.SWEEP in geometry.features else 0
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
    """Return a test value for a register: one of two chequers, its own number, or random bits."""
    bits = (
        0x5555_5555_5555_5555,
        0xAAAA_AAAA_AAAA_AAAA,
        number * 0x0101_0101_0101_0101,
        random.Random(number).getrandbits(64),
    )[pattern] & (1 << entry.bits) - 1
    return bits - (1 << entry.bits) if entry.signed and bits >> (entry.bits - 1) else bits


def recounted(result: RunResult) -> tuple[int, list[Finding]]:
    """Return how many counts were compared with a run's events, and the differences.

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
    """Return the window's counts: under, then one bin for each tick, then over."""
    places = np.clip(values - first_ticks + 1, 0, size - 1)
    return np.bincount(places, minlength=size).astype(np.uint64)


def inconsistent(channels: Sequence[ChannelResult]) -> list[Finding]:
    """Return where the statistics of channels contradict their bins."""
    wrong: list[Finding] = []
    for channel in channels:
        for entry in channel.measurements:
            known, counts = entry.statistics, entry.bins.counts
            filled = np.flatnonzero(counts)
            if known.min_ticks is None or known.max_ticks is None or not len(filled):
                if len(filled) or known.count:
                    text = f"{counted(known.count, 'sample')}, {int(counts.sum())} in bins"
                    wrong.append(Finding("memory", f"{channel.name} {entry.kind}: {text}"))
                continue
            ends = [bin_of(value, entry.bins.mantissa_bits) for value in _extremes(entry)]
            if ends != [filled[0], filled[-1]]:
                text = f"{known.min_ticks} to {known.max_ticks} ticks, but in bins"
                text += f" {filled[0]} to {filled[-1]}; must be {ends[0]} to {ends[1]}"
                wrong.append(Finding("memory", f"{channel.name} {entry.kind}: {text}"))
            if filled[-1] >= bin_count(entry.bins.mantissa_bits):
                continue
            bounds = [bin_bounds(int(number), entry.bins.mantissa_bits) for number in filled]
            weights = [int(count) for count in counts[filled]]
            least = sum(n * low for n, (low, _) in zip(weights, bounds, strict=True))
            most = sum(n * (above - 1) for n, (_, above) in zip(weights, bounds, strict=True))
            if not least <= (known.sum_ticks or 0) <= most:
                text = (
                    f"their sum is {known.sum_ticks} ticks; by the bins it must be {least} to "
                    f"{most}"
                )
                wrong.append(Finding("memory", f"{channel.name} {entry.kind}: {text}"))
    return wrong


def unforeseen(
    result: RunResult, width_ticks: int, delays: Mapping[int, tuple[int, int]]
) -> list[Finding]:
    """Return unexpected results of a run in which each strike's end answers it.

    The end comes `width_ticks` after the strike. `delays` are the minimum and maximum times from
    such an end to each channel's edge, in ticks. Noise may add a tick on either side.
    """
    wrong: list[Finding] = []
    for channel in result.channels:
        if channel.strikes != result.strikes:
            text = f"{channel.strikes} of {counted(result.strikes, 'strike')} counted"
            wrong.append(Finding(channel.name, text))
        rise = channel.measurement(Kind.RISE)
        if rise is None or rise.statistics.count != result.strikes:
            count = rise.statistics.count if rise is not None else 0
            text = (
                f"{counted(count, 'latency')} of {counted(result.strikes, 'strike')} answered by "
                "their own ends"
            )
            wrong.append(Finding(channel.name, text))
            continue
        least, most = _extremes(rise)
        low, high = (width_ticks + delay for delay in delays[channel.number])
        if least < low - 1 or most > high + 1:
            text = f"{least} to {most} ticks after strikes of {width_ticks} ticks"
            text += f"; must be {low} to {high}"
            wrong.append(Finding(channel.name, text))
        if most - least > 1:
            wrong += inconsistent([channel])
            continue
        # For two adjacent values, count and sum tell how often each one came.
        later = (rise.statistics.sum_ticks or 0) - rise.statistics.count * least
        if not 0 <= later <= rise.statistics.count or bool(later) != (most > least):
            text = f"{rise.statistics.count} of {least} to {most} ticks, but their sum is"
            text += f" {rise.statistics.sum_ticks}"
            wrong.append(Finding("memory", f"{channel.name} rise: {text}"))
            continue
        values = np.repeat([least, most], [rise.statistics.count - later, later])
        expected = bins_of(values, rise.bins.mantissa_bits)
        off = np.flatnonzero(rise.bins.counts != expected)
        if len(off):
            place = int(off[0])
            text = (
                f"{counted(len(off), 'bin')} {agreed(len(off), 'does', 'do')} not match {least} "
                f"to {most} ticks; "
            )
            text += f"bin {place} has {rise.bins.counts[place]}, must be {expected[place]}"
            wrong.append(Finding("memory", f"{channel.name} rise: {text}"))
    return wrong


def _extremes(entry: SampleResult) -> tuple[int, int]:
    return entry.statistics.min_ticks or 0, entry.statistics.max_ticks or 0
