# SPDX-License-Identifier: Apache-2.0
"""Deep capture: events kept in an SDRAM while a run lasts, sent after it, each one accounted for.

The system is LiteX' Verilog with LiteDRAM and a model of an SDRAM, simulated; its truth is the
simulator's own log of the pins.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from bench import PORTLESS, TRUTH, Outcome, assert_equals_truth
from litex_bench import System, serving

from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import Action, RunState, Stream
from plexor.run.plan.registers import plan_of
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

pytestmark = [pytest.mark.full, pytest.mark.timeout(1200)]
"""A first test builds the simulator; short forms are in unit/hdl/uplink/test_deep.py and soc."""
NS = Fraction(1, 1_000_000_000)
DEVICE = "synthetic:seed=9,latency=uniform:10ns:60ns,width=uniform:15ns:30ns,ch1.latency=70ns"
DEEP = replace(PORTLESS, upload_depth=1024, deep_depth=1 << 21)
PERIOD_NS = 320
"""40 clocks: two matched channels take 37."""
STARTED_TICKS = 250_000
"""The SDRAM takes nothing in its first 200 us: what comes then is dropped, and counted."""
SHALLOW = replace(DEEP, deep_depth=1024)


def settings(strikes: int, period_ns: int, width_ns: int = 20, **more) -> Settings:
    return Settings(
        strikes=(Stimulus(period_s=period_ns * NS, width_s=width_ns * NS, seed=3, **more),),
        channels=(Channel(0), Channel(1)),
        timeout_s=2000 * NS,
        count=strikes,
        stream=Stream.AFTER,
    )


@contextmanager
def opened(geometry: Geometry, log: Path) -> Iterator[tuple[Device, System]]:
    with serving(DEVICE, geometry, ("--truth", str(log))) as system:
        with Device(open_link(f"udp://127.0.0.1:{system.frames_port}")) as device:
            while device.read("status", "time_ticks") < STARTED_TICKS:
                pass
            yield device, system


def taken(geometry: Geometry, folder: Path, *runs: Settings) -> list[Outcome]:
    """Measure one run after the other; return what came of each."""
    log = folder / "truth.bin"
    with opened(geometry, log) as (device, system):
        results = [measure(device, wanted) for wanted in runs]
        system.server.close()
    truth = np.fromfile(log, TRUTH)
    return [Outcome(result, truth) for result in results]


def events_a_clock(outcome: Outcome) -> float:
    """Return how many events a core clock a run had, from its first to its last."""
    times = outcome.result.events["time_ticks"].astype(np.int64)
    return len(times) / (int(times[-1] - times[0]) / outcome.result.identity.geometry.samples)


def assert_all_came(outcome: Outcome) -> None:
    truth, books = assert_equals_truth(outcome), outcome.result.accounting
    assert books.holds
    assert books.received == books.generated == len(truth.events)
    assert books.dropped_on_chip == books.lost_on_link == 0
    print(f"{books.received} events, {events_a_clock(outcome):.3f} a clock")


def test_a_million_events_are_those_of_the_golden_model(tmp_path):
    # Six events a strike.
    wanted = settings(170_000, PERIOD_NS, dither_s=16 * NS)
    (outcome,) = taken(DEEP, tmp_path, wanted)
    assert outcome.result.accounting.generated >= 1_000_000
    assert_all_came(outcome)


def test_two_events_in_five_clocks_are_kept_and_a_run_live_is_the_same(tmp_path):
    # Two edges of the strike in 40 ns. The SDRAM takes a word each two clocks but for refreshes and
    # changes of row; the matcher takes few more.
    fast = replace(settings(50_000, 40, 15), channels=())
    slow = settings(3000, 400, dither_s=16 * NS)
    first, live, after = taken(DEEP, tmp_path, fast, replace(slow, stream=Stream.LIVE), slow)
    for outcome in (first, live, after):
        assert_all_came(outcome)
    assert events_a_clock(first) > 0.399
    one, other = (
        outcome.result.events["time_ticks"] - np.uint64(outcome.result.start_ticks)
        for outcome in (live, after)
    )
    strikes = [outcome.result.events["source"] >= SOURCE_STRIKE for outcome in (live, after)]
    assert np.array_equal(one[strikes[0]], other[strikes[1]])


def test_what_does_not_fit_is_counted_and_leaves_a_gap(tmp_path):
    (outcome,) = taken(SHALLOW, tmp_path, settings(2000, PERIOD_NS))
    truth = assert_equals_truth(outcome)
    books, events = outcome.result.accounting, outcome.result.events
    assert books.holds
    assert books.generated == len(truth.events)
    assert books.generated == books.received + books.dropped_on_chip
    assert books.lost_on_link == 0
    # What the memory and the FIFOs before it hold; each 2**26 ticks 3 entries less.
    assert SHALLOW.deep_depth < books.received < SHALLOW.deep_depth + SHALLOW.upload_depth + 400
    assert books.dropped_on_chip > 8000
    places = events["index"].astype(np.int64)
    for name in ("time_ticks", "source", "polarity"):
        assert np.array_equal(events[name], getattr(truth.events, name)[places]), name
    print(f"{books.generated} events, {books.received} received, {books.dropped_on_chip} dropped")


def test_a_run_begun_while_the_one_before_is_still_sent_has_its_own_events_alone(tmp_path):
    log = tmp_path / "truth.bin"
    with opened(DEEP, log) as (device, system):
        device.write_all(plan_of(settings(8000, PERIOD_NS), device.identity).registers)
        device.write("control", "action", Action.START)
        while device.read("status", "state") != RunState.DONE:
            pass
        # Nobody waits for its 48,000 events.
        result = measure(device, settings(500, 300))
        system.server.close()
    outcome = Outcome(result, np.fromfile(log, TRUTH))
    assert_all_came(outcome)
    assert result.accounting.generated == 3000
