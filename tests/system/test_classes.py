# SPDX-License-Identifier: Apache-2.0
"""Classes: every strike and every response is in the one class that what was planted says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench import Outcome, assert_equals_truth, class_counts, run

from plexor.model.results import Kind
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.registers import Policy
from plexor_hdl.build import boards

NS = Fraction(1, 1_000_000_000)
PERIOD_NS = 2000
TICK_PS = boards.simulated().tick_fs // 1000
FULL_STRIKES = 48_000
"""Of 21 cases: over 10**6 strikes."""

Expect = Callable[[Outcome, int], dict[str, int]]


@dataclass(frozen=True)
class Case:
    """A device, how it is measured, and the classes of channel 0 by arithmetic."""

    device: str
    expect: Expect | None = None
    least: tuple[str, ...] = ()
    """Classes that must occur where `expect` is absent."""
    early_strike: bool = False
    """Strike 1 comes half a microsecond before strike 0."""
    channel: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    values: tuple[int, ...] = ()
    """The only rise latencies there are, in ticks."""


def in_ticks(time_ns: int) -> int:
    return time_ns * 1000 // TICK_PS


def rises(outcome: Outcome) -> int:
    """Return how often channel 0 rose during the run."""
    ticks = -(-outcome.edges_ps(0) // TICK_PS)
    result = outcome.result
    return int(np.count_nonzero((ticks >= result.start_ticks) & (ticks < result.end_ticks)))


def all_answered(outcome: Outcome, strikes: int) -> dict[str, int]:
    assert rises(outcome) == strikes
    return {"ANSWERED": strikes, "STRIKES": strikes}


def some_dropped(outcome: Outcome, strikes: int) -> dict[str, int]:
    answered = rises(outcome)
    assert strikes * 0.7 < answered < strikes * 0.9
    return {"ANSWERED": answered, "MISSED": strikes - answered, "STRIKES": strikes}


def some_twice(outcome: Outcome, strikes: int) -> dict[str, int]:
    more = rises(outcome) - strikes
    assert strikes * 0.2 < more < strikes * 0.4
    return {"ANSWERED": strikes, "DUPLICATE": more, "STRIKES": strikes}


def split(one: str, other: str, first: int, of: int) -> Expect:
    """Return an expectation: of each `of` strikes the first are one class, the rest another."""

    def expect(outcome: Outcome, strikes: int) -> dict[str, int]:
        assert rises(outcome) == strikes
        many = sum(n % of < first for n in range(strikes))
        return {one: many, other: strikes - many, "STRIKES": strikes}

    return expect


def out_of_time(outcome: Outcome, strikes: int) -> dict[str, int]:
    """Every other response comes a tick after the timeout, long after the last match."""
    assert rises(outcome) == strikes
    missed = strikes // 2
    return {
        "ANSWERED": strikes - missed,
        "MISSED": missed,
        "SPURIOUS": missed,
        "STRIKES": strikes,
    }


def three_behind(outcome: Outcome, strikes: int) -> dict[str, int]:
    """Latencies of 3.5 periods: three strikes are replaced, three responses are left over."""
    assert rises(outcome) == strikes
    return {"ANSWERED": strikes - 3, "MISSED": 3, "DUPLICATE": 3, "STRIKES": strikes}


def too_early(outcome: Outcome, strikes: int) -> dict[str, int]:
    assert rises(outcome) == strikes
    return {"MISSED": strikes, "SPURIOUS": strikes, "STRIKES": strikes}


def early(outcome: Outcome, strikes: int) -> dict[str, int]:
    assert rises(outcome) == strikes
    return {"ANSWERED": strikes, "EARLY": strikes, "STRIKES": strikes}


def signed(outcome: Outcome, strikes: int) -> dict[str, int]:
    """Response n belongs to strike n, before or after it."""
    ticks = -(-outcome.edges_ps(0) // TICK_PS) - outcome.edges_ps(SOURCE_STRIKE) // TICK_PS
    rise = outcome.result.channels[0].measurement(Kind.RISE).statistics
    assert (rise.min_ticks, rise.max_ticks) == (ticks.min(), ticks.max())
    assert (rise.sum_ticks, rise.sum_sq_ticks2) == (ticks.sum(), (ticks * ticks).sum())
    before = int(np.count_nonzero(ticks < 0))
    # In the tick of its strike the response comes second: no early one.
    assert 0 < before < strikes
    return {"ANSWERED": strikes, "EARLY": before, "STRIKES": strikes}


def ignored(outcome: Outcome, strikes: int) -> dict[str, int]:
    """Under WINDOW the first of two responses comes too soon: it answers nothing."""
    assert rises(outcome) == 2 * strikes
    # Before the first match nothing can be a duplicate.
    return {
        "ANSWERED": strikes,
        "SPURIOUS": 1,
        "DUPLICATE": strikes - 1,
        "STRIKES": strikes,
    }


SEVERAL = "latency=7us"
TWO = "latency=300ns,width=50ns,duplicate=1,duplicate_delay=800ns"
MESS = (
    "latency=lognormal:1500ns:0.8,width=uniform:20ns:200ns,service=uniform:500ns:3300ns,"
    "queue=5,drop=0.05,duplicate=0.05,duplicate_delay=uniform:100ns:4us,spurious=20000"
)
LONG = {"timeout_s": 20_000 * NS}
SHORT = {"timeout_s": 1000 * NS}

CASES = {
    "drops": Case("drop=0.2,latency=300ns", some_dropped, settings=SHORT),
    "duplicates": Case("duplicate=0.3,duplicate_delay=700ns,latency=300ns", some_twice),
    "deadline": Case(
        "latency=list:{folder}/deadline",
        split("ANSWERED", "LATE", 2, 3),
        channel={"deadline_s": 1000 * NS},
        values=(in_ticks(1000), in_ticks(1000) + 1),
    ),
    "timeout": Case(
        "latency=list:{folder}/timeout", out_of_time, settings=SHORT, values=(in_ticks(1000),)
    ),
    "several periods, oldest": Case(SEVERAL, all_answered, settings=LONG, values=(in_ticks(7000),)),
    "several periods, window": Case(
        SEVERAL,
        all_answered,
        settings=LONG | {"policy": Policy.WINDOW, "window_min_s": 7000 * NS},
        values=(in_ticks(7000),),
    ),
    "several periods, latest": Case(
        SEVERAL, three_behind, settings=LONG | {"policy": Policy.LATEST}, values=(in_ticks(1000),)
    ),
    "too soon for the window": Case(
        TWO,
        ignored,
        settings={
            "policy": Policy.WINDOW,
            "window_min_s": 1100 * NS,
            "timeout_s": 10_000 * NS,
        },
        values=(in_ticks(1100),),
    ),
    "early": Case(
        "after=strike1,latency=200ns",
        early,
        early_strike=True,
        settings=SHORT | {"early_s": 300 * NS},
        values=(in_ticks(-300),),
    ),
    "too early": Case(
        "after=strike1,latency=200ns",
        too_early,
        early_strike=True,
        settings=SHORT | {"early_s": 299 * NS},
    ),
    "before and after": Case(
        "after=strike1,latency=uniform:1ps:900ns",
        signed,
        early_strike=True,
        settings=SHORT | {"early_s": 600 * NS},
    ),
    "overload": Case(
        "service=3us,latency=400ns",
        least=("ANSWERED", "MISSED", "QUEUE_FULL"),
        settings={"timeout_s": 200_000 * NS},
    ),
    "overload with a short queue": Case(
        "service=3us,latency=400ns,queue=3", least=("ANSWERED", "MISSED"), settings=LONG
    ),
    "masked": Case("mask=100us:30us,latency=400ns", least=("ANSWERED", "MISSED"), settings=SHORT),
    "spurious": Case(
        "spurious=100000,latency=300ns,drop=0.1",
        least=("ANSWERED", "SPURIOUS", "DUPLICATE"),
        settings=SHORT,
    ),
}
for policy in Policy:
    for early_ns in (0, 500):
        CASES[f"all at once, {policy.name.lower()}, early {early_ns}"] = Case(
            MESS,
            least=("ANSWERED", "LATE", "MISSED", "DUPLICATE") + ("EARLY",) * (early_ns > 0),
            channel={"deadline_s": 1500 * NS},
            settings={
                "policy": policy,
                "early_s": early_ns * NS,
                "window_min_s": 400 * NS,
                "timeout_s": 9000 * NS,
            },
        )
SHORT_RUN = ("overload", *(f"all at once, {policy.name.lower()}, early 500" for policy in Policy))
"""Cases that have, together, every class under every policy."""


def settings(case: Case, strikes: int) -> Settings:
    def strike(output: int, phase_ns: int) -> Stimulus:
        period, width, phase = (n * NS for n in (PERIOD_NS, 200, phase_ns))
        return Stimulus(output, period_s=period, width_s=width, phase_s=phase)

    outputs = [strike(0, 1500)] + [strike(1, 1000)] * case.early_strike
    # The second channel's strikes are what the first one does.
    channels = (Channel(0, **case.channel), Channel(1, reference="ch0.fall"))
    return Settings(tuple(outputs), channels, count=strikes, **case.settings)


def measure_case(name: str, strikes: int, folder: Path) -> None:
    case = CASES[name]
    (folder / "deadline").write_text(f"1000000\n{1_000_001 - TICK_PS}\n1000001\n")
    (folder / "timeout").write_text("1000000\n1000001\n")
    device = f"synthetic:seed=7,{case.device.format(folder=folder)},ch1.latency=90ns,ch1.width=9ns"
    outcome = run(device, settings(case, strikes), folder)
    assert_equals_truth(outcome)
    found = class_counts(outcome.result.channels[0])
    if case.expect is not None:
        assert found == case.expect(outcome, strikes)
    for kind in case.least:
        assert found.get(kind, 0) > 0, kind
    rise = outcome.result.channels[0].measurement(Kind.RISE).statistics
    if case.values and rise.count:
        assert (rise.min_ticks, rise.max_ticks) == (min(case.values), max(case.values))
    for channel in outcome.result.channels:
        assert channel.conserved
    assert rises(outcome) == outcome.result.channels[0].active_edges


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in SHORT_RUN else pytest.mark.full) for name in CASES],
)
def test_every_class_is_what_was_planted(name, tmp_path):
    # Of most that have no sum, no clock is skipped: they take far longer.
    measure_case(name, 600 if CASES[name].expect else 300, tmp_path)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", CASES)
def test_every_class_of_a_million_strikes(name, tmp_path):
    measure_case(name, FULL_STRIKES, tmp_path)
