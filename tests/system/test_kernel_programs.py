# SPDX-License-Identifier: Apache-2.0
"""Programs of FreeRTOS whose codes have a known meaning, through the whole instrument."""

import itertools

import pytest

from plexor.protocol.registers import StopReason

from .kernel_codes import told

CLOCK_PS, TICKS_A_PS = 8000, 1 / 500
MS_TICKS = 2_000_000
ENTER, EXIT, INHERIT, BLOCKED = 8, 9, 5, 3
LOW, HIGH = 1, 2
LOW_INSIDE, HIGH_INSIDE = 0, 1
MARK_TICKS = 40 * 20 * 2
"""At most 40 cycles of 20 ns between a pin and the code beside it."""


@pytest.fixture(scope="module")
def critsec(tmp_path_factory):
    folder = tmp_path_factory.mktemp("critsec")
    channels = ["low=ch0", "high=ch1"]
    return told(folder, "codes=port,program=critsec", time="40ms", rate="600", channels=channels)


def stays(run, channel):
    """Return rise and fall of each pulse of a channel that is whole in the run."""
    events = run.events
    own = events[events["source"] == channel]
    own = own[int(len(own) > 0 and own["polarity"][0] == 0) :]
    times = own["time_ticks"].astype(int).tolist()
    return list(zip(times[::2], times[1::2], strict=False))


def times_of(run, kind, number):
    codes = run.result.codes
    wanted = kind << 4 | number
    return codes["time_ticks"][codes["code"] == wanted].tolist()


def test_a_critical_section_is_held_for_a_millisecond_by_one_at_a_time(critsec):
    low, high = stays(critsec.run, 0), stays(critsec.run, 1)
    assert len(low) > 5
    assert all(1 <= (fall - rise) / MS_TICKS < 1.05 for rise, fall in low)
    both = sorted(low + high)
    assert all(fall < rise for (_, fall), (rise, _) in itertools.pairwise(both))


def test_codes_hold_for_as_long_as_the_section_does(critsec):
    run = critsec.run
    entered, left = times_of(run, ENTER, LOW_INSIDE), times_of(run, EXIT, LOW_INSIDE)
    for rise, fall in stays(run, 0):
        assert min(rise - time for time in entered if time < rise) <= MARK_TICKS
        assert min(time - fall for time in left if time > fall) <= MARK_TICKS


def test_the_timeline_shows_who_inherits(critsec):
    document = critsec.run.timeline().document()
    inherits = {lane["name"]: lane["inherits"] for lane in document["lanes"]}
    assert inherits["low"] == len(times_of(critsec.run, INHERIT, LOW)) > 2
    assert inherits["high"] == 0


def test_all_codes_are_those_that_were_retired(critsec):
    codes = critsec.run.result.codes
    found = list(zip(codes["time_ticks"].tolist(), codes["code"].tolist(), strict=True))
    assert found == critsec.within(CLOCK_PS)


LIMIT_TICKS = 10 * MS_TICKS


@pytest.fixture(scope="module")
def deadlock(tmp_path_factory):
    """Return a run of five philosophers, who stop when each waits for a stick."""
    folder = tmp_path_factory.mktemp("deadlock")
    asked = {"time": "60ms", "rate": "1k", "stop_on": ["stall:code>10ms"], "channels": ["who=ch0"]}
    return told(folder, "codes=port,program=philosophers", **asked)


def test_a_deadlock_is_a_stall_as_long_after_the_last_code_as_was_asked(deadlock):
    result = deadlock.run.result
    assert result.stop_reason == StopReason.STALL
    last = int(result.codes["time_ticks"][-1])
    assert LIMIT_TICKS <= result.trigger_ticks - last <= LIMIT_TICKS + 1


def test_the_last_codes_before_a_deadlock_are_those_that_were_retired(deadlock):
    truth = deadlock.within(CLOCK_PS)
    codes = deadlock.run.result.codes
    found = list(zip(codes["time_ticks"].tolist(), codes["code"].tolist(), strict=True))
    assert found == truth
    assert found[-5:] == truth[-5:]
    blocked = [code & 15 for _, code in found if code >> 4 == BLOCKED][-5:]
    assert sorted(blocked) == [1, 2, 3, 4, 5]
