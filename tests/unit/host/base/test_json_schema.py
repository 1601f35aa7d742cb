# SPDX-License-Identifier: Apache-2.0
"""Schemas are made from types: what a kind holds is valid by them, and what it cannot hold is not.

jsonschema, a program of others, judges.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, IntFlag, StrEnum
from fractions import Fraction
from typing import Annotated, NamedTuple

import jsonschema
import numpy as np
import pytest

from plexor.base.constraints import Ge, Gt, Le, Lt, OneOf, Told, name_of
from plexor.base.documents import Document
from plexor.base.json_schema import schema_of

from .test_documents import OLD


class Way(IntEnum):
    UP = 1
    DOWN = 2


class Flag(IntFlag):
    ONE = 1
    TWO = 2


class Word(StrEnum):
    RISE = "rise"


class Pair(NamedTuple):
    name: str
    copy: int


@dataclass(frozen=True)
class Inner:
    """An inner one."""

    share: Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True)
class Kept:
    """All that a document
    may hold.

    More of it.
    """

    rate_hz: Annotated[Fraction, Gt(0)]
    count: Annotated[int, Ge(0), Lt(8)]
    way: Way
    flags: Flag
    word: Word
    pair: Pair
    inner: Inner
    classes: Mapping[Way, int]
    counts: np.ndarray[tuple[int], np.dtype[np.uint64]]
    more: tuple[Inner, ...] = ()
    maybe: Annotated[int, Gt(0)] | None = None
    text: str = ""
    yes: bool = False


KIND = Document("kept", 1, Kept)
DOCUMENT = {
    "schema": "plexor.kept/1",
    "rate_hz": "1/3",
    "count": 7,
    "way": 2,
    "flags": 3,
    "word": "rise",
    "pair": ["a", 1],
    "inner": {"share": 1},
    "classes": {"up": 1, "down": 2},
    "counts": [],
}
SCHEMA = schema_of(KIND)


def test_a_schema_is_one_and_what_the_kind_holds_is_valid_by_it():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(DOCUMENT, SCHEMA)
    KIND.back(DOCUMENT)
    jsonschema.validate(json.loads(KIND.text(KIND.back(DOCUMENT))), SCHEMA)
    assert SCHEMA["description"] == "All that a document may hold."
    assert SCHEMA["properties"]["rate_hz"]["description"] == "above 0"


WRONG = [
    ("schema", "plexor.kept/2"),
    ("rate_hz", "0.5"),
    ("rate_hz", 1),
    ("count", 8),
    ("count", -1),
    ("count", True),
    ("way", 3),
    ("flags", -1),
    ("word", "fall"),
    ("pair", ["a"]),
    ("pair", [1, "a"]),
    ("inner", {"share": 1.5}),
    ("inner", {"share": 1, "other": 2}),
    ("inner", {}),
    ("classes", {"up": 1}),
    ("classes", {"up": 1, "down": 2, "left": 3}),
    ("counts", [1]),
    ("more", [{"share": -1}]),
    ("maybe", 0),
    ("text", None),
    ("yes", 1),
    ("other", 1),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_what_a_reader_refuses_the_schema_refuses_too(name, value):
    changed = {**DOCUMENT, name: value}
    with pytest.raises(ValueError, match=r"."):
        KIND.back(changed)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(changed, SCHEMA)


@dataclass(frozen=True)
class Printed:
    """What is written and never read back."""

    way: Annotated[str, name_of(Way)]
    pins: Annotated[str, OneOf(("jumper", "loopback"))] | None
    numbers: Annotated[Mapping[str, int | str | None], Told("What it is by.")]


@pytest.mark.parametrize(
    ("way", "number", "is_valid"),
    [
        *(("up", 1, True), ("down", None, True), ("up", "1/3", True), ("left", 1, False)),
        *(("up", [], False), (None, 1, False), ("UP", 1, False)),
    ],
)
def test_names_unions_and_meanings_are_in_the_schema(way, number, is_valid):
    schema = schema_of(Document("printed", 1, Printed, sealed=False))
    document = {"schema": "plexor.printed/1", "way": way, "pins": None}
    document["numbers"] = {"n": number}
    valid = jsonschema.Draft202012Validator(schema).is_valid
    assert valid(document) is is_valid
    assert valid(document | {"pins": "jumper"}) is is_valid
    assert not valid(document | {"pins": "wire"})
    assert schema["properties"]["numbers"]["description"] == "What it is by."


def test_two_classes_of_one_name_have_two_schemas():
    @dataclass(frozen=True)
    class Inner:
        """Another inner one."""

        other: int

    Inner.__module__ = "elsewhere.parts"

    @dataclass(frozen=True)
    class Both:
        """Two of one name."""

        one: "Kept"
        two: "Inner"

    Both.__annotations__ = {"one": Kept, "two": Inner}
    parts = schema_of(Document("both", 1, Both))["$defs"]
    assert [*parts["Inner"]["properties"]] == ["share"]
    assert [*parts["parts.Inner"]["properties"]] == ["other"]


@pytest.mark.parametrize("name", OLD)
def test_the_documents_of_each_kind_are_valid_by_their_schema(name):
    kind, path = OLD[name]
    schema = schema_of(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    document = json.loads(kind.text(kind.read(path)))
    validator.validate(document)
    for key in document:
        if key in schema["required"]:
            with pytest.raises(jsonschema.ValidationError):
                validator.validate({k: e for k, e in document.items() if k != key})
