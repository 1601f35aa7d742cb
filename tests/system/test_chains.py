# SPDX-License-Identifier: Apache-2.0
"""Answers that follow others: a chain of four channels, and a level that is held until cleared."""

from __future__ import annotations

import json
import subprocess
import sys
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


HELD = """
module held(input clk, input irq, input ack, output reg out);
  reg last;
  initial {out, last} = 0;
  always @(posedge clk) begin
    last <= irq;
    if (irq & ~last) out <= 1;
    else if (ack) out <= 0;
  end
endmodule
"""
MANIFEST = """
sources = ["held.v"]
top = "held"
[clock]
port = "clk"
period_ps = 10_000
[ports]
strikes = ["irq", "ack"]
responses = ["out"]
"""


def document_of(*words):
    command = (sys.executable, "-m", "plexor", "measure", *words, "--json")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_level_that_is_held_is_an_answer_each_time_that_it_was_cleared(tmp_path):
    (tmp_path / "held.v").write_text(HELD)
    (tmp_path / "held.toml").write_text(MANIFEST)
    words = ("--dut", str(tmp_path / "held.toml"), "--rate", "20k", "--count", "200")
    words += ("--channel", "R=ch0")
    document = document_of(*words)
    (channel,) = document["channels"]
    assert (channel["answered"], channel["missed"]) == (1, 199)
    assert "the pin became active once and stayed so" in document["doubts"][0]
    cleared = ("--strike", "1:start=strike0,phase=20us,width=1us")
    document = document_of(*words, *cleared)
    (channel,) = document["channels"]
    assert (channel["answered"], channel["missed"]) == (200, 0)
    assert document["doubts"] == []
    # It is set at one edge of the clock of 10 ns, and cleared at another, 20 us later and a little.
    held_ns = [float(channel["width"][end]) * 1e9 for end in ("min_s", "max_s")]
    assert held_ns[0] == held_ns[1] == pytest.approx(20_000, abs=200)
    assert held_ns[0] % 10 == pytest.approx(0)
