"""Dataclasses to JSON values and back, by their annotations; exact for times and great integers."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, TypeVar, cast

import numpy as np

T = TypeVar("T")


def to_json(value: object) -> Any:
    """Return `value` as what JSON has: times as `1/20000`, names for enumerations' keys."""
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


def from_json(kind: type[T], value: Any) -> T:
    """Return the dataclass that `to_json` made `value` of; arrays are empty.

    Raises ValueError, TypeError or KeyError for a value that is none.
    """
    hints = typing.get_type_hints(kind)
    names = [entry.name for entry in fields(cast("Any", kind))]
    unknown = sorted(set(_of(dict, value)) - set(names))
    if unknown:
        raise ValueError(f"{kind.__name__}: unknown {', '.join(unknown)}")
    return kind(**{name: _back(hints[name], value[name]) for name in names if name in value})


def _back(hint: Any, value: Any) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        if value is None:
            return None
        return _back(next(a for a in arguments if a is not types.NoneType), value)
    if origin is tuple:
        return tuple(_back(arguments[0], entry) for entry in _of(list, value))
    if origin is not None and issubclass(origin, Mapping):
        return {
            _key(arguments[0], name): _back(arguments[1], v) for name, v in _of(dict, value).items()
        }
    if origin is np.ndarray:
        return np.zeros(0, dtype=np.uint64)
    if hasattr(hint, "_fields"):
        return hint(*_of(list, value))
    if is_dataclass(hint):
        return from_json(cast("type[Any]", hint), value)
    if hint is Fraction or (isinstance(hint, type) and issubclass(hint, Enum)):
        return hint(value)
    if not isinstance(value, (int, float) if hint is float else hint):
        raise TypeError(f"{value!r}; must be {hint.__name__}")
    return value


def _of(kind: type[Any], value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r}; must be a {kind.__name__}")
    return value


def _key(hint: Any, name: str) -> Any:
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint[name.upper()]
    return name
