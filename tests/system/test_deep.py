"""Deep capture: events kept in an SDRAM while a run lasts, sent after it, each one accounted for.

The system is LiteX' Verilog with LiteDRAM and a model of an SDRAM, simulated; its truth is the
simulator's own log of the pins.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from bench import SMALL, TRUTH, Outcome, assert_equals_truth
from litex_bench import System, serving

from plexor.device import Device
from plexor.link import open_link
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import Stream
from plexor.session import measure
from plexor.settings import Channel, Settings, Stimulus

pytestmark = [pytest.mark.full, pytest.mark.timeout(1200)]
"""A first test builds the simulator; short forms are in tests/unit/hdl/test_deep.py and soc."""
NS = Fraction(1, 1_000_000_000)
DEVICE = "synthetic:seed=9,latency=uniform:10000:60000,width=uniform:15000:30000,ch1.latency=70000"
DEEP = replace(SMALL, upload_depth=1024, deep_depth=1 << 21)
SHALLOW = replace(DEEP, deep_depth=1024)


def settings(strikes: int, period_ns: int) -> Settings:
    return Settings(
        strikes=(Stimulus(period_s=period_ns * NS, width_s=20 * NS, dither_s=16 * NS, seed=3),),
        channels=(Channel(0), Channel(1)),
        timeout_s=2000 * NS,
        count=strikes,
        stream=Stream.AFTER,
    )


def measured(system: System, wanted: Settings, log) -> Outcome:
    with Device(open_link(f"udp://127.0.0.1:{system.frames_port}")) as device:
        result = measure(device, wanted)
    system.server.close()
    return Outcome(result, np.fromfile(log, TRUTH))


def taken(geometry: Geometry, wanted: Settings, folder) -> Outcome:
    log = folder / "truth.bin"
    with serving(DEVICE, geometry, ("--truth", str(log))) as system:
        return measured(system, wanted, log)


def test_a_million_events_are_those_of_the_golden_model(tmp_path):
    # Six events a strike.
    outcome = taken(DEEP, settings(170_000, 180), tmp_path)
    books = outcome.result.accounting
    assert books.generated >= 1_000_000
    assert books.received == books.generated
    assert books.dropped_on_chip == books.lost_on_link == 0
    truth = assert_equals_truth(outcome)
    print(books, truth)
