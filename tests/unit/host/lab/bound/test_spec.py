# SPDX-License-Identifier: Apache-2.0
"""What a bound is asked: whole numbers within their bounds, each once."""

import pytest

from plexor.base.errors import UsageError
from plexor_lab.bound.spec import AtEach, AtN, OfRun, TraceSpec


def test_each_n_is_shown_once_in_the_order_that_was_asked():
    assert AtEach(ns=["13", 2, "13"]).ns == (13, 2)
    assert AtEach(ns="7").ns == (7,)


@pytest.mark.parametrize(
    ("spec", "given", "said"),
    [
        (AtN, {"n": 10**12 + 1}, "n: 1000000000001; must be a whole number from 0 to 10{12}$"),
        (AtEach, {"ns": "-1"}, "ns: '-1'; must be a whole number"),
        (OfRun, {"kind": "period"}, "kind: 'period'; must be one of latency, on-width"),
        (TraceSpec, {"pin": 8}, "pin: 8; must be a whole number from 0 to 7"),
        (TraceSpec, {"interrupts": 1001}, "interrupts: 1001; must be a whole number from 0 to"),
    ],
)
def test_what_is_out_of_range_is_refused_by_its_keyword(spec, given, said):
    with pytest.raises(UsageError, match=f"^{said}"):
        spec.of(given)
