"""Programs of FreeRTOS whose codes have a known meaning, through the whole instrument."""

import itertools

import pytest

from .kernel_codes import received, told

MS_TICKS = 2_000_000
ENTER, EXIT, INHERIT = 8, 9, 5
LOW, HIGH = 1, 2
LOW_INSIDE, HIGH_INSIDE = 0, 1
MARK_TICKS = (40 + 9 * 197) * 20 * 2
"""At most 40 cycles of 20 ns between a pin and the code beside it, which may wait for 9 others."""


@pytest.fixture(scope="module")
def critsec(tmp_path_factory):
    folder = tmp_path_factory.mktemp("critsec")
    channels = ["low=ch0", "high=ch1"]
    return told(
        folder, "codes=two-wire,program=critsec", time="40ms", rate="600", channels=channels
    )


def stays(run, channel):
    """Return rise and fall of each pulse of a channel that is whole in the run."""
    events = run.events
    own = events[events["source"] == channel]
    own = own[int(len(own) > 0 and own["polarity"][0] == 0) :]
    times = own["time_ticks"].astype(int).tolist()
    return list(zip(times[::2], times[1::2], strict=False))


def times_of(run, kind, number):
    return [time for time, code in received(run) if code == kind << 6 | number]


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
        assert min(abs(rise - time) for time in entered) <= MARK_TICKS
        assert min(abs(fall - time) for time in left) <= MARK_TICKS


def test_the_timeline_shows_who_inherits(critsec):
    document = critsec.run.timeline().document()
    inherits = {lane["name"]: lane["inherits"] for lane in document["lanes"]}
    assert inherits["low"] == len(times_of(critsec.run, INHERIT, LOW)) > 2
    assert inherits["high"] == 0


def test_all_codes_are_those_that_were_retired(critsec):
    truth = critsec.sent
    assert received(critsec.run)[: len(truth) - 1] == truth[:-1]
