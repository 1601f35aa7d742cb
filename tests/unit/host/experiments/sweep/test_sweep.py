# SPDX-License-Identifier: Apache-2.0
"""Searches side by side: the same result whatever runs their jobs, kept whatever ends them."""

import itertools
import random
import threading
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

from plexor.base.errors import InvalidRunError, LinkError, UsageError
from plexor.experiments.criterion import DEFAULT, parse_criterion
from plexor.experiments.job import RunCheck
from plexor.experiments.pool import RETRIES, Workers
from plexor.experiments.step import DOWN, REST, UP, RateFigures, RateStep
from plexor.experiments.stepping import stepped
from plexor.experiments.store import FILE, StepStore
from plexor.experiments.sweep.model import Bracket
from plexor.experiments.sweep.scan import RateScan
from plexor.experiments.sweep.sweep import SweepGoal, SweepLoad, SweepSteps, _Search
from plexor.figures.judge.verdict import Outcome
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.memory import ResponseClass

KNEES = {
    ("none", "ISR"): 40_000,
    ("none", "TASK"): 7000,
    ("cpu", "ISR"): 31_000,
    ("cpu", "TASK"): 2500,
}
WANTED = SweepGoal(
    "sim:",
    {"none": SweepLoad("freertos", False), "cpu": SweepLoad("freertos:load=cpu", True)},
    Settings(
        strikes=(Stimulus(period_s=Fraction(1, 1000)),),
        channels=(Channel(0, "ISR"), Channel(1, "TASK")),
    ),
    Fraction(1000),
    Fraction(100_000),
    (DEFAULT,),
    Fraction(1, 100),
    7,
    1,
)


DOWN_KNEES = {entry: rate / 2 for entry, rate in KNEES.items()}


def both_ways(scan):
    """Return the steps of a scan of a device whose knees on the way down are lower."""
    level = {UP: KNEES, DOWN: DOWN_KNEES, REST: KNEES}
    up = [(rate, UP) for rate in scan.rates_hz]
    down = [(rate, DOWN) for rate in reversed(scan.rates_hz[:-1])]
    return tuple(
        RateStep(
            1_000_000,
            True,
            scan.load,
            rate,
            "",
            100,
            tuple(
                RateFigures(
                    channel.label,
                    100,
                    dict.fromkeys(ResponseClass, 0) | {ResponseClass.ANSWERED: 100},
                    verdict=Outcome.PASS
                    if rate <= level[way][scan.load, channel.label]
                    else Outcome.FAIL,
                )
                for channel in scan.settings.channels
            ),
            recovery_s=0.001 if way == REST else None,
            direction=way,
        )
        for rate, way in (*up, *down, (scan.rates_hz[0], REST))
    )


def taken(job):
    """Return the one step of a device with the planted knees, or all of a scan."""
    if isinstance(job, RateScan):
        return both_ways(job)
    assert job.dut == WANTED.loads[job.load].dut or job.rest_hz or job.dut.endswith(".toml")
    assert job.settings.load == WANTED.loads[job.load].level
    channels = tuple(
        RateFigures(
            channel.label,
            100,
            dict.fromkeys(ResponseClass, 0) | {ResponseClass.ANSWERED: 100},
            verdict=Outcome.PASS if job.rate_hz <= KNEES[job.load, channel.label] else Outcome.FAIL,
        )
        for channel in job.settings.channels
    )
    return (RateStep(1_000_000, True, job.load, job.rate_hz, job.for_channel, 100, channels),)


class Planted(Executor):
    """Takes steps in threads, in any order, and dies with all it has before each `dies_at`."""

    def __init__(self, log, dies_at=(), order=None):
        self._log, self._dies_at, self._order = log, dies_at, order
        self._dead = False
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(4)

    def submit(self, work, job):
        if isinstance(job, RunCheck):
            # Every rate is possible.
            future = Future()
            future.set_result(None)
            return future
        with self._lock:
            self._log.append(job)
            self._dead = self._dead or len(self._log) in self._dies_at
        return self._pool.submit(self._take, job)

    def _take(self, job):
        if self._order is not None:
            threading.Event().wait(self._order.random() / 100)
        if self._dead:
            raise BrokenExecutor("a process ended")
        return taken(job)

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)


def run(executor, store=None, on_step=None, wanted=WANTED):
    def told(job, step, taken, expected):
        if on_step is not None:
            on_step(step, taken, expected)

    with closing(StepStore(None) if store is None else store) as kept, Workers(executor) as workers:
        return stepped(SweepSteps(wanted), workers, kept, told)


@pytest.fixture(scope="module")
def reference():
    return run(lambda: Planted([]))


def test_each_channel_under_each_load_has_its_own_knee(reference):
    assert reference.error is None
    assert len(reference.result.knees) == len(KNEES)
    for knee in reference.result.knees:
        bracket = knee.bracket
        assert bracket.passing_hz <= KNEES[knee.load, knee.channel] < bracket.failing_hz
        assert bracket.width <= 0.01
        own = [
            s
            for s in reference.result.steps
            if s.load == knee.load and s.for_channel in ("", knee.channel)
        ]
        assert knee.strikes == sum(step.strikes for step in own)


def test_every_load_is_checked_before_anything_is_struck(monkeypatch):
    """A load that is no device's own is told at its check, as by a simulator that refuses it."""
    asked = []

    def submit(self, work, job):
        asked.append((type(job).__name__, job.dut, job.settings.load_name))
        future = Future()
        if job.settings.load_name == "critcal":
            future.set_exception(UsageError("load=critcal: must be one of none, cpu"))
        else:
            future.set_result(None)
        return future

    monkeypatch.setattr(Planted, "submit", submit)
    loads = {**WANTED.loads, "critcal": SweepLoad("freertos:load=critcal", True)}
    found = run(lambda: Planted([]), wanted=replace(WANTED, loads=loads))
    assert "critcal" in str(found.error)
    assert asked == [("RunCheck", load.dut, name) for name, load in loads.items()]
    assert found.result is None


@pytest.mark.parametrize("known", [True, False])
def test_a_search_goes_on_below_the_instruments_end(monkeypatch, known):
    """The instrument ends at 35 kHz: above it nothing is known of a device."""
    end = Fraction(35_000)

    def ended(self, job):
        (step,) = taken(job)
        if step.rate_hz <= end:
            return (step,)
        beyond = tuple(
            replace(entry, verdict=Outcome.NOT_COMPARABLE, reason="the instrument ends")
            for entry in step.channels
        )
        return (replace(step, channels=beyond, ends_hz=end if known else None),)

    monkeypatch.setattr(Planted, "_take", ended)
    found = run(lambda: Planted([]))
    assert found.error is None
    for knee in found.result.knees:
        bracket, planted = knee.bracket, KNEES[knee.load, knee.channel]
        if planted < end:
            assert bracket.passing_hz <= planted < bracket.failing_hz
            assert bracket.width <= 0.01
            assert bracket.instrument_hz is None
        else:
            assert bracket.failing_hz is None
            assert bracket.passing_hz == end if known else bracket.passing_hz > end / Fraction(1.01)
            assert bracket.instrument_hz <= end * Fraction(1.01)
            assert bracket.passing_hz <= end <= bracket.instrument_hz


def test_an_instrument_that_ends_below_the_lowest_rate_is_told(monkeypatch):
    def ended(self, job):
        (step,) = taken(job)
        beyond = tuple(
            replace(entry, verdict=Outcome.NOT_COMPARABLE, reason="the instrument ends at 900 Hz")
            for entry in step.channels
        )
        return (replace(step, channels=beyond),)

    monkeypatch.setattr(Planted, "_take", ended)
    found = run(lambda: Planted([]))
    # The loads are taken side by side; the first to end is told.
    assert str(found.error) in {
        f"{load}: the instrument ends at 900 Hz; begin below 1 kHz" for load in WANTED.loads
    }


def test_the_order_in_which_jobs_end_changes_nothing(reference):
    for seed in range(3):
        order = random.Random(seed)
        assert run(lambda order=order: Planted([], order=order)) == reference


def test_what_a_dead_worker_had_is_taken_again(reference):
    log = []
    assert run(lambda: Planted(log, dies_at=(3, 25))) == reference
    assert len(log) > len(reference.result.steps)


def test_workers_that_go_on_dying_end_the_sweep_with_what_there_is():
    log = []
    found = run(lambda: Planted(log, dies_at=range(20, 10_000)))
    assert isinstance(found.error, LinkError)
    assert f"{RETRIES + 1} workers died" in str(found.error)
    assert len(found.result.knees) == len(KNEES)


def test_a_job_that_fails_ends_the_sweep_with_what_there_is(monkeypatch):
    count = itertools.count()

    def failing(self, job):
        if next(count) == 20:
            raise InvalidRunError("the books do not balance")
        return taken(job)

    monkeypatch.setattr(Planted, "_take", failing)
    found = run(lambda: Planted([]))
    assert str(found.error) == "the books do not balance"
    assert len(found.result.steps) >= 14


def test_an_interrupt_ends_the_sweep_with_what_there_is(tmp_path):
    def interrupt(step, done, left):
        if done == 16:
            raise KeyboardInterrupt

    log, store = [], StepStore(tmp_path)
    found = run(lambda: Planted(log), store, interrupt)
    assert found.interrupted
    # What was under way is kept, and nothing is begun.
    assert 16 <= len(found.result.steps) == len(store) <= len(log)
    assert any(knee.bracket.passing_hz for knee in found.result.knees)


def test_a_sweep_goes_on_where_it_was_left(reference, tmp_path):
    def interrupt(step, done, left):
        if done == 20:
            raise KeyboardInterrupt

    first, second, third = [], [], []
    with StepStore(tmp_path / "s") as store:
        run(lambda: Planted(first), store, interrupt)
    with (tmp_path / "s" / FILE).open("a") as file:
        file.write('{"job": "half wri')
    with StepStore(tmp_path / "s") as store:
        kept = len(store)
        assert kept >= 20
        assert run(lambda: Planted(second), store) == reference
    assert len(second) == len(reference.result.steps) - kept
    with StepStore(tmp_path / "s") as store:
        assert run(lambda: Planted(third), store) == reference
    assert third == []


def test_another_question_is_not_answered_from_what_is_kept(tmp_path):
    store, log = tmp_path / "s", []
    run(lambda: Planted([]), StepStore(store))
    other = replace(WANTED, least_strikes=1000)
    run(lambda: Planted(log), StepStore(store), wanted=other)
    assert len(log) == len(StepStore(store)) // 2


def test_steps_of_a_design_that_was_changed_since_are_not_taken_for_its_own(tmp_path):
    source, manifest = tmp_path / "irq.v", tmp_path / "irq.toml"
    manifest.write_text('sources = ["irq.v"]\ntop = "irq"\n')
    loads = {"none": SweepLoad(str(manifest), False), "cpu": SweepLoad(str(manifest), True)}
    wanted = replace(WANTED, loads=loads)
    sizes = []
    for text in ("module irq; endmodule", "module irq; wire a; endmodule", "module irq; endmodule"):
        source.write_text(text)
        log = []
        run(lambda log=log: Planted(log), StepStore(tmp_path / "s"), wanted=wanted)
        sizes.append(len(log))
    assert sizes[0] == sizes[1] > 0 == sizes[2]


def test_a_file_that_is_no_store_is_refused_in_one_line(tmp_path):
    (tmp_path / FILE).write_text("nothing\n{}\n")
    with pytest.raises(UsageError, match="line 1: not a valid step") as caught:
        StepStore(tmp_path)
    assert "\n" not in str(caught.value)


def test_how_many_steps_there_will_be_is_told_from_the_first_on(reference):
    told = []
    run(lambda: Planted([]), on_step=lambda step, done, of: told.append((done, of)))
    assert [done for done, _ in told] == list(range(1, len(reference.result.steps) + 1))
    assert told[-1][1] == len(reference.result.steps)
    assert 0.8 < told[0][1] / len(reference.result.steps) < 1.25


def test_a_real_device_is_struck_load_by_load_and_looked_at_before_each_step():
    log, switches = [], []

    @contextmanager
    def switch(load):
        switches.append((load, "on", len(log)))
        yield
        switches.append((load, "off", len(log)))

    loads = {name: replace(load, dut=None) for name, load in WANTED.loads.items()}
    real = replace(WANTED, link="tcp://there:1", loads=loads)
    with Workers(lambda: Planted(log)) as workers:
        found = stepped(SweepSteps(real, switch), workers, StepStore(None))
    assert found.error is None
    assert [entry[:2] for entry in switches] == [
        (load, way) for load in WANTED.loads for way in ("on", "off")
    ]
    first, last = (len([job for job in log if job.load == load]) for load in WANTED.loads)
    assert [entry[2] for entry in switches] == [0, first, first, first + last]
    assert {job.rest_hz for job in log} == {WANTED.low_hz}


def test_a_device_that_answers_nothing_ends_the_sweep_in_one_line(monkeypatch):
    def silent(self, job):
        (step,) = taken(job)
        classes = dict.fromkeys(ResponseClass, 0) | {ResponseClass.MISSED: 100}
        deaf = replace(step.channels[1], classes=classes, verdict=Outcome.FAIL)
        return (replace(step, channels=(step.channels[0], deaf)),)

    monkeypatch.setattr(Planted, "_take", silent)
    found = run(lambda: Planted([]))
    assert isinstance(found.error, InvalidRunError)
    assert "TASK: no response to any of 100 strikes at 1 kHz" in str(found.error)
    assert "ISR" not in str(found.error)
    assert found.result.steps


def test_a_criterion_that_takes_too_long_is_refused_before_anything_is_struck():
    log = []
    # 437 strikes at 95 % (-ln 0.0125 / -ln 0.99), at 1 kHz.
    wanted = replace(WANTED, criteria=(parse_criterion("missed<1%"),), most_s=Fraction(436, 1000))
    found = run(lambda: Planted(log), wanted=wanted)
    assert isinstance(found.error, UsageError)
    assert "needs 437 strikes, which take 0.437 s at 1 kHz; must be at most 0.436 s" in str(
        found.error
    )
    assert log == []
    wanted = replace(wanted, most_s=Fraction(437, 1000))
    assert run(lambda: Planted(log), wanted=wanted).error is None


def test_scans_both_ways_come_after_the_search_and_show_hysteresis(reference):
    log = []
    found = run(lambda: Planted(log), wanted=replace(WANTED, both_ways=True))
    scans = [job for job in log if isinstance(job, RateScan)]
    assert sorted(scan.load for scan in scans) == ["cpu", "none"]
    for scan in scans:
        knees = [knee for knee in reference.result.knees if knee.load == scan.load]
        # Four periods of the lowest rate at which a channel passed.
        assert scan.settings.timeout_s == 4 / min(knee.bracket.passing_hz for knee in knees)
        assert (scan.rates_hz[0], scan.rates_hz[-1]) == (WANTED.low_hz, WANTED.high_hz)
    assert [knee.bracket for knee in found.result.knees] == [
        knee.bracket for knee in reference.result.knees
    ]
    for knee in found.result.knees:
        place = knee.load, knee.channel
        assert knee.up.passing_hz <= KNEES[place] < knee.up.failing_hz
        assert knee.down.passing_hz <= DOWN_KNEES[place] < knee.down.failing_hz
        same = knee.down.failing_hz > knee.up.passing_hz
        assert knee.hysteresis == (not same)
        assert knee.agrees in (same, False)
    assert any(knee.hysteresis for knee in found.result.knees)
    rests = [step for step in found.result.steps if step.direction == REST]
    assert [(step.load, step.rate_hz) for step in rests] == [("cpu", 1000), ("none", 1000)]


def test_without_scans_nothing_is_said_of_agreement(reference):
    assert {(knee.agrees, knee.hysteresis) for knee in reference.result.knees} == {(None, False)}


@pytest.mark.parametrize(
    ("verdict", "bracket"),
    [
        (Outcome.PASS, (1500, 2000, None)),
        (Outcome.FAIL, (1000, 1500, None)),
        (Outcome.NOT_COMPARABLE, (1000, 2000, 1500)),
        (Outcome.TOO_FEW, (1000, 2000, None)),
    ],
)
def test_each_step_narrows_the_bracket_that_is_left_where_a_search_ends_early(verdict, bracket):
    search = _Search("none", "ISR")
    search.bracket = Bracket(Fraction(1000), Fraction(2000))
    figures = {"ISR": SimpleNamespace(verdict=verdict)}
    step = SimpleNamespace(strikes=640, rate_hz=Fraction(1500), of=figures.__getitem__)
    assert search._tried(step) == verdict
    found = search.bracket
    assert (found.passing_hz, found.failing_hz, found.instrument_hz) == bracket
    assert search.strikes == 640


@pytest.mark.parametrize(
    ("points", "width", "steps"),
    # A ratio of 16 is 4 steps of 2, or 2 of 4; ln 2 / ln 1.01 is 69.7, and below 2**7.
    [(5, "1/100", 7), (3, "1/100", 8), (5, "1/1000", 10), (5, "1", 0), (17, "1/100", 5)],
)
def test_the_steps_that_are_left_halve_the_ratio_of_two_rates_to_the_width(points, width, steps):
    goal = SimpleNamespace(
        low_hz=Fraction(10_000), high_hz=Fraction(160_000), points=points, width=Fraction(width)
    )
    search = _Search("none", "ISR")
    assert search.left(goal) == steps
    search.begun = True
    assert search.left(goal) == 0
    search.bracket = Bracket(Fraction(20_000), Fraction(40_000))
    assert search.left(SimpleNamespace(width=Fraction(1, 100), **BEYOND)) == 7


BEYOND = {"low_hz": Fraction(1), "high_hz": Fraction(2), "points": 2}
"""What a first scan has, which is over."""
