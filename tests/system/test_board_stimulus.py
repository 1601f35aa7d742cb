# SPDX-License-Identifier: Apache-2.0
"""A ULX3S-25F's instrument, simulated: random strikes, bursts and filters equal golden truth."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from bench import assert_equals_truth, run

from plexor import cli
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Feature
from plexor_hdl.build import boards
from plexor_sim.golden.stimulus import strikes

NS = Fraction(1, 10**9)
US = 1000 * NS
TICK_PS = 500
DEVICE = (
    "synthetic:seed=5,latency=uniform:30ns:200ns,ch0.width=uniform:1ns:60ns,"
    "ch1.latency=uniform:30ns:200ns,ch1.width=uniform:1ns:10ns"
)
CHANNELS = (Channel(0, filter_s=Fraction(5, 2) * NS), Channel(1, filter_s=4 * NS))
RANDOM = ("--dither 512ns", "--poisson")
WAYS = {
    "dither": Stimulus(period_s=2 * US, width_s=50 * NS, dither_s=1024 * NS, seed=7),
    "fractional dither": Stimulus(period_s=Fraction(7, 3) * US, width_s=9 * NS, dither_s=2 * NS),
    "poisson": Stimulus(period_s=US, width_s=40 * NS, poisson=True, seed=0xDEAD_BEEF),
    "spaced burst": Stimulus(
        period_s=3 * US, burst=7, spacing_s=60 * NS, width_s=20 * NS, dither_s=32 * NS
    ),
    # As far apart as the matcher needs for what four strikes bring about.
    "fast burst": Stimulus(
        period_s=10 * US, burst=4, spacing_s=Fraction(7, 2) * NS, width_s=NS, dither_s=16 * NS
    ),
}
QUICK = ("fractional dither", "poisson", "fast burst")


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=() if way in QUICK else pytest.mark.full) for way in WAYS]
)
def test_a_boards_strikes_and_filtered_responses_equal_the_truth(way, tmp_path):
    build = boards.read("ulx3s-25f").geometry
    geometry = replace(build, features=build.features | Feature.SIMULATED)
    settings = Settings(strikes=(WAYS[way],), channels=CHANNELS, count=500, timeout_s=20 * US)
    found = run(DEVICE, settings, tmp_path, geometry=geometry)
    result = found.result
    planned = strikes(geometry, found.registers, result.start_ticks, result.end_ticks)[0]
    ups, downs = (found.edges_ps(SOURCE_STRIKE, level) // TICK_PS for level in (1, 0))
    assert len(ups) == 500
    assert np.array_equal(ups, planned.rise_ticks)
    assert np.array_equal(downs, planned.fall_ticks)
    truth = assert_equals_truth(found)
    # The filters take away some of what is on the pins.
    for number in (0, 1):
        seen = len(found.pins()[number].time_ps)
        assert truth.generated[number] < seen


@pytest.mark.parametrize(
    "how",
    [
        *(pytest.param(f"--rate 20k {way}", marks=pytest.mark.full) for way in RANDOM),
        "--rate 5k --burst 4 --spacing 3ns",
    ],
)
def test_a_boards_command_takes_random_strikes_bursts_and_filters(how, capsys):
    link = ["--link", "sim:synthetic:latency=300ns,width=100ns?board=ulx3s-25f"]
    arguments = f"{how} --channel A=ch0:filter=4ns --count 200 --json"
    assert cli.main(["measure", *link, *arguments.split()]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["strikes"] == 200
