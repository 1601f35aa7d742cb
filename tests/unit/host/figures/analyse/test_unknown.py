# SPDX-License-Identifier: Apache-2.0
"""Why something is not known, with what would tell, in one line."""

from plexor.figures.analyse.unknown import NOTHING, NotKnown


def test_a_line_has_what_there_is():
    assert NOTHING.line == ""
    assert NotKnown("9 samples").line == "9 samples"
    assert NotKnown("9 samples; all late", "p99 needs 368").line == (
        "9 samples; all late; p99 needs 368"
    )
