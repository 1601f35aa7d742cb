# SPDX-License-Identifier: Apache-2.0
"""The sweep table of the golden model, worked by hand."""

import numpy as np
import pytest

from plexor.protocol.frames import SOURCE_STEP
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import STEP, Space
from plexor.protocol.registers import StopOn, Trigger
from plexor_sim.golden.edges import PinEdges
from plexor_sim.golden.ending import planned_end_ticks
from plexor_sim.golden.instrument import measure
from plexor_sim.golden.settings import Settings
from plexor_sim.golden.stimulus import strikes

GEOMETRY = Geometry(channels=2, samples=8, tick_fs=1_000_000)
START = 800
STEPS = {
    0: {"interval_ticks": 100, "width_ticks": 5, "strike_count": 3, "guard_ticks": 50},
    1: {"interval_ticks": 40, "width_ticks": 30, "strike_count": 2, "guard_ticks": 0},
    2: {"interval_ticks": 60, "width_ticks": 1, "strike_count": 4, "guard_ticks": 7},
}
# Phase 3. Step 0: 803, 903, 1003, the last in the clock from 1000 on: ends at 1000 + 48 + 16.
# Step 1: its phase 0 is at 1064 + 8 * 1024. Strikes at 9259 and 9299, active to 9328, in the clock
# from 9328 on: ends at 9328 + 64. Step 2: from 9392 + 8192 + 3 on, the last at 17767, in the clock
# from 17760 on: 8 clocks after that is later than the guard.
RISES = [803, 903, 1003, 9259, 9299, 17587, 17647, 17707, 17767]
WIDTHS = [5, 5, 5, 30, 30, 1, 1, 1, 1]
ENDS = [1064, 9392, 17824]


def settings(steps=STEPS, *, channel=None, **stimulus):
    return Settings.of(
        control={"step_count": len(steps), "stop_on": StopOn.STRIKES, "settle_ticks": 99999},
        matcher={"timeout_ticks": 1500},
        channel={0: {"enable": 1} | (channel or {})},
        stimulus={0: {"enable": 1, "phase_ticks": 3, "seed": 5} | stimulus},
        step=steps,
    )


def run(pin, asked=None, geometry=GEOMETRY, end=ENDS[-1]):
    """Return the results of a run whose channel 0 is active for 2 ticks from each of `pin` on."""
    changes = [(1000 * (tick + back), 1 - back // 2) for tick in pin for back in (0, 2)]
    return measure(geometry, asked or settings(), START, end, {0: PinEdges.of(*changes)})


def test_strikes_and_ends_of_steps_are_where_the_page_says():
    made = strikes(GEOMETRY, settings(), START, 20_000)[0]
    assert made.rise_ticks.tolist() == RISES
    assert (made.fall_ticks - made.rise_ticks).tolist() == WIDTHS
    assert planned_end_ticks(GEOMETRY, settings(), START) == ENDS[-1]
    events = run([]).events
    ends = events.chosen(events.source == SOURCE_STEP)
    assert ends.time_ticks.tolist() == ENDS[:2]
    assert ends.polarity.tolist() == [True, False]


@pytest.mark.parametrize("stop", [803, 804, 1064, 9259, 9260, 17768])
def test_no_strike_starts_at_the_stop_or_later(stop):
    made = strikes(GEOMETRY, settings(), START, stop)[0]
    assert made.rise_ticks.tolist() == [rise for rise in RISES if rise < stop]


def test_a_steps_end_is_no_event_where_the_run_ends_with_it():
    for end, count in ((1064, 0), (1072, 1), (9392, 1), (9400, 2)):
        events = run([], end=end).events
        assert np.count_nonzero(events.source == SOURCE_STEP) == count


def test_each_step_begins_its_random_numbers_anew():
    steps = dict.fromkeys(range(3), STEPS[0])
    rises = strikes(GEOMETRY, settings(steps, dither_bits=6), START, 1 << 20)[0].rise_ticks
    gaps = np.diff(rises.reshape(3, 3), axis=1)
    assert gaps[0].tolist() == gaps[1].tolist() == gaps[2].tolist()
    assert gaps[0][0] != gaps[0][1]


def test_a_step_without_a_count_never_ends():
    steps = {0: STEPS[0], 1: STEPS[1] | {"strike_count": 0}, 2: STEPS[2]}
    made = strikes(GEOMETRY, settings(steps), START, 15_000)[0].rise_ticks
    assert made[3:].tolist() == list(range(9259, 15_000, 40))
    assert planned_end_ticks(GEOMETRY, settings(steps | {1: STEPS[1]}), START) == ENDS[-1]


def test_a_table_in_a_build_without_the_feature_does_nothing():
    lacking = Geometry(channels=2, features=ALL_FEATURES & ~Feature.SWEEP)
    own = {"interval_ticks": 500, "width_ticks": 9, "strike_count": 2}
    made = strikes(lacking, settings(**own), START, 9000)[0]
    assert made.rise_ticks.tolist() == [803, 1303]
    assert run([], settings(**own), lacking).words(Space.STEPS) == b""


def test_a_table_needs_a_stimulus_that_starts_with_the_run():
    with pytest.raises(ValueError, match=r"stimulus\[0\].trigger"):
        strikes(GEOMETRY, settings(trigger=Trigger.GATE), START, 9000)


def records(results, channel=0):
    """Return the records of a channel as they are dumped."""
    image, size = results.words(Space.STEPS), STEP.size_bytes
    assert len(image) == 64 * 2 * size
    rows = [STEP.unpack(image[at : at + size]) for at in range(0, len(image), size)]
    used, rest = rows[: 2 * 3], rows[2 * 3 :]
    assert not any(any(row.values()) for row in rest)
    return used[channel::2]


def picked(rows, *names):
    return [tuple(row[name] for name in names) for row in rows]


def test_records_are_totals_but_for_the_extremes():
    # Step 0: 10 ticks for the first, the second and third outstanding. Step 1: 197 for the second;
    # the third is older than the time-out at 9259; 10 and 5. Step 2: 1, a duplicate, then 11 each.
    found = records(run([813, 1100, 9269, 9304, 17588, 17598, 17658, 17718, 17778]))
    assert [row["end_ticks"] for row in found] == ENDS
    assert picked(found, "strikes", "answered", "missed", "duplicate", "pending") == [
        (3, 1, 0, 0, 2),
        (5, 4, 1, 0, 0),
        (9, 8, 1, 1, 0),
    ]
    assert picked(found, "count", "sum_ticks", "min_ticks", "max_ticks") == [
        (1, 10, 10, 10),
        (4, 222, 5, 197),
        (8, 256, 1, 11),
    ]
    squares = 100 + 197**2 + 100 + 25
    assert [row["sum_sq_low_ticks2"] for row in found] == [100, squares, squares + 1 + 3 * 121]


def test_a_channel_that_is_disabled_has_nothing_but_the_time():
    found = records(run([813]), channel=1)
    assert [row.pop("end_ticks") for row in found] == ENDS
    assert not any(any(row.values()) for row in found)


def test_a_held_response_is_in_no_class_until_it_is_too_old():
    early = Settings(settings().values | {("matcher", 0, "early_ticks"): 8400})
    # 20 ticks before the end of step 0 all its strikes are answered; the fourth is held.
    rows = records(run([810, 910, 1010, 1044], early))
    assert picked(rows, "answered", "duplicate", "spurious", "early") == [
        (3, 0, 0, 0),
        (4, 0, 0, 1),
        (4, 0, 0, 1),
    ]
    late = Settings(settings().values | {("matcher", 0, "early_ticks"): 10})
    rows = records(run([810, 910, 1010, 1044], late))
    assert picked(rows, "answered", "duplicate") == [(3, 1), (3, 1), (3, 1)]


def test_the_end_of_a_step_can_be_a_strike_and_is_in_the_step_it_ends():
    rows = records(
        run([1070], settings(channel={"reference_source": SOURCE_STEP, "reference_polarity": 1}))
    )
    assert picked(rows, "strikes", "pending", "answered", "count", "sum_ticks") == [
        (1, 1, 0, 0, 0),
        (1, 0, 1, 1, 6),
        (1, 0, 1, 1, 6),
    ]
