# SPDX-License-Identifier: Apache-2.0
"""Runs of every kind that must be drawn, and a budget to judge them by."""

import dataclasses
from fractions import Fraction

import numpy as np

from plexor.figures.judge.budget_file import parse
from plexor.model.results import Identity
from plexor.model.settings import Stimulus
from plexor.protocol.frames import SOURCE_CODE, SOURCE_CODE_VALUE
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import StopReason, Trigger

BUDGET = parse(
    'title = "motor <control>"\n[all]\nmax = "4 us"\np99 = "9 us"\nmean = { goal = "1 us" }', "b"
)

LONG_NAMES = [
    *(f"WWWWMMMM@@ AXIS {n} <&> MOTOR" for n in range(4)),
    "割り込みハンドラの入口",
    "割り込みハンドラの出口",
    "Прерывание по таймеру",
    "the_pin_of_the_interrupt_service_routine_of_the_second_motor",
]
"""Names that are too wide for the left of a picture, some alike, and of letters of any width."""


def stopped(run, index, kept=512, why=StopReason.LATENCY):
    """Return a run that an event stopped, with so many events around it."""
    return dataclasses.replace(
        run,
        settings=dataclasses.replace(run.settings, latency_over_s=Fraction(9, 10**6)),
        stop_reason=why,
        trace=run.events[max(index - kept // 2, 0) : index + kept // 2],
        trigger_index=index,
        trigger_ticks=int(run.events["time_ticks"][index]),
    )


def at_code(run, index):
    """Return a run that a code stopped, among whose events are codes with their values."""
    events = run.events.copy()
    events["source"][events["source"] == 1] = SOURCE_CODE
    events["source"][1::7] = SOURCE_CODE_VALUE
    return stopped(dataclasses.replace(run, events=events), index, why=StopReason.CODE)


def two_strikes(run):
    """Return a run whose second channel answers a second output."""
    follows = Stimulus(1, trigger=Trigger.STRIKE, trigger_source=0)
    first, second = run.channels
    return dataclasses.replace(
        run,
        settings=dataclasses.replace(run.settings, strikes=(*run.settings.strikes, follows)),
        channels=(first, dataclasses.replace(second, reference="strike1")),
        events=None,
    )


def all_runs(run_of):
    """Return runs of every kind that must be drawn."""
    random = np.random.default_rng(11)
    isr = (2000 + random.geometric(0.02, 900)).tolist()
    task = (9000 + random.lognormal(6, 1, 900)).astype(int).tolist()
    usual = run_of([isr, [None if n % 100 == 57 else v for n, v in enumerate(task)]])
    lost = dataclasses.replace(
        usual.accounting, received=usual.accounting.received - 3, lost_on_link=2
    )
    board = Geometry(features=ALL_FEATURES & ~Feature.SIMULATED, board="ulx3s")
    return {
        "usual": usual,
        "bins": run_of([isr, task], keep_events=False),
        "wide": run_of([[20, 4_000_000, 70_000] * 30], period=9_000_000),
        "one": run_of([[1234]]),
        "equal": run_of([[1000] * 500]),
        "zero": run_of([[0, 0, 0]]),
        "early": run_of([[-300, 200, 400]]),
        "none": run_of([[None, None]]),
        "ambiguous": run_of([[None, *[5000] * 200]], period=20_000),
        "no channel": run_of([]),
        "eight": run_of([isr] * 8, names=[f"channel number {n} <&>" for n in range(8)]),
        "long names": run_of([isr, task] * 4, names=LONG_NAMES),
        "board": dataclasses.replace(usual, identity=Identity(board, 7)),
        "trace": stopped(usual, 3000),
        "trace at the start": stopped(usual, 2),
        "short trace": stopped(usual, 4000, 16),
        "trace of eight": stopped(run_of([isr] * 8, names=list("abcdefgh")), 90),
        "trace of a missed strike": stopped(usual, 700, why=StopReason.MISSED),
        "trace of codes": at_code(usual, 3000),
        "two strikes": two_strikes(run_of([isr, task])),
        "invalid": dataclasses.replace(usual, accounting=lost, invalid_reasons=("books & pens",)),
    }


TRACES = (
    "trace",
    "trace at the start",
    "short trace",
    "trace of eight",
    "trace of a missed strike",
    "trace of codes",
)
KINDS = (
    "usual",
    "bins",
    "wide",
    "one",
    "equal",
    "zero",
    "early",
    "none",
    "ambiguous",
    "no channel",
    "eight",
    "long names",
    "board",
    "two strikes",
    *TRACES,
    "invalid",
)
