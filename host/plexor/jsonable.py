"""Converts dataclasses to JSON values and back, by their annotations. Times and integers are exact.

Input is checked: a file's values become what the annotations say, or ValueError tells where they do
not, the value, and what would be right. Text is Unicode, numbers are finite and bounded, and a
mapping by an enumeration has all of its members.
"""

from __future__ import annotations

import hashlib
import json
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from plexor.errors import StoreError

T = TypeVar("T")

MOST_INTEGER = 1 << 128
"""Bound of integers: beyond all counts and sums, and within a float's range."""
_MOST_FRACTION = 10**60
_FRACTION = re.compile(r"(-?\d+)(?:/(\d+))?")
_WORDS = {"dict": "an object", "list": "a list", "str": "a text", "int": "an integer"}
_MOST_SHOWN, _MOST_SAID = 80, 400
_SEAL = "sha256"


class OtherFormatError(ValueError):
    """A document of a format that another version of Plexor writes."""


def is_damaged_document(error: StoreError) -> bool:
    """Return whether a document was read, and is none: it was cut, overwritten or changed."""
    cause = error.__cause__
    return isinstance(cause, ValueError) and not isinstance(cause, OtherFormatError)


def to_json(value: object) -> Any:
    """Return `value` as JSON types: times as text such as `1/20000`, enumeration keys as names."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.ndarray):
        return []
    if isinstance(value, Mapping):
        entries = cast("Mapping[Any, Any]", value)
        return {
            key.name.lower() if isinstance(key, Enum) else str(key): to_json(entry)
            for key, entry in entries.items()
        }
    if is_dataclass(value) and not isinstance(value, type):
        return {entry.name: to_json(getattr(value, entry.name)) for entry in fields(value)}
    if isinstance(value, tuple | list):
        return [to_json(entry) for entry in cast("tuple[Any, ...]", value)]
    return value


def read_document(
    path: Path, name: str, file_format: int, kind: type[T], check: Callable[[T], None]
) -> T:
    """Return the object under `name` in a file of a format. Raises StoreError with the path.

    `check` raises ValueError for an object that contradicts itself.
    """
    try:
        entries = unsealed(_of(dict, parse_json(path.read_bytes()), ""))
        found = entries.get("format")
        if type(found) is int and found != file_format:
            raise OtherFormatError(
                f"format {_shown(found)}; this host reads {file_format}; read it with the version "
                "of Plexor that wrote it"
            )
        if found != file_format:
            raise ValueError(f"format {_shown(found)}; this host reads {file_format}")
        if name not in entries:
            raise ValueError(f"{name}: missing")
        result = from_json(kind, entries[name], name)
        check(result)
        return result
    except OSError as error:
        raise StoreError(f"{path}: cannot read: {error.strerror or error}") from error
    except ValueError as error:
        raise StoreError(f"{path}: cannot read: {one_line(error)}") from error


def one_line(error: Exception) -> str:
    """Return an error's text as one readable line, whatever input it quotes."""
    text = " ".join(str(error).split())
    return text if len(text) <= _MOST_SAID else f"{text[:_MOST_SAID]}…"


def document_text(document: Mapping[str, Any]) -> str:
    """Return the content of a document's file: its JSON text, sealed."""
    return json.dumps(sealed(document), indent=1, ensure_ascii=False) + "\n"


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of JSON types with the SHA-256 of the rest of it, which shows a change.

    It is no signature: who changes a document on purpose can write its digest anew.
    """
    return {**document, _SEAL: _digest(document)}


def unsealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without its digest. Raises ValueError for one that was changed.

    Documents of older versions have no digest, and nothing is known of them.
    """
    rest = {key: value for key, value in document.items() if key != _SEAL}
    if len(rest) < len(document) and document[_SEAL] != _digest(rest):
        raise ValueError("changed since it was taken (its SHA-256 is another)")
    return rest


def _digest(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


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
        raise ValueError(f"{_shown(again)}: occurs twice")
    return found


def from_json(kind: type[T], value: Any, where: str = "") -> T:
    """Return the dataclass that `to_json` made `value` from, with empty arrays.

    `where` is the value's place in its file. Raises ValueError if `value` does not fit.
    """
    hints, needed = _hints(kind)
    entries = _of(dict, value, where)
    for name in entries:
        if name not in hints:
            raise ValueError(f"{_at(where, _shown(name))}: unknown")
    for name in needed:
        if name not in entries:
            raise ValueError(f"{_at(where, name)}: missing")
    found = {name: _back(hints[name], entry, _at(where, name)) for name, entry in entries.items()}
    try:
        return kind(**found)
    except ValueError as error:
        raise ValueError(f"{where}: {error}" if where else str(error)) from error


@cache
def _hints(kind: type[Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return a dataclass' field types, and the names of fields without a default."""
    hints = typing.get_type_hints(kind)
    own = fields(kind)
    needed = (e.name for e in own if e.default is MISSING and e.default_factory is MISSING)
    return {entry.name: hints[entry.name] for entry in own}, tuple(needed)


def _at(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _back(hint: Any, value: Any, where: str) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        if value is None:
            return None
        return _back(next(a for a in arguments if a is not types.NoneType), value, where)
    if origin is tuple:
        entries = enumerate(_of(list, value, where))
        return tuple(_back(arguments[0], entry, f"{where}[{n}]") for n, entry in entries)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(arguments[0], arguments[1], _of(dict, value, where), where)
    if origin is np.ndarray:
        if value != []:
            raise ValueError(
                f"{where}: {_shown(value)}; must be empty, because it has its own file"
            )
        return np.zeros(0, dtype=np.uint64)
    if hasattr(hint, "_fields"):
        return _named(hint, _of(list, value, where), where)
    if is_dataclass(hint):
        return from_json(cast("type[Any]", hint), value, where)
    if hint is Fraction:
        return _fraction(value, where)
    if issubclass(hint, Enum):
        return _member(hint, value, where)
    return _plain(hint, value, where)


def _plain(hint: type[Any], value: Any, where: str) -> Any:
    if hint is float and type(value) is int:
        value = float(_plain(int, value, where))
    found = _of(hint, value, where)
    if hint is str:
        return _text(found, where)
    if (hint is int and abs(found) > MOST_INTEGER) or (hint is float and not isfinite(found)):
        raise ValueError(f"{where}: {_shown(found)}; must be finite, within 128 bits")
    return found


def _text(value: str, where: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{where}: {_shown(value)}; must be Unicode text") from error
    return value


def _fraction(value: Any, where: str) -> Fraction:
    text: str = _of(str, value, where)
    match = _FRACTION.fullmatch(text)
    below = int(match[2] or 1) if match else 0
    found = Fraction(int(match[1]), below) if match and below else None
    if found is None or (found and not 1 / _MOST_FRACTION <= abs(found) <= _MOST_FRACTION):
        raise ValueError(f"{where}: {_shown(text)}; must be a fraction, such as 1/20000")
    return found


def _member(hint: type[Enum], value: Any, where: str) -> Enum:
    plain = _of(str if issubclass(hint, str) else int, value, where)
    try:
        # Enumerations of flags accept negative numbers: these mean all other flags.
        return hint(plain if isinstance(plain, str) or plain >= 0 else None)
    except ValueError as error:
        names = ", ".join(str(entry.value) for entry in hint)
        raise ValueError(f"{where}: {_shown(value)}; must be one of {names}") from error


@cache
def _names(hint: Any) -> Mapping[str, Any]:
    """Return a named tuple's fields with their types."""
    return typing.get_type_hints(hint)


def _named(hint: Any, values: list[Any], where: str) -> Any:
    """Return a named tuple."""
    hints = _names(hint)
    if len(values) != len(hints):
        raise ValueError(f"{where}: {len(values)} entries; must be {', '.join(hints)}")
    pairs = zip(hints.items(), values, strict=True)
    return hint(*(_back(one, value, f"{where}.{name}") for (name, one), value in pairs))


def _mapping(key: Any, entry: Any, values: dict[str, Any], where: str) -> dict[Any, Any]:
    found = {_text(name, where): _back(entry, v, _at(where, name)) for name, v in values.items()}
    if not issubclass(key, Enum):
        return found
    members = {member.name.lower(): member for member in key}
    if set(members) != set(found):
        wrong = sorted(set(members) ^ set(found))[0]
        raise ValueError(f"{_at(where, _shown(wrong))}: must be {', '.join(members)}, each once")
    return {members[name]: value for name, value in found.items()}


def _of(kind: Any, value: object, where: str) -> Any:
    # Python counts bool as int; JSON's true is not a number here.
    if type(value) is not kind:
        right = _WORDS.get(kind.__name__, kind.__name__)
        raise ValueError(f"{where or 'the document'}: {_shown(value)}; must be {right}")
    return value
