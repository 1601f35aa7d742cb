# SPDX-License-Identifier: Apache-2.0
"""A proof for a terminal: every step, its errors, and what was not proven."""

from plexor.show.terminal.proof import proof_text

from ...experiments.prove.proofs import proof


def test_the_text_has_every_step_its_findings_and_the_seal():
    text = " ".join(proof_text(proof(), "ab12", width=100, colour=False).split())
    for part in (
        "Proof of D123, build 80000000000000b1 · measured on ulx3s25f",
        "selftest: proven. Link, registers, memories",
        "bins: FAILED. 2,000 edges each way",
        "edge <up> 13,500 ps ± 250 ps 0 to 40,000 ps",
        "tee: left out. Not wired: it needs wires of one length",
        "SHA-256 ab12",
    ):
        assert part in text
    assert "\x1b[31m" in proof_text(proof(), "ab12", colour=True, width=100)
