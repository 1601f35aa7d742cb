# SPDX-License-Identifier: Apache-2.0
"""The page of a proof: every step, its errors, and what was not proven."""

from plexor.experiments.prove.model import ProofFigure, judged
from plexor.show.proof_page import proof_page

from ..experiments.prove.proofs import JUMPER, proof


def test_the_page_has_every_step_and_no_figure_of_a_board_is_called_simulated():
    page = proof_page(proof(), "ab12")
    for part in (
        ">measured on ulx3s25f</span>",
        '<h2>bins <span class="bad">FAILED</span></h2>',
        "edge &lt;up&gt;",
        "80000000000000b1",
        "ab12",
        "not wired: it needs wires".capitalize(),
    ):
        assert part in page
    assert "edge <up>" not in page
    assert ">simulated</span>" in proof_page(proof(simulated=True), "ab12")


def test_a_strip_shows_a_value_between_its_bounds():
    strips = proof_page(proof(JUMPER), "x").split("<svg viewBox")[1:]
    # 13.5 of 40 ns, in the 164 units between the margins of 8.
    assert any('cx="63.4"' in strip and "var(--good)" in strip for strip in strips)


def test_a_strip_shows_a_value_between_bounds_that_are_not_0():
    step = judged("jumper", "both pins", (ProofFigure("edge", 15.0, "ps", 1.0, 10, 20),))
    (strip,) = proof_page(proof(step), "x").split("<svg viewBox")[1:]
    # The middle of 180 units, and a tenth of the 164 between the margins to both sides of it.
    assert 'cx="90.0"' in strip
    assert 'x1="73.6" x2="106.4"' in strip
