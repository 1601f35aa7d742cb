# SPDX-License-Identifier: Apache-2.0
"""Signals by name, and bits of vectors by the number that their range gives them."""

import re

import pytest

from plexor.base.errors import UsageError
from plexor.files.imports.capture import CaptureFile, Declared


def file(path, *names, bits=1):
    signals = {name: Declared("wire", bits, name) for name in names}
    return CaptureFile(path, "x", signals, lambda chosen: chosen)


NAMES = ("top.a", "top.sub.a", "top.sub.b", "c")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("c", "c"),
        ("b", "top.sub.b"),
        ("sub.a", "top.sub.a"),
        ("top.a", "top.a"),
        ("C", "c"),
        ("SUB.B", "top.sub.b"),
    ],
)
def test_a_signal_is_found_by_its_whole_name_or_by_its_end(wanted, found, tmp_path):
    assert file(tmp_path, *NAMES).chosen(wanted).name == found


def test_a_signal_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    with pytest.raises(UsageError, match=r"no signal 'x'; it has top\.a, top\.sub\.a, .*, c$"):
        file(tmp_path / "a.vcd", *NAMES).chosen("x")
    with pytest.raises(UsageError, match=r"n19 and 30 more$"):
        file(tmp_path, *(f"n{number}" for number in range(50))).chosen("x")
    with pytest.raises(UsageError, match="it has none"):
        file(tmp_path).chosen("x")


def test_where_case_tells_two_signals_apart_it_counts(tmp_path):
    both = file(tmp_path, "t.irq", "t.IRQ")
    assert both.chosen("IRQ").name == "t.IRQ"
    with pytest.raises(UsageError, match=r"'Irq' is t\.irq, t\.IRQ; name one of them"):
        both.chosen("Irq")


def test_a_name_of_two_signals_is_refused_with_both(tmp_path):
    with pytest.raises(UsageError, match=r"'a' is top\.a, top\.sub\.a; name one of them"):
        file(tmp_path, *NAMES).chosen("a")


@pytest.mark.parametrize(
    ("name", "wanted", "bit"),
    [
        ("t.r[7:0]", "r[2]", 2),
        ("t.r[7:0]", "t.r[7]", 7),
        ("t.r[7:0]", "T.R[7]", 7),
        ("t.r[0:7]", "r[0]", 7),
        ("t.r[11:4]", "r[4]", 0),
        ("t.r", "r[3]", 3),
    ],
)
def test_a_bit_has_the_number_that_the_range_gives_it(name, wanted, bit, tmp_path):
    signal = file(tmp_path, name, bits=8).chosen(wanted)
    assert (signal.bit, signal.of, signal.handle) == (bit, 8, name)
    assert signal.name == f"t.r[{wanted.rpartition('[')[2]}"


@pytest.mark.parametrize(
    ("name", "wanted", "line"),
    [
        ("t.r[7:0]", "r[8]", "t.r[7:0] has no bit 8; must be 7 to 0"),
        ("t.r[7:0]", "r", "t.r[7:0] has 8 bits; name one of them, such as t.r[7]"),
        ("t.r[0:7]", "t.r[0:7]", "t.r[0:7] has 8 bits; name one of them, such as t.r[0]"),
        ("t.r[7:0]", "q[0]", "no signal 'q[0]'; it has t.r[7:0]"),
    ],
)
def test_a_vector_is_refused_with_its_bits(name, wanted, line, tmp_path):
    with pytest.raises(UsageError, match=re.escape(line)):
        file(tmp_path, name, bits=8).chosen(wanted)


def test_what_has_no_levels_is_refused(tmp_path):
    with pytest.raises(UsageError, match="x is a wire, which has no levels; name a signal of one"):
        file(tmp_path, "x", bits=0).chosen("x")
