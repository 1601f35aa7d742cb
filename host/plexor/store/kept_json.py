"""Results stored as the document of `--json`: its schema, then all fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar, cast

from plexor.errors import StoreError
from plexor.jsonable import from_json, one_line, parse_json, to_json, unsealed

T = TypeVar("T")


def document_of(schema: str, result: object) -> dict[str, Any]:
    """Return the document that `--json` prints for a result."""
    return {"schema": schema, **to_json(result)}


def read_kept(
    path: Path, schema: str, kind: type[T], contradictions_of: Callable[[T], Iterable[str]]
) -> T:
    """Return the result in a file. Raises StoreError with the path if there is no valid one.

    `contradictions_of` yields what is impossible in a result.
    """
    try:
        document = parse_json(path.read_bytes())
        if not isinstance(document, dict):
            raise ValueError("no object")
        entries = unsealed(cast("dict[str, Any]", document))
        found = entries.pop("schema", None)
        if found != schema:
            raise ValueError(f"schema: {found!r}; this host reads {schema}")
        result = from_json(kind, entries)
        for text in contradictions_of(result):
            raise ValueError(text)
    except OSError as error:
        raise StoreError(f"{path}: cannot read: {error.strerror or error}") from error
    except ValueError as error:
        raise StoreError(f"{path}: cannot read: {one_line(error)}") from error
    return result
