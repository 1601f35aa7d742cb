# SPDX-License-Identifier: Apache-2.0
"""Ticks of captures: exact for every time, within what an instrument may have."""

from fractions import Fraction

import numpy as np
import pytest

from plexor.base.errors import UsageError
from plexor.files.imports.capture import Capture
from plexor.files.imports.edges import SignalEdges
from plexor.files.imports.exported import ExportedRun
from plexor.files.imports.timing import timing_of


def capture(*times, unit_fs=10**6, sampled=False, start=0, end=None, **other):
    edges = SignalEdges(np.array(times, np.int64), np.zeros(len(times), np.uint8))
    end = (times[-1] if times else start) if end is None else end
    return Capture("x", Fraction(unit_fs), sampled, start, end, {"a": edges}, **other)


def timing(found):
    return timing_of("a.x", found)


@pytest.mark.parametrize(
    ("times", "unit_fs", "tick_fs", "ticks"),
    [
        ((10, 30, 70), 10**6, 10**7, (1, 3, 7)),  # samples of 10 ns, written in ns
        ((5, 7), 10**3, 10**3, (5, 7)),  # 1 ps
        ((3,), 10**12, 3 * 10**9, (1000,)),  # 3 ms at once: the longest tick is 4.29 us
        ((1_041_667, 3 * 1_041_667), 1, 1_041_667, (1, 3)),
        ((2 * 10**7,), 1, 2 * 10**7, (1,)),
    ],
)
def test_times_of_a_dump_are_whole_ticks(times, unit_fs, tick_fs, ticks):
    found = timing(capture(*times, unit_fs=unit_fs))
    got = found.ticks(np.array(times, np.int64)).tolist()
    for time, tick in zip(times, got, strict=True):
        assert tick * found.tick_fs == time * unit_fs
    assert (found.tick_fs, tuple(got)) == (tick_fs, ticks)
    assert 1000 <= found.tick_fs < 1 << 32


def test_times_count_from_the_start():
    found = timing(capture(1010, 1030, start=1000))
    assert found.ticks(np.array([1010, 1030])).tolist() == [1, 3]


def test_the_tick_that_the_file_says_is_taken_if_it_fits():
    assert timing(capture(10, 30, exported=ExportedRun(tick_fs=10**6))).tick_fs == 10**6
    assert (
        timing(capture(10, 30, exported=ExportedRun(tick_fs=500_000))).ticks(np.array([30])) == 60
    )
    for wrong in (3 * 10**6, 0, 10, 1 << 40):
        assert timing(capture(10, 30, exported=ExportedRun(tick_fs=wrong))).tick_fs == 10**7


def test_the_step_is_the_greatest_that_is_known():
    assert timing(capture(10, 30)).step_fs == 10**7
    assert timing(capture(42, 83, step_fs=41_666_667)).step_fs == 41_666_667


@pytest.mark.parametrize(
    ("hertz", "tick_fs", "parts"),
    [
        (10**9, 10**6, 1),
        (960 * 10**6, 1_041_667, 1),
        (24 * 10**6, 41_666_667, 1),
        (100_000, 10**9, 10),
        (1, 10**9, 10**6),
    ],
)
def test_samples_have_a_tick_each_or_some(hertz, tick_fs, parts):
    found = timing(capture(7, unit_fs=Fraction(10**15, hertz), sampled=True, end=20))
    assert (found.tick_fs, found.ticks(np.array([7])).tolist()) == (tick_fs, [7 * parts])
    assert found.step_fs == round(10**15 / hertz)


def test_samples_that_no_tick_divides_are_refused():
    found = capture(1, unit_fs=Fraction(1, 3), sampled=True, end=2)
    with pytest.raises(UsageError, match=r"^a\.x: its times are multiples of .* 1 ps to 4\.29 µs$"):
        timing(found)


@pytest.mark.parametrize(
    ("times", "unit_fs", "step_fs", "ticks"),
    [
        ((1, 499, 500, 3001), 1, 1000, (0, 0, 1, 3)),
        # A prime of femtoseconds, beyond what a tick has.
        (((1 << 32) + 15,), 1, 1000, (4_294_967,)),
        # Thirds of a femtosecond, as a unit of decimals that were scaled may be.
        ((2999, 3000), Fraction(1, 3), 1000, (1, 1)),
        ((1, 10), Fraction(700), 7000, (0, 1)),
    ],
)
def test_times_that_no_tick_divides_are_rounded_to_a_step_that_has_one(
    times, unit_fs, step_fs, ticks
):
    found = timing(capture(*times, unit_fs=unit_fs))
    assert found.rounded
    assert found.step_fs == step_fs
    assert tuple(found.ticks(np.array(times, np.int64)) * found.tick_fs // step_fs) == ticks


def test_a_step_that_is_asked_for_rounds_to_the_nearest():
    found = timing_of("a.x", capture(4, 5, 14, 15, 25), Fraction(1, 10**8))
    assert (found.tick_fs, found.step_fs, found.rounded) == (10**7, 10**7, True)
    assert found.ticks(np.array([4, 5, 14, 15, 25])).tolist() == [0, 1, 1, 2, 3]
    with pytest.raises(UsageError, match=r"--step 1\.5 ns; must be a multiple of 1 ns"):
        timing_of("a.x", capture(4), Fraction(15, 10**10))


def test_a_capture_of_ages_is_refused():
    with pytest.raises(UsageError, match="too long for its time step"):
        timing(capture(1, unit_fs=10**15, end=1 << 61))


def test_without_edges_there_is_a_tick_too():
    assert timing(capture()).tick_fs == 10**6
