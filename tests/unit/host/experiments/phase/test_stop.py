# SPDX-License-Identifier: Apache-2.0
"""Stops of a phase scan: before its run, and in it."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.experiments.phase import run as scan
from plexor.model.settings import Channel
from plexor.run.session.stop import Stop
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

from ...fake_device import FakeDevice
from ...runs import LATENCIES, TIMEOUTS_S
from ...scenario import Scenario

US = Fraction(1, 10**6)
OURS = scan.PhaseGoal((Channel(0, "A"),), "strike1", Fraction(10_000), 3, US / 5, period_s=20 * US)
TICK = replace(OURS, against="ch1", period_s=None)


def stopped(wanted, *, endless):
    """Take a scan whose stop is asked for at once; return its run, and how often one began."""
    stop = Stop()
    stop.ask()
    with FakeDevice(Scenario(LATENCIES), endless=endless) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            try:
                return scan.run(device, wanted, stop=stop)[1], fake.starts
            except KeyboardInterrupt:
                return None, fake.starts


@pytest.mark.parametrize("endless", [True, False])
def test_a_stop_while_the_tick_is_measured_is_an_interrupt_and_nothing_more_begins(endless):
    assert stopped(TICK, endless=endless) == (None, 1)


def test_a_stop_in_the_run_of_the_scan_keeps_it(monkeypatch):
    monkeypatch.setattr(scan, "analyse", lambda result, wanted: None)
    run, starts = stopped(OURS, endless=True)
    assert starts == 1
    assert run.interrupted
    assert run.strikes == len(LATENCIES)
