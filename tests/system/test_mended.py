# SPDX-License-Identifier: Apache-2.0
"""Phases that sample in the other order: with Feature.MEND a run has the figures of one without.

A simulator is built for it. In short, tests/unit/hdl/capture mends the edges of pins, and
tests/unit/host/run/session/test_loss.py tells how many were.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from bench import ICE40, Outcome, assert_equals_truth, run

from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import ResponseClass
from plexor.show.facts import books

MENDING = replace(ICE40, features=ICE40.features | Feature.MEND)
"""A small board, with the feature for which it has no room."""
pytestmark = pytest.mark.full
US = Fraction(1, 10**6)
DUT = "synthetic:ch0.latency=uniform:200ns:900ns,ch0.width=uniform:20ns:300ns,ch1.after=strike0"
SETTINGS = Settings(
    strikes=(Stimulus(period_s=2 * US + Fraction(1, 10**9), width_s=US / 2),),
    channels=(Channel(0), Channel(1)),
    count=500,
)
EXCHANGES = "exchange.0=1,exchange.1=0,exchange.1=2"
"""One pair of four phases on a channel, and two pairs on another."""


def measured(folder: Path, geometry: Geometry = MENDING, front_end: str = EXCHANGES) -> Outcome:
    return run(DUT, SETTINGS, folder, geometry=geometry, arguments=("--front-end", front_end))


def test_a_run_with_exchanged_phases_has_the_figures_of_its_pins_and_says_what_was_mended(tmp_path):
    outcome = measured(tmp_path)
    # The truth is of the pins: what exchanges make of it is not in it.
    assert_equals_truth(outcome)
    found = outcome.result.accounting
    # 1,000 edges of each channel; one of four bins is exchanged on one, two of four on the other.
    assert 600 < found.mended_clocks < 900
    assert f"exchanged samples mended in {found.mended_clocks} clocks" in books(found)


def test_a_run_without_exchanges_mends_nothing(tmp_path):
    outcome = measured(tmp_path, front_end="exchange.2=1")
    assert_equals_truth(outcome)
    assert outcome.result.accounting.mended_clocks == 0


def test_without_the_feature_the_same_exchanges_invent_edges(tmp_path):
    outcome = measured(tmp_path, ICE40)
    ((first, *_), sources) = outcome.result.channels, outcome.result.accounting.sources
    seen = {entry.source: entry.generated for entry in sources}
    assert seen[0] > 1200
    assert first.classes[ResponseClass.DUPLICATE] > 50
