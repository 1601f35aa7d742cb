# SPDX-License-Identifier: Apache-2.0
"""Measured over datagrams, some lost and some out of order: the simulated instrument's frames."""

from __future__ import annotations

from fractions import Fraction

from bench import SMALL, simulator
from network import Stream, Unkind, measured_over

from plexor.model.settings import Channel, Settings, Stimulus

NS = Fraction(1, 1_000_000_000)
DEVICE = "synthetic:seed=4,latency=uniform:10ns:100ns,width=uniform:15ns:30ns,ch1.latency=70ns"


def test_datagrams_lost_and_out_of_order_are_accounted_for_exactly(tmp_path):
    log = tmp_path / "truth.bin"
    wanted = Settings(
        strikes=(Stimulus(period_s=800 * NS, width_s=100 * NS),),
        channels=(Channel(0), Channel(1)),
        timeout_s=500 * NS,
        count=1500,
    )
    unkind = Unkind(lose=0.1, repeat=0.1, delay=0.2, overtakers=4, seed=2)
    with simulator(DEVICE, SMALL, ("--truth", str(log))) as server:
        measured_over(Stream(server.port), unkind, wanted, server, log)
