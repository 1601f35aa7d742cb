# SPDX-License-Identifier: Apache-2.0
"""What a caller asks of a schedule: read exactly, or refused with what would be right."""

from fractions import Fraction

import pytest

from plexor import cli
from plexor.base.errors import UsageError
from plexor_lab.mixed.goal import _spacing, timecode_of, wanted_of
from plexor_lab.mixed.model import Mode, Order
from plexor_lab.mixed.spec import MixedSpec, check, check_line
from plexor_lab.mixed.timecode import SEED8751


def test_without_options_all_three_modes_run_at_the_presets_rate():
    wanted = wanted_of(MixedSpec())
    assert wanted.runs == (
        *((Mode.VERIFY, None), (Mode.NORMAL, None)),
        *((Mode.MIXED, 0), (Mode.MIXED, 1), (Mode.MIXED, 2)),
    )
    assert wanted.timecode == SEED8751
    assert (wanted.limit_s, wanted.spike_sds) == (Fraction(1, 1000), 3)
    assert (wanted.schedule.count, wanted.schedule.spacing_steps) == (100, 1)
    assert wanted.schedule.first_step == 4


def test_options_are_read_exactly():
    given = {
        "mode": "mixed",
        "distance": [5, 1],
        "rate": "3",
        "ids": "random",
        "seed": 7,
        "id_count": 5,
        "count": "2k",
        "limit": "40us",
        "period": "71111ns",
        "timecode_bits": 6,
        "gray": True,
        "spikes": "2.5",
    }
    wanted = wanted_of(MixedSpec.of(given))
    assert wanted.runs == ((Mode.MIXED, 1), (Mode.MIXED, 5))
    made = wanted.schedule
    assert (made.count, made.spacing_steps, made.ids, made.seed) == (2000, 3, 5, 7)
    assert made.order is Order.RANDOM
    # The first issue step is 2, so that the device is told to set out before.
    assert made.first_step == 7
    timecode = wanted.timecode
    assert (timecode.bits, timecode.gray) == (6, True)
    assert timecode.period_s == Fraction(71_111, 10**9)
    assert (wanted.limit_s, wanted.spike_sds) == (Fraction(40, 10**6), Fraction(5, 2))


@pytest.mark.parametrize(("text", "steps"), [("1", 1), ("71.2ms", 1), ("142ms", 2), ("1us", 1)])
def test_a_rate_is_a_number_of_steps_or_a_time_that_is_rounded_to_steps(text, steps):
    asked = MixedSpec(rate=text)
    assert wanted_of(asked).schedule.spacing_steps == steps


@pytest.mark.parametrize(
    ("option", "text", "says"),
    [
        ("rate", "0", "rate: '0'"),
        ("rate", "0s", "rate: '0s'; must be a number of steps"),
        ("rate", "fast", "rate: 'fast'"),
        ("distance", "1,x", "distance: '1,x'; must be steps"),
        ("distance", "", "distance: ''"),
        ("distance", "128", "0 to 127"),
        ("distance", "-1", "0 to 127"),
        ("spikes", "-1", "spikes: '-1'"),
        ("spikes", "x", "'x'"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_would_be_right(option, text, says):
    with pytest.raises(UsageError, match=f"^{option}: .*{says}|^{says}"):
        MixedSpec.of({option: text})


def test_distances_are_each_once_and_in_order():
    assert MixedSpec(distance="2, 0,2").distance == MixedSpec(distance=[2, 0]).distance == (0, 2)


SERIAL = "serial:/dev/ttyUSB1"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"timecode": "seed8751", "period": Fraction(1)}, "timecode seed8751 sets period too"),
        ({"timecode": "seed8751", "timecode_bits": 8}, "sets timecode_bits too"),
        ({"period": Fraction(0)}, "period: must be above 0"),
        ({"limit": Fraction(-1)}, "limit: must be 0 or more"),
        ({"early": Fraction(-1)}, "early: must be 0 or more"),
        ({"timeout": Fraction(1, 2000)}, "timeout: must be limit or more"),
    ],
)
def test_options_that_cannot_be_combined_are_refused(options, says):
    with pytest.raises(UsageError, match=says):
        check(MixedSpec(**options))


@pytest.mark.parametrize(
    ("line", "link", "says"),
    [
        (SERIAL, "sim:", "device_serial is for a board"),
        (None, SERIAL, "device_serial: is missing"),
        (None, "file:x", "file:"),
    ],
)
def test_a_device_that_cannot_be_reached_is_refused(line, link, says):
    with pytest.raises(UsageError, match=says):
        check_line(MixedSpec(device_serial=line), link)


def test_on_a_board_only_mode_normal_needs_no_line_to_the_device():
    check_line(MixedSpec(mode="normal"), SERIAL)
    check_line(MixedSpec(device_serial="serial:/dev/ttyUSB2?baud=9600"), SERIAL)


def test_the_preset_is_the_default():
    assert timecode_of(MixedSpec(timecode="seed8751")) == timecode_of(MixedSpec())


@pytest.mark.parametrize(
    ("rate", "steps"), [(3, 3), (Fraction(1, 10), 1), (Fraction(1), 14), (Fraction(1, 1000), 1)]
)
def test_a_rate_is_a_number_of_steps_or_a_time_in_whole_ones(rate, steps):
    # A step of SEED8751 takes 16/225 s: a second has 14.06.
    assert _spacing(rate, SEED8751) == steps


def test_the_help_says_what_a_schedule_is_without_options(capsys):
    assert cli.main(["lab", "mixed", "--help", "all"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for default in ("sequential", "8", "100", "1ms", "0,1,2"):
        assert f"[default: {default}]" in said


@pytest.mark.parametrize(
    ("mode", "distances", "first"),
    [("normal", [9], 4), ("mixed", [0], 4), ("mixed", [2], 4), ("mixed", [3], 5), ("all", [7], 9)],
)
def test_the_first_entry_leaves_two_steps_before_its_issue_and_is_at_step_4_or_later(
    mode, distances, first
):
    asked = MixedSpec.of({"mode": mode, "distance": distances})
    assert wanted_of(asked).schedule.first_step == first
