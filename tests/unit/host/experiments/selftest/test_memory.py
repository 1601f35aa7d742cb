# SPDX-License-Identifier: Apache-2.0
"""Memories of runs without events: what cannot be, or was foretold otherwise, is found."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from plexor.experiments.selftest.memory import _zoomed, inconsistent, registers, unforeseen
from plexor.model.identity import Identity
from plexor.model.results import Bins, ChannelResult, Kind, SampleResult, Statistics
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import ResponseClass, bin_bits, bin_of
from plexor.protocol.registers import BLOCKS, Access

MANTISSA = 3
WIDTH = 4096
DELAYS = {0: (3, 4)}


def of(*values):
    """Return what a channel must have of latencies."""
    counts = np.zeros(1 << bin_bits(MANTISSA), np.uint64)
    for value in values:
        counts[bin_of(value, MANTISSA)] += 1
    extremes = (min(values), max(values)) if values else (None, None)
    known = Statistics(len(values), sum(values), None, *extremes)
    classes = dict.fromkeys(ResponseClass, 0) | {ResponseClass.STRIKES: len(values)}
    rise = SampleResult(Kind.RISE, known, Bins(MANTISSA, counts))
    return ChannelResult(0, "ch0", "strike0", None, classes, 0, len(values), (rise,))


def run(channel, strikes=None):
    return SimpleNamespace(
        channels=(channel,), strikes=channel.strikes if strikes is None else strikes
    )


def changed(channel, counts=(), **statistics):
    """Return a channel with other statistics, and by how much bins are off."""
    (rise,) = channel.measurements
    bins = rise.bins.counts.copy()
    for place, more in counts:
        bins[place] += np.uint64(more)
    known = replace(rise.statistics, **statistics)
    return replace(
        channel, measurements=(replace(rise, statistics=known, bins=Bins(MANTISSA, bins)),)
    )


def texts(found):
    return [f"{finding.subject}: {finding.text}" for finding in found]


SCATTERED = of(2, 9, 300, 5000)
FORETOLD = of(*[WIDTH + 3] * 5, *[WIDTH + 4] * 2)


@pytest.mark.parametrize("channel", [SCATTERED, FORETOLD, of(), of(7)])
def test_statistics_of_the_same_values_are_consistent_with_their_bins(channel):
    assert inconsistent([channel]) == []


@pytest.mark.parametrize(
    ("channel", "says"),
    [
        (changed(SCATTERED, min_ticks=3), "3 to 5000 ticks, but in bins 2 to "),
        (changed(SCATTERED, max_ticks=9000), "2 to 9000 ticks, but in bins"),
        (changed(SCATTERED, sum_ticks=4000), "their sum is 4000 ticks; by the bins"),
        (changed(SCATTERED, sum_ticks=7000), "their sum is 7000 ticks; by the bins"),
        (changed(SCATTERED, counts=[(200, 1)]), "but in bins 2 to 200"),
        (changed(of(), counts=[(5, 1)]), "0 samples, 1 in bins"),
        # Below 0, over the range, and where no bin is.
        *((changed(SCATTERED, counts=[(bin, 1)]), f"bins 2 to {bin}") for bin in (255, 254, 240)),
        (changed(of(), count=3), "3 samples, 0 in bins"),
    ],
)
def test_a_statistic_that_no_such_bins_have_is_found(channel, says):
    (first, *_) = texts(inconsistent([channel]))
    assert first.startswith("memory: ch0 rise: ")
    assert says in first


def test_strikes_answered_by_their_own_ends_are_foreseen():
    assert unforeseen(run(FORETOLD), WIDTH, DELAYS) == []
    # Noise of a tick more than was seen is none of a memory's defects.
    assert unforeseen(run(of(WIDTH + 2, WIDTH + 3)), WIDTH, DELAYS) == []
    assert unforeseen(run(of(WIDTH + 2, WIDTH + 3, WIDTH + 5)), WIDTH, DELAYS) == []


PLACE = bin_of(WIDTH + 3, MANTISSA)


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (run(FORETOLD, strikes=8), "ch0: 7 of 8 strikes counted"),
        (run(changed(FORETOLD, count=6)), "ch0: 6 latencies of 7 strikes answered by their own"),
        (run(of(*[WIDTH] * 3)), f"ch0: {WIDTH} to {WIDTH} ticks after strikes of {WIDTH} ticks"),
        (run(of(*[WIDTH + 9] * 3)), "must be 4099 to 4100"),
        (run(changed(FORETOLD, sum_ticks=7 * WIDTH)), "but their sum is"),
        (run(changed(FORETOLD, sum_ticks=8 * WIDTH)), "but their sum is"),
        (
            run(changed(FORETOLD, counts=[(PLACE, 1)])),
            f"memory: ch0 rise: 1 bin does not match {WIDTH + 3} to {WIDTH + 4} ticks;"
            f" bin {PLACE} has 8, must be 7",
        ),
        (
            run(changed(of(*[WIDTH + n for n in (3, 4, 5)]), counts=[(PLACE + 1, 1)])),
            "but in bins",
        ),
    ],
)
def test_what_was_not_foreseen_is_found(result, says):
    assert says in " ".join(texts(unforeseen(result, WIDTH, DELAYS)))


def test_all_registers_of_a_runs_settings_are_written_but_those_that_move_a_pin():
    geometry = Geometry(
        channels=2, strikes=1, table_steps=0, features=ALL_FEATURES & ~Feature.SWEEP
    )
    kept = {}
    device = SimpleNamespace(
        identity=Identity(geometry, 1),
        read_all=lambda names: [kept.get(name, 0) for name in names],
        write_all=lambda writes: kept.update(
            {(each.block, each.copy, each.name): each.value for each in writes}
        ),
    )
    found = registers(device)
    assert not found.findings
    copies = {"control": 1, "matcher": 1, "channel": 2, "stimulus": 1}
    wanted = {
        (block.name, copy, entry.name)
        for block in BLOCKS
        for copy in range(copies.get(block.name, 0))
        for entry in block.registers
        if entry.access is Access.SETUP
        and (block.name, entry.name) not in (("stimulus", "enable"), ("stimulus", "invert"))
        and entry.name != "step_count"
    }
    assert set(kept) == wanted
    assert len(wanted) > 40


def test_a_window_has_a_bin_for_each_tick_between_what_is_under_and_what_is_over():
    values = np.array([-9, 99, 100, 100, 101, 103, 104, 5000])
    # From 100 to 103 ticks, with a bin at either end.
    assert _zoomed(values, 100, 6).tolist() == [2, 2, 1, 0, 1, 2]
    assert _zoomed(values[:0], 100, 6).tolist() == [0] * 6
