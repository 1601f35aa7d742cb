# SPDX-License-Identifier: Apache-2.0
"""A chain of four channels, each after the one before it: each has its own latency."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from bench import assert_equals_truth, class_counts, run

from plexor.model.results import Kind
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor_sim.serve import GATEWARE, TWIN

NS = Fraction(1, 1_000_000_000)
CHAIN = (
    "synthetic:seed=3,width=400ns,latency=uniform:1us:2us,"
    "ch1.after=ch0,ch1.latency=uniform:300ns:500ns,"
    "ch2.after=ch1-fall,ch2.latency=uniform:2us:3us,"
    "ch3.after=ch2,ch3.latency=700ns"
)
REFERENCES = ("strike0", "ch0", "ch1.fall", "ch2")


@pytest.mark.parametrize(
    ("core", "strikes"),
    [(TWIN, 10_000), pytest.param(GATEWARE, 2_000, marks=pytest.mark.full)],
)
def test_each_channel_of_a_chain_is_timed_from_the_edge_before_it(core, strikes, tmp_path):
    settings = Settings(
        strikes=(Stimulus(period_s=20_000 * NS, width_s=200 * NS, dither_s=1024 * NS),),
        channels=tuple(Channel(n, reference=name) for n, name in enumerate(REFERENCES)),
        count=strikes,
    )
    outcome = run(CHAIN, settings, tmp_path, core=core)
    assert_equals_truth(outcome)
    tick_ps = outcome.result.tick_fs / 1000
    edges = {
        name: np.ceil(outcome.edges_ps(source, level) / tick_ps).astype(np.int64)
        for name, source, level in (
            ("strike0", SOURCE_STRIKE, 1),
            ("ch0", 0, 1),
            ("ch1.fall", 1, 0),
            ("ch2", 2, 1),
        )
    }
    channels = outcome.result.channels
    for number, (channel, name) in enumerate(zip(channels, REFERENCES, strict=True)):
        rises = np.ceil(outcome.edges_ps(number, 1) / tick_ps).astype(np.int64)
        latencies = rises - edges[name]
        assert class_counts(channel)["ANSWERED"] == strikes == len(latencies)
        figures = channel.measurement(Kind.RISE).statistics
        assert (figures.count, figures.sum_ticks) == (strikes, latencies.sum())
        assert (figures.min_ticks, figures.max_ticks) == (latencies.min(), latencies.max())
