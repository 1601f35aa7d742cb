# SPDX-License-Identifier: Apache-2.0
"""Dataclasses to JSON and back: exact, or one line with the place and what would be right."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.base.constraints import LATER
from plexor.base.jsonable import (
    MOST_INTEGER,
    from_json,
    one_line,
    parse_json,
    shown,
    to_json,
)


class Way(IntEnum):
    UP = 1
    DOWN = 2


class Kind(StrEnum):
    RISE = "rise"


class Place(NamedTuple):
    name: str
    copy: int


@dataclass(frozen=True)
class Inner:
    share: float = 0.0

    def __post_init__(self):
        if self.share > 1:
            raise ValueError(f"share: {self.share}; must be 1 or less")


@dataclass(frozen=True)
class Outer:
    time_s: Fraction
    count: int
    name: str
    way: Way
    kind: Kind
    flag: bool
    maybe: int | None = None
    inner: Inner = Inner()
    places: tuple[Place, ...] = ()
    classes: Mapping[Way, int] = field(default_factory=lambda: {Way.UP: 1, Way.DOWN: 2})
    free: Mapping[str, str] = field(default_factory=dict)


def outer(**changes):
    fields = {
        "time_s": Fraction(1, 20_000),
        "count": 3,
        "name": "µ",
        "way": Way.UP,
        "kind": Kind.RISE,
        "flag": True,
    }
    return Outer(**fields | changes)


FRACTIONS = st.fractions(-(10**9), 10**9, max_denominator=10**15)


@given(
    st.builds(
        outer,
        time_s=FRACTIONS,
        count=st.integers(-MOST_INTEGER, MOST_INTEGER),
        name=st.text(st.characters(exclude_categories=["Cs"])),
        way=st.sampled_from(Way),
        flag=st.booleans(),
        maybe=st.none() | st.integers(0, 9),
        inner=st.builds(Inner, st.floats(-1e300, 1)),
        places=st.lists(st.builds(Place, st.just("x"), st.integers(0, 9))).map(tuple),
    )
)
def test_what_goes_out_comes_back_equal_through_text(value):
    text = json.dumps(to_json(value))
    assert from_json(Outer, parse_json(text.encode())) == value


def test_times_are_fractions_and_keys_are_names():
    found = to_json(outer())
    assert found["time_s"] == "1/20000"
    assert (found["way"], found["kind"], found["classes"]) == (1, "rise", {"up": 1, "down": 2})
    assert to_json(np.zeros(3)) == []


def document(**changes):
    return to_json(outer()) | changes


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"count": True}, "count: True; must be an integer"),
        ({"count": 1.0}, "count: 1.0; must be an integer"),
        ({"count": (1 << 128) + 1}, "must be finite, within 128 bits"),
        ({"flag": 1}, "flag: 1; must be bool"),
        ({"name": None}, "name: None; must be a text"),
        ({"name": "\ud800"}, "must be Unicode text"),
        ({"time_s": 1}, "time_s: 1; must be a text"),
        ({"time_s": "1/0"}, "time_s: '1/0'; must be a fraction, such as 1/20000"),
        ({"time_s": " 1/2"}, "must be a fraction"),
        ({"time_s": f"1{'0' * 61}"}, "must be a fraction"),
        ({"way": 3}, "way: 3; must be one of 1, 2"),
        ({"kind": "fall"}, "kind: 'fall'; must be one of rise"),
        ({"inner": {"share": 2}}, "inner: share: 2.0; must be 1 or less"),
        ({"inner": {"share": "1"}}, "inner.share: '1'; must be float"),
        ({"inner": []}, "inner: []; must be an object"),
        ({"inner": {"other": 1}}, "inner.'other': unknown"),
        ({"places": [["x"]]}, "places[0]: 1 entry; must be name, copy"),
        ({"places": [["x", 1], ["y", "2"]]}, "places[1].copy: '2'; must be an integer"),
        ({"classes": {"up": 1}}, "classes.'down': must be up, down, each once"),
        ({"classes": {"up": 1, "down": 1, "left": 1}}, "classes.'left'"),
        ({"free": {"a": 1}}, "free.a: 1; must be a text"),
        ({"free": {"\ud800": "a"}}, "must be Unicode text"),
    ],
)
def test_what_is_none_is_told_with_its_place_and_what_would_be_right(changes, says):
    with pytest.raises(ValueError, match=r".") as caught:
        from_json(Outer, document(**changes))
    assert says in str(caught.value)


def test_a_field_without_a_default_is_missed_and_one_with_it_is_not():
    entries = document()
    del entries["inner"]
    assert from_json(Outer, entries) == outer()
    del entries["count"]
    with pytest.raises(ValueError, match=r"^run\.count: missing$"):
        from_json(Outer, entries, "run")


def test_a_whole_number_is_a_float_where_one_is_asked_for():
    found = from_json(Inner, {"share": 1})
    assert (found.share, type(found.share)) == (1.0, float)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"a": 1, "a": 2}', "'a': occurs twice"),
        (b"[NaN]", "NaN; must be a finite number"),
        (b"[-Infinity]", "-Infinity; must be a finite number"),
        (b'"\xff"', "not UTF-8 text (byte 1)"),
        (b"[1,\n 2", "not JSON (line 2, column 3: "),
        (b"[" * 100_000, "nested too deep"),
    ],
)
def test_text_that_is_no_json_is_told_with_its_place(data, says):
    with pytest.raises(ValueError, match=r".") as caught:
        parse_json(data)
    assert says in str(caught.value)


def test_a_long_error_is_one_line_that_people_can_read():
    assert one_line(ValueError("a\n  b")) == "a b"
    assert one_line(ValueError("x" * 400)) == "x" * 400
    assert one_line(ValueError("x" * 401)) == "x" * 400 + "…"


def test_a_field_that_came_later_is_left_out_of_a_digest_at_its_default_alone():
    @dataclass(frozen=True)
    class Grown:
        old: int = 1
        new: int = field(default=2, metadata=LATER)

    @dataclass(frozen=True)
    class Holder:
        each: tuple[Grown, ...]

    holder = Holder((Grown(), Grown(new=3)))
    assert to_json(holder) == {"each": [{"old": 1, "new": 2}, {"old": 1, "new": 3}]}
    assert to_json(holder, without_later=True) == {"each": [{"old": 1}, {"old": 1, "new": 3}]}


def test_a_value_is_quoted_whole_up_to_80_characters():
    assert shown("x" * 78) == "'" + "x" * 78 + "'"
    assert shown("x" * 79) == "'" + "x" * 79 + "…"
