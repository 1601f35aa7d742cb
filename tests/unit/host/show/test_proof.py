# SPDX-License-Identifier: Apache-2.0
"""The figures of a proof as rows, and its verdict: what was proven, and what was not."""

import pytest

from plexor.experiments.prove.model import ProofFigure
from plexor.show.proof import figure_row, verdict

from ..experiments.prove.proofs import JUMPER, SELFTEST, TEE, proof


@pytest.mark.parametrize(
    ("figure", "row"),
    [
        (
            ProofFigure("edge up", 13_500.25, "ps", 250.0, 0, 40_000),
            ["edge up", "13,500 ps", "± 250 ps", "0 to 40,000 ps"],
        ),
        (
            ProofFigure("fast", -1.25, "ppm", 0.5, -50, 50),
            ["fast", "-1.2 ppm", "± 0.5 ppm", "-50 to 50 ppm"],
        ),
        (ProofFigure("lost", 0, "", most=0), ["lost", "0", "", "at most 0"]),
        (
            ProofFigure("width", 480, "ps", 12.0, least=281),
            ["width", "480 ps", "± 12 ps", "at least 281 ps"],
        ),
        (ProofFigure("events", 120_000, ""), ["events", "120,000", "", ""]),
    ],
)
def test_a_figure_has_value_error_and_bounds_in_its_unit(figure, row):
    assert figure_row(figure) == row


@pytest.mark.parametrize(
    ("steps", "style", "head", "says"),
    [
        ((SELFTEST, JUMPER), "good", "Proven: selftest, jumper", "every step was done"),
        ((SELFTEST, TEE), "doubt", "Proven: selftest", "not proven: tee"),
        ((TEE,), "doubt", "Nothing proven", "not proven: tee"),
        ((), "bad", "Failed", "bins: ch0 up: widest bin: 900 ± 12 ps; must be at most 714 ps"),
    ],
)
def test_the_verdict_names_what_was_proven_and_what_was_not(steps, style, head, says):
    assert verdict(proof(*steps)) == (style, head, says)
