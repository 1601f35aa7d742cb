# SPDX-License-Identifier: Apache-2.0
"""What the import of a capture is asked: signals by their names, and how they are matched."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.files.imports.signals import ChannelSignal, StrikeSignal
from plexor.library.specs.import_spec import ImportSpec


def test_signals_are_texts_or_read_already():
    asked = ImportSpec(channels=["ISR=irq:deadline=5us", ChannelSignal("T", "t")], strikes="trig")
    first, second = asked.channels
    assert (first.name, first.signal, first.deadline_s) == ("ISR", "irq", Fraction(5, 10**6))
    assert second == ChannelSignal("T", "t")
    assert asked.strikes == (StrikeSignal("trig"),)
    assert (asked.policy, asked.window, asked.timeout) == ("oldest", 0, None)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"unknown": "z"}, "unknown: 'z'; must be one of cut, hold, 0, 1"),
        ({"threshold": "x"}, "threshold: 'x'; must be volts"),
        ({"threshold": "1:nan"}, "threshold: '1:nan'; must be volts"),
        ({"channels": "ISR"}, "channels: channel: 'ISR'; did you mean ISR=ISR"),
        ({"channels": "A=a", "policy": "newest"}, "policy: 'newest'; must be one of oldest"),
        ({"channels": "A=a", "early": "5"}, "early: '5'"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_keyword(given, said):
    with pytest.raises(UsageError, match=f"^{said}"):
        ImportSpec.of(given)


@pytest.mark.parametrize(
    ("text", "volts"), [("1.5", (1.5, 1.5)), ("0.8:2.0V", (0.8, 2.0)), ("-1V:0", (-1.0, 0.0))]
)
def test_a_threshold_is_one_voltage_or_two(text, volts):
    assert ImportSpec.of({"threshold": text}).threshold == volts
