# SPDX-License-Identifier: Apache-2.0
"""Steps are judged by their figures' bounds and errors, and by their findings."""

import pytest

from plexor.experiments.prove.model import ProofFigure, StepOutcome, judged, left_out

from .proofs import BINS, JUMPER, TEE, proof


@pytest.mark.parametrize(
    ("value", "error", "least", "most", "holds"),
    [
        (5, None, 0, 10, True),
        (10, None, 0, 10, True),
        (11, None, 0, 10, False),
        (11, 1.0, 0, 10, True),
        (11.1, 1.0, 0, 10, False),
        (-1, 0.5, 0, 10, False),
        (99, None, None, None, True),
        (99, None, 100, None, False),
    ],
)
def test_a_figure_holds_unless_it_is_beyond_its_bounds_by_more_than_its_error(
    value, error, least, most, holds
):
    assert ProofFigure("x", value, "ps", error, least, most).holds == holds


def test_a_step_fails_by_a_figure_and_names_value_error_and_bound():
    assert BINS.outcome == StepOutcome.FAILED
    assert BINS.findings == ("ch0 up: widest bin: 900 ± 12 ps; must be at most 714 ps",)
    assert judged("x", "", findings=("ch1: stuck",)).outcome == StepOutcome.FAILED
    assert JUMPER.outcome == StepOutcome.PROVEN
    assert left_out("x", "why").outcome == StepOutcome.LEFT_OUT


def test_a_proof_knows_what_failed_and_what_was_left_out():
    found = proof()
    assert (found.failed, found.left_out) == ((BINS,), (TEE,))
    assert found.placement == 1 << 63 | 0xB1
