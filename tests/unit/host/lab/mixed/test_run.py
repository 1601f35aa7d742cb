# SPDX-License-Identifier: Apache-2.0
"""What is refused before a run, and what a run is set to."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

from plexor.base.errors import InstrumentError, LinkError, UsageError
from plexor.model.identity import Identity
from plexor.protocol.geometry import ALL_FEATURES, PROTOCOL_VERSION, Feature, Geometry
from plexor.protocol.registers import StopOn, Trigger
from plexor.run.plan.registers import plan_of
from plexor.run.session.stop import Stop
from plexor_lab.mixed import run
from plexor_lab.mixed.message import Reply
from plexor_lab.mixed.model import Heard, Mode, Order, Served
from plexor_lab.mixed.run import MixedGoal, check, lasts_s, limits_of, settings_of
from plexor_lab.mixed.schedule import entries
from plexor_lab.mixed.timecode import SEED8751, Timecode

from .lists import TICK_FS, schedule

BOARD = Geometry(strikes=2, code_bits=8, timecode_bits=8, features=ALL_FEATURES | Feature.CODES)
WANTED = MixedGoal(
    runs=((Mode.VERIFY, None), (Mode.MIXED, 1)),
    timecode=SEED8751,
    schedule=schedule(),
    limit_s=Fraction(1, 1000),
)
LINE = object()


def test_a_board_with_schedule_codes_and_timecode_takes_all_modes():
    check(BOARD, WANTED, LINE)


LACKS = {
    Feature.SCHEDULE: {"timecode_bits": 0},
    Feature.EVENTS: {"code_bits": 0},
    Feature.CODES: {"code_bits": 0},
}
"""Features, and what a board without each cannot have."""


@pytest.mark.parametrize("lacks", LACKS)
def test_a_board_that_lacks_a_feature_is_refused_in_one_line_that_says_what_to_do(lacks):
    gone = lacks | (Feature.CODES if lacks is Feature.EVENTS else Feature(0))
    without = replace(BOARD, features=BOARD.features & ~gone, **LACKS[lacks])
    with pytest.raises(UsageError) as error:
        check(without, WANTED, LINE)
    assert f"was built without {lacks.name}" in str(error.value)
    assert "; use " in str(error.value) or "measure with" in str(error.value)
    assert "\n" not in str(error.value)


def test_without_a_code_port_the_host_can_still_answer_by_itself():
    without = replace(BOARD, code_bits=0, timecode_bits=0, features=BOARD.features & ~Feature.CODES)
    check(without, replace(WANTED, runs=((Mode.NORMAL, None),)), None)


@pytest.mark.parametrize(
    ("changes", "line", "says"),
    [
        ({"timecode": Timecode(9, Fraction(1, 10))}, LINE, "9 bits; this instrument has 8"),
        ({}, None, "mode mixed, verify: needs the serial line"),
        ({"schedule": schedule(spacing_steps=256)}, LINE, "rate: 256 steps; a device"),
    ],
)
def test_what_a_run_cannot_have_is_refused(changes, line, says):
    with pytest.raises(UsageError, match=says):
        check(BOARD, replace(WANTED, **changes), line)


def test_the_time_out_is_below_the_time_until_the_id_comes_again_and_the_limit_at_least():
    period = SEED8751.period_s * 10**15 / TICK_FS
    found = limits_of(WANTED, TICK_FS)
    assert found.limit_ticks == 2_000_000
    assert found.timeout_ticks == 4 * period
    drawn = replace(WANTED, schedule=schedule(order=Order.RANDOM))
    assert limits_of(drawn, TICK_FS).timeout_ticks == period
    single = replace(WANTED, schedule=schedule(ids=1))
    assert limits_of(single, TICK_FS).timeout_ticks == period
    assert found.early_ticks == period / 2
    slow = replace(WANTED, limit_s=Fraction(1), early_s=Fraction(0))
    assert limits_of(slow, TICK_FS).timeout_ticks == 2 * 10**9
    assert limits_of(slow, TICK_FS).early_ticks == 0
    with pytest.raises(UsageError, match="limit"):
        limits_of(replace(WANTED, timeout_s=Fraction(1, 2000)), TICK_FS)


def test_how_long_all_runs_last_is_told():
    # Each has three steps before the first of eight entries, and two behind the last.
    assert lasts_s(WANTED) == 2 * (4 + 8 + 1) * Fraction(16, 225)


def test_the_registers_are_the_divider_of_48_32_bits_and_strikes_at_due_times():
    identity = Identity(BOARD, 1, PROTOCOL_VERSION, 1)
    made = entries(schedule(), 1)
    limits = limits_of(WANTED, BOARD.tick_fs)
    plan = plan_of(settings_of(identity, SEED8751, Mode.MIXED, made, limits), identity)
    interval = Fraction(16, 225) * 10**15 / BOARD.tick_fs
    scaled = plan.value("stimulus", "interval_ticks") << 32
    scaled += plan.value("stimulus", "interval_fraction")
    assert scaled == round(interval * 2**32)
    assert plan.value("stimulus", "phase_ticks") == interval // 1
    assert plan.value("stimulus", "trigger", 1) == Trigger.DUE
    assert plan.value("stimulus", "strike_count", 1) == 1
    assert plan.value("control", "stop_on") == StopOn.TIME
    # The last entry is due at step 11. There are two steps, and the time-out, behind it.
    assert abs(plan.value("control", "run_time_ticks") - 17 * interval) < 2
    assert plan.value("code", "mask") == 0xFF
    # 10 µs, which is less than a quarter of a step.
    assert plan.value("stimulus", "width_ticks") == 10**10 // BOARD.tick_fs
    normal = plan_of(settings_of(identity, SEED8751, Mode.NORMAL, made, limits), identity)
    assert normal.value("code", "mask") == 0


DEVICE = SimpleNamespace(identity=Identity(BOARD, 1, PROTOCOL_VERSION, 1))
THREE = replace(WANTED, runs=((Mode.VERIFY, None), (Mode.MIXED, 1), (Mode.MIXED, 2)))


@pytest.fixture
def taken(monkeypatch):
    """Return a function that takes THREE with these ends: an error, or whether it was ended."""

    def take(*ends, stop=None):
        left, log = list(ends), []

        def one(device, wanted, which, executor, told, stop, description):
            end = left.pop(0)
            if isinstance(end, Exception):
                raise end
            found = SimpleNamespace(interrupted=end, started=f"run {len(log)}", invalid_reasons=())
            return found, found

        monkeypatch.setattr(run, "_one", one)
        told = run.Callbacks(on_run=lambda *each: log.append(each))
        return run.run(DEVICE, THREE, LINE, told, stop=stop).result, log

    return take


def test_each_run_is_told_before_it_begins_and_the_first_one_says_when_all_began(taken):
    found, log = taken(False, False, False)
    assert log == [(1, 3, "verify"), (2, 3, "mixed-1"), (3, 3, "mixed-2")]
    assert len(found.runs) == 3
    assert (found.interrupted, found.not_started, found.started) == (False, "", "run 1")


def test_runs_before_one_that_was_ended_or_did_not_start_are_kept(taken):
    found, log = taken(False, True)
    assert (len(found.runs), len(log), found.interrupted) == (2, 2, True)
    found, _ = taken(False, False, LinkError("no reply"))
    assert len(found.runs) == 2
    assert found.interrupted
    assert found.invalid_reasons == ("mixed-2: not started: no reply",)


def test_without_a_first_run_there_is_nothing(taken):
    with pytest.raises(InstrumentError, match="it does not start"):
        taken(InstrumentError("it does not start"))


def test_a_run_that_a_stop_kept_from_starting_is_no_fault(taken):
    stop = Stop()
    stop.ask()
    found, log = taken(False, stop=stop)
    assert (len(found.runs), len(log)) == (1, 1)
    assert found.interrupted
    assert found.not_started == ""


@pytest.mark.parametrize(
    ("reply", "heard"), [(Reply(1, 300, 8, 1, 2, 3), Heard(8, 1, 2, 3)), (None, None)]
)
def test_what_a_device_says_that_it_heard_is_kept_where_it_says_so(reply, heard, monkeypatch):
    measured = SimpleNamespace(invalid_reasons=("odd",), interrupted=False)
    monkeypatch.setattr(run, "Drive", lambda *_: SimpleNamespace(reply=reply))
    monkeypatch.setattr(run, "measure", lambda *_, **__: measured)
    monkeypatch.setattr(run, "_served", lambda *_: Served(8, 8, 0, 0, 0))
    monkeypatch.setattr(run, "joined", lambda *_: SimpleNamespace(rows=(), extras=()))
    monkeypatch.setattr(run, "contradictions", lambda *_: ["step 2 came late"])
    made, result = run._one(
        DEVICE, WANTED, (Mode.VERIFY, None), LINE, run.Callbacks(), Stop(), {"os": "x"}
    )
    assert result is measured
    assert made.heard == heard
    assert made.invalid_reasons == ("odd", "step 2 came late")


@pytest.mark.parametrize(("spacing", "first", "steps"), [(1, 4, 13), (2, 4, 21), (3, 7, 32)])
def test_a_run_lasts_from_its_start_to_a_step_behind_its_last_entry(spacing, first, steps):
    wanted = replace(WANTED, schedule=schedule(spacing_steps=spacing, first_step=first))
    assert lasts_s(wanted) == 2 * steps * SEED8751.period_s


@pytest.mark.parametrize(
    ("period_us", "width_us"), [(8, 2), (39, Fraction(39, 4)), (40, 10), (41, 10), (10**6, 10)]
)
def test_strikes_are_a_quarter_of_a_step_wide_and_ten_microseconds_at_most(period_us, width_us):
    us = Fraction(1, 10**6)
    timecode = Timecode(8, period_us * us)
    limits = limits_of(replace(WANTED, timecode=timecode), BOARD.tick_fs)
    identity = Identity(BOARD, 1, PROTOCOL_VERSION, 1)
    found = settings_of(identity, timecode, Mode.MIXED, entries(schedule(), 1), limits)
    assert [strike.width_s for strike in found.strikes] == [width_us * us] * 2


def test_a_device_that_schedules_by_itself_takes_255_steps_between_entries():
    check(BOARD, replace(WANTED, schedule=schedule(spacing_steps=255)), LINE)
    long = replace(WANTED, schedule=schedule(spacing_steps=256))
    check(BOARD, replace(long, runs=((Mode.MIXED, 1),)), LINE)
