# SPDX-License-Identifier: Apache-2.0
"""A proof with a step of each outcome."""

from plexor.experiments.prove.model import Proof, ProofFigure, judged, left_out

SELFTEST = judged("selftest", "link, registers, memories")
BINS = judged(
    "bins",
    "2,000 edges each way",
    (
        ProofFigure("ch0 up: narrowest bin", 480.4, "ps", 12.0, least=281),
        ProofFigure("ch0 up: widest bin", 900.0, "ps", 12.0, most=714),
    ),
)
JUMPER = judged(
    "jumper", "both pins", (ProofFigure("edge <up>", 13_500.25, "ps", 250.0, 0, 40_000),)
)
TEE = left_out("tee", "not wired: it needs wires of one length from strike0 to all channels")


def proof(*steps, simulated=False):
    return Proof(
        *("serial:/dev/ttyUSB1?baud=2000000", "D123", "ulx3s25f", 0x11, 1 << 63 | 0xB1, simulated),
        *(500_000, "2026-11-28T20:00:00+00:00"),
        steps or (SELFTEST, BINS, JUMPER, TEE),
    )
