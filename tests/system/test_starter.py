# SPDX-License-Identifier: Apache-2.0
"""Simulators that one process starts one after the other: each is as new as any."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

import plexor.wire.link.sim as sim_link
from plexor.base.errors import UsageError
from plexor.model.results import RunResult
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link.open import open_link

DUTS = (
    "freertos:load=critical",
    "synthetic:latency=exponential:2us,load_latency=exponential:3us,drop=0.1",
)


@pytest.fixture(autouse=True)
def no_starter_stays():
    yield
    sim_link.end_starters()


def run(dut: str, rate_hz: int = 40_000, *, again: bool, load: bool = True) -> RunResult:
    strike = Stimulus(period_s=Fraction(1, rate_hz), count=60, dither_s=Fraction(1024, 10**9))
    settings = Settings(strikes=(strike,), channels=(Channel(0), Channel(1)), load=load)
    with Device(open_link("sim:", dut, again=again)) as device:
        return measure(device, settings)


@pytest.mark.parametrize("dut", [pytest.param(DUTS[0], marks=pytest.mark.full), DUTS[1]])
def test_a_run_behind_others_is_the_same_to_the_bit_as_one_by_itself(dut):
    alone = run(dut, again=False)
    # What they leave behind: an overloaded device, another load, a run that was not finished.
    run(dut, 400_000, again=True)
    run(dut, again=True, load=False)
    with Device(open_link("sim:", dut, again=True)) as device:
        device.write("control", "load", 1)
    later = run(dut, again=True)
    assert alone.valid
    assert later.valid
    assert (later.start_ticks, later.end_ticks) == (alone.start_ticks, alone.end_ticks)
    assert len(alone.events) > 100
    assert np.array_equal(later.events, alone.events)
    for one, other in zip(alone.channels, later.channels, strict=True):
        assert one.classes == other.classes


def test_links_one_after_the_other_share_a_starter_and_those_at_once_do_not():
    first = open_link("sim:", "synthetic", again=True)
    second = open_link("sim:", "synthetic", again=True)
    first.close()
    first.close()
    assert len(sim_link._idle) == 1
    (starter,) = sim_link._idle
    third = open_link("sim:", "synthetic:seed=3", again=True)
    assert not sim_link._idle
    third.close()
    assert sim_link._idle == [starter]
    second.close()
    assert len(sim_link._idle) == 2


def test_a_device_that_is_refused_is_told_and_the_next_link_opens():
    open_link("sim:", "synthetic", again=True).close()
    with pytest.raises(UsageError, match="volume"):
        open_link("sim:", "synthetic:volume=11", again=True)
    Device(open_link("sim:", "synthetic", again=True)).close()


def test_a_simulator_that_fails_is_told_with_its_last_line_and_the_next_link_opens():
    strike = Stimulus(period_s=Fraction(1, 40_000), count=5000)
    link = open_link("sim:", "synthetic", ("--truth", "/dev/full"), again=True)
    with Device(link) as device:
        result = measure(device, Settings(strikes=(strike,), channels=(Channel(0),)))
    assert not result.valid
    assert re.search(r"exit code 4.*/dev/full", "; ".join(result.invalid_reasons))
    assert run(DUTS[1], again=True).valid
