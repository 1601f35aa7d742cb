# SPDX-License-Identifier: Apache-2.0
"""Converts dataclasses to JSON values and back, by their annotations. Times and integers are exact.

Input is checked: a file's values become what the annotations say, or ValueError tells where they do
not, the value, and what would be right. Text is Unicode, numbers are finite and bounded, and a
mapping by an enumeration has all of its members.
"""

from __future__ import annotations

import json
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache, partial
from math import isfinite
from typing import Any, TypeVar, cast

import numpy as np

from plexor.base.constraints import LATER, Constraint, said
from plexor.base.counts import counted

T = TypeVar("T")

MOST_INTEGER = 1 << 128
"""Bound of integers: beyond all counts and sums, and within a float's range."""
_MOST_FRACTION = 10**60
_FRACTION = re.compile(r"(-?\d+)(?:/(\d+))?")
_WORDS = {"dict": "an object", "list": "a list", "str": "a text", "int": "an integer"}
_MOST_SHOWN, _MOST_SAID = 80, 400


def to_json(value: object, *, without_later: bool = False) -> Any:
    """Return `value` as JSON types: times as text such as `1/20000`, enumeration keys as names.

    With `without_later`, fields that are LATER are left out at their default: a digest is as it was
    before them.
    """
    made = partial(to_json, without_later=without_later)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.ndarray):
        return []
    if isinstance(value, Mapping):
        entries = cast("Mapping[Any, Any]", value)
        return {
            key.name.lower() if isinstance(key, Enum) else str(key): made(entry)
            for key, entry in entries.items()
        }
    if is_dataclass(value) and not isinstance(value, type):
        return {
            entry.name: made(getattr(value, entry.name))
            for entry in fields(value)
            if not (
                without_later
                and entry.metadata.items() >= LATER.items()
                and getattr(value, entry.name) == entry.default
            )
        }
    if isinstance(value, tuple | list):
        return [made(entry) for entry in cast("tuple[Any, ...]", value)]
    return value


def one_line(error: Exception) -> str:
    """Return an error's text as one readable line, whatever input it quotes."""
    text = " ".join(str(error).split())
    return text if len(text) <= _MOST_SAID else f"{text[:_MOST_SAID]}…"


def parse_json(data: bytes) -> Any:
    """Return the value in JSON text. Raises ValueError for invalid text and repeated keys."""
    try:
        text = data.decode("utf-8")
        return json.loads(text, parse_constant=_no_number, object_pairs_hook=_unlike)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 text (byte {error.start})") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ValueError(f"not JSON ({place}: {error.msg})") from error
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _no_number(name: str) -> None:
    raise ValueError(f"{name}; must be a finite number")


def _unlike(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        again = next(name for place, name in enumerate(names) if name in names[:place])
        raise ValueError(f"{shown(again)}: occurs twice")
    return found


class MisfitError(ValueError):
    """A value that is none of its type: where it is, what it is, and what would be right."""

    def __init__(self, text: str, *path: str) -> None:
        super().__init__(text)
        self._text = text
        self._path = list(path)

    def within(self, name: str) -> None:
        """Say that the value is in a field or, as `[3]`, in an entry."""
        self._path.append(name)

    def __str__(self) -> str:
        where = ""
        for name in reversed(self._path):
            where += name if name.startswith("[") or not where else f".{name}"
        return f"{where or 'the document'}: {self._text}"


Reader = Callable[[Any], Any]
"""Returns the value of a type for a value of JSON; raises MisfitError."""


def from_json(kind: type[T], value: Any, where: str = "") -> T:
    """Return the dataclass that `to_json` made `value` from, with empty arrays.

    `where` is the value's place in its file. Raises ValueError if `value` does not fit.
    """
    try:
        return reader_of(kind)(value)
    except MisfitError as error:
        if where:
            error.within(where)
        raise


def shown(value: object) -> str:
    """Return a value as an error quotes it: cut where it is long."""
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def object_of(value: object) -> dict[str, Any]:
    """Return a value that is an object of JSON. Raises ValueError for any other."""
    return _of(dict, value)


@cache
def reader_of(hint: Any) -> Reader:
    """Return the reader of a type. It is made once, so that reading is quick."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        bounds = tuple(entry for entry in arguments[1:] if isinstance(entry, Constraint))
        return _bounded(reader_of(arguments[0]), bounds)
    if origin in (types.UnionType, typing.Union):
        inner = reader_of(next(a for a in arguments if a is not types.NoneType))
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        return _tuple(reader_of(arguments[0]))
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(arguments[0], reader_of(arguments[1]))
    if origin is np.ndarray:
        return _array
    if hasattr(hint, "_fields"):
        return _named(hint)
    if is_dataclass(hint):
        return _dataclass(cast("type[Any]", hint))
    if hint is Fraction:
        return _fraction
    if issubclass(hint, Enum):
        return _enumeration(hint)
    return {str: _text, int: _integer, float: _float}.get(hint, partial(_of, hint))


def fields_of(kind: type[Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return a dataclass' field types, and the names of fields without a default."""
    hints = typing.get_type_hints(kind, include_extras=True)
    own = fields(kind)
    needed = (e.name for e in own if e.default is MISSING and e.default_factory is MISSING)
    return {entry.name: hints[entry.name] for entry in own}, tuple(needed)


def _dataclass(kind: type[Any]) -> Reader:
    hints, needed = fields_of(kind)
    readers = {name: reader_of(hint) for name, hint in hints.items()}

    def read(value: Any) -> Any:
        entries = _of(dict, value)
        for name in entries:
            if name not in readers:
                raise MisfitError("unknown", shown(name))
        for name in needed:
            if name not in entries:
                raise MisfitError("missing", name)
        found: dict[str, Any] = {}
        for name, entry in entries.items():
            try:
                found[name] = readers[name](entry)
            except MisfitError as error:
                error.within(name)
                raise
        try:
            return kind(**found)
        except ValueError as error:
            raise MisfitError(str(error)) from error

    return read


def _bounded(inner: Reader, bounds: tuple[Constraint, ...]) -> Reader:
    def read(value: Any) -> Any:
        found = inner(value)
        for bound in bounds:
            if not bound.holds(found):
                raise MisfitError(f"{found}; must be {said(bounds)}")
        return found

    return read


def _tuple(inner: Reader) -> Reader:
    def read(value: Any) -> Any:
        found: list[Any] = []
        for entry in _of(list, value):
            try:
                found.append(inner(entry))
            except MisfitError as error:
                error.within(f"[{len(found)}]")
                raise
        return tuple(found)

    return read


def _mapping(key: Any, inner: Reader) -> Reader:
    members = {member.name.lower(): member for member in key} if issubclass(key, Enum) else None

    def read(value: Any) -> Any:
        found: dict[Any, Any] = {}
        for name, entry in _of(dict, value).items():
            _text(name)
            try:
                found[name] = inner(entry)
            except MisfitError as error:
                error.within(name)
                raise
        if members is None:
            return found
        if members.keys() != found.keys():
            wrong = sorted(members.keys() ^ found.keys())[0]
            raise MisfitError(f"must be {', '.join(members)}, each once", shown(wrong))
        return {members[name]: entry for name, entry in found.items()}

    return read


def _array(value: Any) -> Any:
    if value != []:
        raise MisfitError(f"{shown(value)}; must be empty, because it has its own file")
    return np.zeros(0, dtype=np.uint64)


def _named(hint: Any) -> Reader:
    """Return the reader of a named tuple, which is a list in JSON."""
    readers = {name: reader_of(one) for name, one in typing.get_type_hints(hint).items()}

    def read(value: Any) -> Any:
        values = _of(list, value)
        if len(values) != len(readers):
            raise MisfitError(f"{counted(len(values), 'entry')}; must be {', '.join(readers)}")
        found: list[Any] = []
        for (name, inner), entry in zip(readers.items(), values, strict=True):
            try:
                found.append(inner(entry))
            except MisfitError as error:
                error.within(name)
                raise
        return hint(*found)

    return read


def _enumeration(hint: type[Enum]) -> Reader:
    plain = _text if issubclass(hint, str) else _integer

    def read(value: Any) -> Any:
        found = plain(value)
        try:
            # Enumerations of flags accept negative numbers: these mean all other flags.
            return hint(found if isinstance(found, str) or found >= 0 else None)
        except ValueError as error:
            names = ", ".join(str(entry.value) for entry in hint)
            raise MisfitError(f"{shown(value)}; must be one of {names}") from error

    return read


def _text(value: Any) -> str:
    found: str = _of(str, value)
    try:
        found.encode()
    except UnicodeEncodeError as error:
        raise MisfitError(f"{shown(found)}; must be Unicode text") from error
    return found


def _integer(value: Any) -> int:
    found: int = _of(int, value)
    if abs(found) > MOST_INTEGER:
        raise MisfitError(f"{shown(found)}; must be finite, within 128 bits")
    return found


def _float(value: Any) -> float:
    found: float = float(_integer(value)) if type(value) is int else _of(float, value)
    if not isfinite(found):
        raise MisfitError(f"{shown(found)}; must be finite, within 128 bits")
    return found


def _fraction(value: Any) -> Fraction:
    text: str = _of(str, value)
    match = _FRACTION.fullmatch(text)
    below = int(match[2] or 1) if match else 0
    found = Fraction(int(match[1]), below) if match and below else None
    if found is None or (found and not 1 / _MOST_FRACTION <= abs(found) <= _MOST_FRACTION):
        raise MisfitError(f"{shown(text)}; must be a fraction, such as 1/20000")
    return found


def _of(kind: Any, value: object) -> Any:
    # Python counts bool as int; JSON's true is not a number here.
    if type(value) is not kind:
        right = _WORDS.get(kind.__name__, kind.__name__)
        raise MisfitError(f"{shown(value)}; must be {right}")
    return value
