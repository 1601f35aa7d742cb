# SPDX-License-Identifier: Apache-2.0
"""When a step's figures are looked at, how it goes on, and how a device is left to recover."""

import re
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

from plexor.base.errors import InvalidRunError
from plexor.experiments import job
from plexor.experiments.criterion import Criterion, CriterionSubject
from plexor.experiments.decide import STAGES
from plexor.experiments.figures import LEAST_STRIKES
from plexor.experiments.job import (
    RECOVERY_S,
    RECOVERY_STRIKES,
    Job,
    drawn_anew,
    draws_option,
    likely,
    looks_of,
)
from plexor.experiments.step import RateFigures, of_step
from plexor.figures.judge.verdict import Outcome
from plexor.model.identity import Identity
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Stream

from .sweep.drawn import run_of


@pytest.mark.parametrize("first", [256, 368, 1023, 1024, 3688])
def test_each_stage_ends_after_twice_the_strikes_of_the_one_before(first):
    looks = looks_of(first, 1)
    assert looks[-STAGES:] == [(stage, first << stage) for stage in range(STAGES)]
    early = [(0, LEAST_STRIKES)] if first >= 1024 else []
    assert looks[:-STAGES] == early
    assert len(looks_of(first, first)) == STAGES


@pytest.mark.parametrize(
    ("missed", "due"),
    [
        ((0,), 512),
        # With the bounds of 2 % from 256 strikes on 3 of 512, 10 of 1024 and 25 of 2048 pass.
        ((1,), 512),
        ((2,), 1024),
        ((3,), 2048),
        # 80 of 4096 are neither few nor many enough.
        ((5,), 4096),
        # 107 of 4096 fail, 32 of 1024 and 19 of 512.
        ((7,), 4096),
        ((8,), 1024),
        ((10,), 512),
        ((3, 8), 2048),
    ],
)
def test_a_simulated_step_goes_on_to_where_all_verdicts_are_likely(missed, due):
    figures = [
        RateFigures(
            str(place), 256, dict.fromkeys(ResponseClass, 0) | {ResponseClass.MISSED: count}
        )
        for place, count in enumerate(missed)
    ]
    criteria = (Criterion(CriterionSubject.MISSED, Fraction(2, 100)),)
    later = looks_of(256, 1)[1:]
    assert likely(later, figures, criteria, 256, 1) == [(s, n) for s, n in later if n >= due]
    assert likely([], figures, criteria, 256, 1) == []


def resting(monkeypatch, missed, run_s=0.25):
    """Play a device that misses this many of each attempt's strikes; a run takes `run_s`."""
    clock = SimpleNamespace(now_s=1000.0)
    left = iter(missed)

    def run(job, rate_hz, number, count):
        assert (rate_hz, count) == (Fraction(100), RECOVERY_STRIKES)
        clock.now_s += run_s
        classes = {ResponseClass.MISSED: next(left)}
        return SimpleNamespace(channels=[SimpleNamespace(name="isr", classes=classes)]), None

    monkeypatch.setattr(job, "_run", run)
    monkeypatch.setattr(job.time, "monotonic", lambda: clock.now_s)
    return clock


@pytest.mark.parametrize(
    ("missed", "recovery_s"), [([0], 0.0), ([3, 0], 0.25), ([16, 5, 1, 0], 0.75)]
)
def test_a_device_has_recovered_before_the_first_run_that_it_answers_whole(
    monkeypatch, missed, recovery_s
):
    resting(monkeypatch, missed)
    assert job._recover(None, Fraction(100)) == recovery_s


def test_a_recovery_is_told_to_a_millisecond(monkeypatch):
    resting(monkeypatch, [1, 1, 0], run_s=0.12345)
    assert job._recover(None, Fraction(100)) == 0.247


def test_a_device_that_does_not_recover_in_time_ends_the_sweep_and_names_its_channel(monkeypatch):
    clock = resting(monkeypatch, [1] * 1000, run_s=1.0)
    with pytest.raises(InvalidRunError, match=r"isr: did not answer all of .* at 100 Hz within"):
        job._recover(None, Fraction(100))
    assert RECOVERY_S < clock.now_s - 1000.0 <= RECOVERY_S + 1.0


SWEPT = Stimulus(period_s=Fraction(1, 1000), seed=3)
JOB = Job("sim:", "d", "none", Settings((SWEPT,), (Channel(0),)), Fraction(1000), "", ())


def draws(job):
    """Return what strikes and a simulated device draw in a step."""
    (swept,) = job.settings.strikes
    return drawn_anew(swept, job.draws_of).seed, draws_option(swept, job.draws_of)


def bursts(**changed):
    return replace(JOB.settings, strikes=(replace(SWEPT, **changed),))


@pytest.mark.parametrize(
    "changed",
    [
        {"rate_hz": Fraction(1001)},
        {"load": "cpu"},
        {"for_channel": "ISR"},
        {"settings": bursts(seed=4)},
        {"settings": bursts(burst=2, spacing_s=Fraction(1, 10**6))},
        {"settings": bursts(burst=2, spacing_s=Fraction(2, 10**6))},
        {"settings": bursts(burst=3, spacing_s=Fraction(1, 10**6))},
    ],
)
def test_each_step_draws_numbers_of_its_own_and_always_the_same(changed):
    other = draws(replace(JOB, **changed))
    assert other[0] != draws(JOB)[0]
    assert other[1] != draws(JOB)[1]
    assert draws(replace(JOB)) == draws(JOB)
    assert draws(replace(JOB, least_strikes=999, dut="other")) == draws(JOB)
    assert 0 < other[0] < 1 << 63


IDENTITY = Identity(Geometry(), 1)


def struck(channels, stream=Stream.LIVE, **changed):
    pins = tuple(Channel(number) for number in range(channels))
    return replace(bursts(**changed), channels=pins, stream=stream)


@pytest.mark.parametrize(
    ("channels", "stream", "clocks"),
    [(1, Stream.OFF, 19), (2, Stream.OFF, 37), (8, Stream.OFF, 145), (1, Stream.LIVE, 23)],
)
def test_the_instruments_end_is_what_it_sustains_rounded_down(channels, stream, clocks):
    """A clock of this build is 8 ticks of a nanosecond."""
    end = job.ends_hz(IDENTITY, struck(channels, stream))
    exact = Fraction(10**9, 8 * clocks)
    assert IDENTITY.geometry.samples * IDENTITY.geometry.tick_fs == 8 * 10**6
    assert end <= exact < end * Fraction(100_001, 100_000)
    assert len(str(end).rstrip("0")) <= 6


def test_the_end_of_bursts_and_of_other_builds_is_not_known():
    assert job.ends_hz(IDENTITY, struck(1, burst=2, spacing_s=Fraction(1, 10**6))) is None
    geometry = Geometry()
    lesser = replace(geometry, features=geometry.features & ~Feature.FALL)
    assert job.ends_hz(replace(IDENTITY, geometry=lesser), struck(1)) is None


LINKED = replace(IDENTITY, geometry=Geometry(features=Feature.EVENTS | Feature.SIMULATED))


@pytest.mark.parametrize(
    ("identity", "bytes_s", "told"),
    [
        (IDENTITY, None, r"[\d.]+ MHz"),
        # 6 events of a strike and two answers, of 193,423 a second (docs/stalls.md).
        (LINKED, Fraction(800_000), r"32\.24 kHz"),
    ],
    ids=["chip", "link"],
)
def test_a_rate_that_the_instrument_cannot_carry_is_beyond_and_nothing_is_struck(
    identity, bytes_s, told, monkeypatch
):
    opened = SimpleNamespace(identity=identity, carried_bytes_s=bytes_s, __enter__=None)

    class Opened:
        def __init__(self, link):
            pass

        def __enter__(self):
            return opened

        def __exit__(self, *_):
            return None

    monkeypatch.setattr(job, "open_link", lambda *_, **__: None)
    monkeypatch.setattr(job, "Device", Opened)
    monkeypatch.setattr(job, "measure_whole", lambda *_: pytest.fail("it was struck"))
    end = job.ends_hz(identity, struck(2), bytes_s)
    above = replace(
        JOB, settings=struck(2), rate_hz=end + 1, criteria=(Criterion(CriterionSubject.MISSED),)
    )
    (step,) = above.take()
    assert (step.strikes, step.ends_hz, step.simulated) == (0, end, True)
    assert {entry.verdict for entry in step.channels} == {Outcome.NOT_COMPARABLE}
    assert re.fullmatch(rf"the instrument ends at {told} with 2 channels", step.channels[0].reason)
    lost = SimpleNamespace(overrun=True, tick_fs=1000, simulated=True)
    monkeypatch.setattr(job, "measure_whole", lambda *_: lost)
    (step,) = replace(above, rate_hz=end).take()
    assert (step.tick_fs, step.ends_hz) == (1000, None)


def test_a_run_whose_edges_were_lost_is_beyond_and_one_with_another_fault_is_an_error(monkeypatch):
    def lost(dropped, *reasons):
        found = run_of(replace(struck(1), timeout_s=Fraction(1)), 0)
        sources = tuple(replace(s, dropped=dropped) for s in found.accounting.sources)
        accounting = replace(found.accounting, sources=sources)
        return replace(found, accounting=accounting, invalid_reasons=reasons)

    assert lost(9, "strike0: 9 edges were dropped before they could be matched").overrun
    assert not lost(0).overrun
    assert not lost(9, "strike0: 9 edges were dropped", "accounting: 1 generated").overrun
    assert not lost(0, "accounting: 1 generated").overrun
    monkeypatch.setattr(job, "_run", lambda *_: (job.InstrumentLimit(1000, True, "lost"), None))
    (step,) = replace(JOB, criteria=(Criterion(CriterionSubject.MISSED),)).take()
    assert [(f.verdict, f.reason) for f in step.channels] == [(Outcome.NOT_COMPARABLE, "lost")]
    assert step.ends_hz is None
    assert [*of_step(step)] == []


def test_a_step_goes_on_until_each_channel_is_decided(monkeypatch):
    """One channel loses nothing, the other 1.75 % against a limit of 2 %: that takes longer."""

    def run(asked, rate_hz, number, count):
        swept = replace(SWEPT, count=count)
        clear = run_of(replace(asked.settings, strikes=(swept,), timeout_s=Fraction(1)), 0)
        lossy = run_of(clear.settings, round(count * 0.0175)).channels[0]
        return replace(clear, channels=(*clear.channels, replace(lossy, number=1, name="b"))), None

    monkeypatch.setattr(job, "_run", run)
    limit = Criterion(CriterionSubject.MISSED, Fraction(2, 100))
    both = replace(JOB, link="tcp:there", criteria=(limit,))
    (step,) = both.take()
    (alone,) = replace(both, for_channel="ch0").take()
    assert step.strikes > 2 * alone.strikes
    assert [entry.verdict for entry in alone.channels] == [Outcome.PASS, Outcome.TOO_FEW]
