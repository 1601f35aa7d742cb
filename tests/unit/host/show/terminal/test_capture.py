# SPDX-License-Identifier: Apache-2.0
"""A capture's signals as a table, and a command that a shell takes as it stands."""

import shlex
from fractions import Fraction

import pytest

from plexor.files.imports.listing import CaptureListing, ListedSignal
from plexor.files.imports.signals import parse_channel_signal, parse_strike_signal
from plexor.show.terminal.capture import capture_text, command

NS = Fraction(1, 10**9)


def signal(name, **fields):
    values = {"kind": "wire", "bits": 1, "rises": 1234, "falls": 5, "period_s": 10 * NS}
    return ListedSignal(name=name, use="strike or response", **values | fields)


def capture(strike, *responses, file="a.vcd"):
    return CaptureListing(
        file=file,
        format="VCD",
        from_s=Fraction(0),
        to_s=300 * NS,
        step_s=NS,
        signals=(signal("t.s"), signal("t.bus", bits=8, rises=None, falls=None, period_s=None)),
        notes=("a note",),
        strike=strike,
        responses=responses,
    )


def test_signals_are_rows_with_their_counts():
    lines = capture_text(capture("t.s", "t.r"), width=100, colour=False).splitlines()
    assert lines[:2] == ["a.vcd: VCD, from 0 s to 300 ns, edges to 1 ns", "a note"]
    assert "t.s     wire     1  1,234      5   10 ns  strike or response" in lines
    assert lines[-1] == "  plexor import a.vcd --strike t.s --channel R0=t.r --out run1"


def test_without_a_proposal_it_says_what_to_name():
    text = " ".join(capture_text(capture(None), width=100, colour=False).split())
    assert "plexor import a.vcd --strike SIGNAL --channel NAME=SIGNAL --out DIR" in text


@pytest.mark.parametrize("name", ["t.s", "a::b", "a:b", "two words", "it's", "$r", "x;y"])
def test_the_command_means_the_signals_that_it_shows(name):
    words = shlex.split(command(capture(name, name, file="my file.vcd")))
    assert words[:3] == ["plexor", "import", "my file.vcd"]
    assert parse_strike_signal(words[words.index("--strike") + 1]).signal == name
    assert parse_channel_signal(words[words.index("--channel") + 1]).signal == name
