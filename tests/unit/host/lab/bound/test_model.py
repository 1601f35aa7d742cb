# SPDX-License-Identifier: Apache-2.0
"""What a platform's times and a map say of an access."""

from fractions import Fraction

import pytest

from plexor_lab.bound.formula import Formula
from plexor_lab.bound.model import AccessKind, Platform, RegionMap, Repetition, column_name

R, W, BR, ANY = AccessKind.READ, AccessKind.WRITE, AccessKind.BURST_READ, AccessKind.ANY


def platform(**times):
    """Return a platform with one region `m` that has these times."""
    return Platform("p", "p.toml", {("m", AccessKind(k)): Fraction(v) for k, v in times.items()})


@pytest.mark.parametrize(
    ("times", "access", "found"),
    [
        ({"read": 3, "write": 5}, R, 3),
        ({"read": 3, "write": 5}, W, 5),
        ({"read": 3, "write": 5}, BR, None),
        ({"any": 7}, BR, 7),
        ({"any": 7, "read": 3}, R, 3),
        ({"any": 7, "read": 3}, W, 7),
        ({"any": 7, "read": 30, "write": 50}, ANY, 7),
    ],
)
def test_a_kind_has_its_own_time_or_that_of_any(times, access, found):
    assert platform(**times).time_ns("m", access) == found


@pytest.mark.parametrize(("read", "write"), [(3, 5), (5, 3)])
def test_an_access_of_no_known_kind_takes_the_slower_of_read_and_write(read, write):
    assert platform(read=read, write=write).time_ns("m", ANY) == 5


@pytest.mark.parametrize("times", [{"read": 3}, {"write": 3}, {"burst_read": 9, "read": 3}])
def test_an_access_of_no_known_kind_needs_both_times(times):
    assert platform(**times).time_ns("m", ANY) is None


def test_a_region_that_is_not_there_has_no_time():
    assert platform(any=1).time_ns("n", R) is None
    assert platform(any=1).regions == ("m",)


def test_a_region_that_is_not_mapped_has_the_same_name():
    found = RegionMap({"text": "flash"})
    assert (found.of("text"), found.of("stack")) == ("flash", "stack")


@pytest.mark.parametrize(
    ("repetition", "text", "formula"),
    [
        (Repetition(3), "3", Formula(Fraction(3))),
        (Repetition(1, of_n=True), "N", Formula(per_n=Fraction(1))),
        (Repetition(4, of_n=True), "4*N", Formula(per_n=Fraction(4))),
    ],
)
def test_a_repetition_is_a_number_or_a_multiple_of_n(repetition, text, formula):
    assert (str(repetition), repetition.formula) == (text, formula)


def test_a_column_is_named_as_files_have_it():
    assert column_name("heap", AccessKind.BURST_WRITE) == "heap.burst_write"
    assert column_name("stack", ANY) == "stack"
