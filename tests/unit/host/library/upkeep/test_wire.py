# SPDX-License-Identifier: Apache-2.0
"""A wire is told by its length or by its delay."""

import pytest

from plexor.library.upkeep.wire import wire_ps


@pytest.mark.parametrize(
    ("wire", "least", "most"),
    [
        ("1m", 3300, 6000),
        ("30cm", 990, 1800),
        ("2.5 m", 8250, 15_000),
        ("5ns", 4900, 5100),
        (5e-9, 4900, 5100),
    ],
)
def test_a_wire_is_told_by_its_length_or_its_delay(wire, least, most):
    assert wire_ps(wire) == (least, most)


@pytest.mark.parametrize("wire", ["", "1", "m", "1 mile", "-1m", "5 parsec", True])
def test_a_wire_that_is_neither_is_refused(wire):
    with pytest.raises(ValueError, match="must be a length such as 1m or 30cm, or a time such"):
        wire_ps(wire)


@pytest.mark.parametrize("wire", ["17m", "1us", "-1ns"])
def test_a_wire_beyond_any_bench_is_refused(wire):
    with pytest.raises(ValueError, match=f"'{wire}': .*; must be 0 to 100000 ps"):
        wire_ps(wire)
