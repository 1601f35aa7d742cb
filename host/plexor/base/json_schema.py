# SPDX-License-Identifier: Apache-2.0
"""JSON Schemas (draft 2020-12) of documents, made from the types that documents are read by."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum, IntFlag
from fractions import Fraction
from typing import Any

import numpy as np

from plexor.base.constraints import Constraint, OneOf, Told, said
from plexor.base.documents import SEAL, Document
from plexor.base.jsonable import fields_of

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
Schema = dict[str, Any]
Shared = dict[type[Any], Schema]
"""Schemas of dataclasses, each of which is there once."""


def schema_of(document: Document[Any]) -> Schema:
    """Return the schema of a kind of document, in the version that is written.

    What `--json` prints has no digest, and a file has one.
    """
    shared: Shared = {}
    own = _dataclass(document.kind, shared)
    fields: Schema = {"schema": {"const": document.schema}, **own["properties"]}
    if document.sealed:
        fields[SEAL] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    made = {"$schema": _DRAFT, "title": document.schema, **own}
    made |= {"properties": fields, "required": ["schema", *own["required"]]}
    parts = {_name(kind, shared): schema for kind, schema in shared.items()}
    return made | ({"$defs": parts} if parts else {})


def _dataclass(kind: type[Any], shared: Shared) -> Schema:
    hints, needed = fields_of(kind)
    told = (kind.__doc__ or "").partition("\n\n")[0]
    return {
        "description": " ".join(told.split()),
        "type": "object",
        "properties": {name: _of(hint, shared) for name, hint in hints.items()},
        "required": [*needed],
        "additionalProperties": False,
    }


def _of(hint: Any, shared: Shared) -> Schema:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _annotated(_of(arguments[0], shared), arguments[1:])
    if origin in (types.UnionType, typing.Union):
        return {"anyOf": [_of(one, shared) for one in arguments]}
    if hint is types.NoneType:
        return {"type": "null"}
    if origin is tuple:
        return {"type": "array", "items": _of(arguments[0], shared)}
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(arguments[0], _of(arguments[1], shared))
    if origin is np.ndarray:
        return {"type": "array", "maxItems": 0, "description": "It has a file of its own."}
    if hasattr(hint, "_fields"):
        entries = [_of(one, shared) for one in typing.get_type_hints(hint).values()]
        size = len(entries)
        return {"type": "array", "prefixItems": entries, "minItems": size, "maxItems": size}
    if is_dataclass(hint):
        return _shared(typing.cast("type[Any]", hint), shared)
    if hint is Fraction:
        return {"type": "string", "pattern": r"^-?\d+(/\d+)?$"}
    if issubclass(hint, IntFlag):
        return {"type": "integer", "minimum": 0}
    if issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    return {"type": _PLAIN[hint]}


def _shared(kind: type[Any], shared: Shared) -> Schema:
    """Return a reference to the schema of a dataclass."""
    if kind not in shared:
        shared[kind] = {}
        shared[kind] = _dataclass(kind, shared)
    return {"$ref": f"#/$defs/{_name(kind, shared)}"}


def _name(kind: type[Any], shared: Shared) -> str:
    """Return the name of a dataclass; of two of one name, that of its module before it."""
    first = next(known for known in shared if known.__name__ == kind.__name__)
    own = kind.__name__
    return own if first is kind else f"{kind.__module__.rpartition('.')[2]}.{own}"


def _annotated(inner: Schema, says: Sequence[object]) -> Schema:
    """Add bounds, names and a meaning; bounds of a fraction, which is a text, are words."""
    made = dict(inner)
    if bounds := [entry for entry in says if isinstance(entry, Constraint)]:
        is_text = inner.get("type") == "string"
        words = {"description": said(bounds)}
        made |= words if is_text else {bound.keyword: bound.limit for bound in bounds}
    for entry in says:
        if isinstance(entry, OneOf):
            made |= {"enum": [*entry.texts]}
        elif isinstance(entry, Told):
            made |= {"description": entry.text}
    return made


def _mapping(key: Any, inner: Schema) -> Schema:
    if not issubclass(key, Enum):
        return {"type": "object", "additionalProperties": inner}
    names = [member.name.lower() for member in key]
    properties = dict.fromkeys(names, inner)
    return {"type": "object", "properties": properties, "required": names} | {
        "additionalProperties": False
    }
