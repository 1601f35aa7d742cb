# SPDX-License-Identifier: Apache-2.0
"""What a calibration, a self-test and a proof are asked is exact before a link is opened."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.library.upkeep.specs import CalibrateSpec, ProveSpec, SelfTestSpec


def test_nothing_needs_to_be_said():
    asked = CalibrateSpec()
    assert (asked.jumpers, asked.wire, asked.edges) == ((), None, 20_000)
    assert (asked.pps, asked.pps_time, asked.path, asked.on_line) == (None, None, None, None)
    assert (ProveSpec().only, ProveSpec().skip, ProveSpec().ask) == ((), (), None)
    assert SelfTestSpec().link_rate is None


def test_jumpers_are_given_as_texts_or_numbers_with_several_in_a_text():
    asked = SelfTestSpec(jumpers=["strike0=ch0,strike0=ch1", (1, 2)], link_rate="300k")
    assert asked.jumpers == ((0, 0), (0, 1), (1, 2))
    assert asked.link_rate == 300_000


def test_a_wire_and_a_reference_are_given_as_texts_or_exactly():
    asked = CalibrateSpec(wire="1m", pps="ch7=10M", pps_time="4s", edges="2k")
    assert (asked.wire, asked.pps) == ((3300, 6000), (7, Fraction(10**7)))
    assert (asked.pps_time, asked.edges) == (4, 2000)
    assert CalibrateSpec(**asked.keywords()) == asked


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"only": ["bins", "nosuch"]}, "only: step 'nosuch'; must be one of selftest, bins"),
        ({"skip": "nosuch"}, "skip: step 'nosuch'; must be one of selftest, bins"),
        ({"pps": "ch1=3k"}, "pps: 3 kHz; must be 1 Hz, or 1 MHz or more"),
        ({"soak": "5"}, "soak: '5'"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_keyword(given, said):
    with pytest.raises(UsageError, match=f"^{said}"):
        ProveSpec.of(given)


def test_help_says_what_a_wire_is_for_in_each_command():
    assert "It is that of each jumper." in CalibrateSpec.options()["wire"].help
    assert "what the longer wire is longer" in ProveSpec.options()["wire"].help
    assert SelfTestSpec.options()["jumpers"].help.endswith("It tests both pins.")
