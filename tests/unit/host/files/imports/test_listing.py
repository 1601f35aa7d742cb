# SPDX-License-Identifier: Apache-2.0
"""What a capture holds: edges of each signal, and which may strike and answer."""

from fractions import Fraction

from plexor.files.imports.capture import ReadRules
from plexor.files.imports.listing import listing
from plexor.files.imports.open import open_capture

from .captures import vcd

PULSES = [
    change
    for n in range(10)
    for change in (
        (1000 * n + 100, "trig", 1),
        (1000 * n + 130, "irq", 1),
        (1000 * n + 150, "trig", 0),
        (1000 * n + 160, "irq", 0),
    )
]
START = [(0, "clk", 0), (0, "trig", 0), (0, "irq", 0), (0, "still", 1)]
CLOCK = [(time, "clk", time // 10 % 2) for time in range(10, 10_000, 10)]


def listed(path, changes):
    return listing(vcd(path, sorted(changes, key=lambda change: change[0])), ReadRules())


def test_each_signal_has_its_edges_and_its_period(tmp_path):
    capture = listed(tmp_path / "a.vcd", START + PULSES + CLOCK)
    found = {signal.name: signal for signal in capture.signals}
    assert (found["top.trig"].rises, found["top.trig"].falls) == (10, 10)
    assert found["top.trig"].period_s == Fraction(1, 10**6)
    assert found["top.clk"].period_s == Fraction(20, 10**9)
    assert found["top.still"].use == "nothing: it never changes"
    assert (capture.from_s, capture.step_s) == (0, Fraction(1, 10**8))


def test_the_bit_that_is_proposed_of_a_vector_is_one(tmp_path):
    path = tmp_path / "a.vcd"
    names = ("range [3:1]", "element[2]", "plain", "other.[1]")
    declared = "".join(f"$var wire 3 {n} {name} $end\n" for n, name in enumerate(names))
    path.write_text(f"$timescale 1 ns $end\n{declared}$enddefinitions $end\n#0\nb100 0\n#9\n")
    file = open_capture(path, ReadRules())
    said = [signal.use for signal in listing(path, ReadRules()).signals]
    bits = [use.removeprefix("one bit of it, such as ") for use in said]
    assert bits == ["range[3]", "element[2][0]", "plain[0]", "other.[1][0]"]
    assert [file.chosen(bit).of for bit in bits] == [3] * 4


def test_what_rises_first_strikes_and_what_follows_as_often_answers(tmp_path):
    capture = listed(tmp_path / "a.vcd", START + PULSES)
    assert (capture.strike, capture.responses) == ("top.trig", ("top.irq",))


def test_a_clock_is_neither(tmp_path):
    capture = listed(tmp_path / "a.vcd", START + PULSES + CLOCK)
    assert (capture.strike, capture.responses) == ("top.trig", ("top.irq",))


def test_of_one_signal_nothing_is_proposed(tmp_path):
    capture = listed(tmp_path / "a.vcd", [(0, "a", 0), (5, "a", 1)])
    assert (capture.strike, capture.responses) == (None, ())


def test_a_signal_with_two_names_answers_itself_by_neither(tmp_path):
    aliases = [(time, f"sub.{name}", level) for time, name, level in START[1:3] + PULSES]
    capture = listed(tmp_path / "a.vcd", START + PULSES + aliases)
    assert (capture.strike, capture.responses) == ("top.trig", ("top.irq",))
