# SPDX-License-Identifier: Apache-2.0
"""A sweep as the page draws it: rates, times in seconds, verdicts and brackets."""

from fractions import Fraction

import pytest
from tools.scope_bench.planted import KNEE_HZ, planted_step

from plexor.experiments.sweep.model import Bracket, Knee
from plexor.model.settings import Channel
from plexor.scope.sweeps import SweepView

CHANNELS = (Channel(0, "ISR"), Channel(3, "TASK"))


@pytest.fixture
def view():
    found = SweepView(CHANNELS)
    found.step(planted_step(Fraction(KNEE_HZ), CHANNELS), 1, 3)
    found.step(planted_step(Fraction(2 * KNEE_HZ), CHANNELS), 2, 3)
    return found


def test_each_step_has_its_rate_and_what_each_channel_did(view):
    document = view.document()
    assert document["expected"] == 3
    assert [step["rate"] for step in document["steps"]] == [KNEE_HZ, 2 * KNEE_HZ]
    first, second = (step["channels"][0] for step in document["steps"])
    assert (first["verdict"], first["missed"]) == ("pass", 0)
    assert (second["verdict"], second["missed"]) == ("fail", 0.1)
    assert (first["min"], first["p50"], first["max"]) == (1.8e-6, 2e-6, 3.3e-6)


def test_a_channel_keeps_the_number_of_its_pin_and_so_its_colour(view):
    assert [entry["number"] for entry in view.document()["steps"][0]["channels"]] == [0, 3]


def test_more_steps_than_expected_are_no_more_than_there_are(view):
    view.step(planted_step(Fraction(5), CHANNELS), 7, 3)
    assert view.document()["expected"] == 7


def test_the_end_says_where_each_channel_saturates(view):
    bracket = Bracket(Fraction(KNEE_HZ), Fraction(2 * KNEE_HZ))
    nothing = Bracket(Fraction(2 * KNEE_HZ), None)
    view.end((Knee("none", "ISR", bracket, 10), Knee("none", "TASK", nothing, 10)))
    document = view.document()
    assert document["expected"] == len(document["steps"])
    assert [(knee["name"], knee["number"], knee["passing"], knee["failing"])
            for knee in document["knees"]] == [
        ("ISR", 0, KNEE_HZ, 2 * KNEE_HZ),
        ("TASK", 3, 2 * KNEE_HZ, None),
    ]  # fmt: skip
    assert "40 kHz" in document["knees"][0]["text"]
