# SPDX-License-Identifier: Apache-2.0
"""Documents: how everything that is kept as JSON is written, and read back as it was.

A document is an object: its `schema`, which names kind and version (`plexor.sweep/2`), the fields
of a dataclass, and the SHA-256 of the rest. The dataclass says what may be in it, with the bounds
of each number (plexor.base.constraints). A kind adds what its fields contradict in each other.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from plexor.base.disk.atomic import write_text
from plexor.base.errors import StoreError, reason_of
from plexor.base.jsonable import from_json, object_of, one_line, parse_json, shown, to_json

T = TypeVar("T")
Migration = Callable[[dict[str, Any]], dict[str, Any]]
"""Returns the fields of a version's document as the next version has them."""

SEAL = "sha256"
_SCHEMA = re.compile(r"plexor\.([a-z.-]+)/(\d{1,9})")


class OtherVersionError(ValueError):
    """A document that another version of Plexor writes."""


def is_damaged_document(error: StoreError) -> bool:
    """Return whether a document was read, and is none: it was cut, overwritten or changed."""
    cause = error.__cause__
    return isinstance(cause, ValueError) and not isinstance(cause, OtherVersionError)


def _nothing(_: object) -> Iterable[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Document(Generic[T]):
    """A kind of document."""

    name: str
    version: int
    """The version that is written. Older ones from `oldest` on are read."""
    kind: type[T]
    contradictions_of: Callable[[T], Iterable[str]] = _nothing
    """Yields what fields contradict in each other, and what would be right."""
    oldest: int = 1
    migrations: Mapping[int, Migration] = field(default_factory=dict[int, Migration])
    """By the version that they begin from. Without one, the fields of two versions are the same."""
    wrapped: str = ""
    """Version 1 was `{"format": 1, "<this>": {fields}}`; empty: it was as all others are."""
    sealed: bool = True
    """Whether it has its own SHA-256. A run's folder has that of all of its files."""

    @property
    def schema(self) -> str:
        """Kind and version, as a document names them."""
        return f"plexor.{self.name}/{self.version}"

    def of(self, value: T) -> dict[str, Any]:
        """Return the document of a value, which `--json` prints: its schema, then all fields."""
        return {"schema": self.schema, **to_json(value)}

    def text(self, value: T) -> str:
        """Return the content of a document's file."""
        document = self.of(value)
        made = sealed(document) if self.sealed else document
        return json.dumps(made, indent=1, ensure_ascii=False) + "\n"

    def write(self, value: T, path: Path) -> None:
        """Write a document's file, as a whole or not at all. Raises StoreError with the path."""
        write_text(path, self.text(value))

    def read(self, path: Path) -> T:
        """Return what a file holds. Raises StoreError with the path if it is no such document."""
        with reading(path):
            return self.back(parse_json(path.read_bytes()))

    def back(self, document: object) -> T:
        """Return the value of a document. Raises ValueError, which says what is wrong with it."""
        version, entries = self._opened(unsealed(object_of(document)))
        if not self.oldest <= version <= self.version:
            raise OtherVersionError(
                f"version {version} of plexor.{self.name}; this host reads {self._readable}"
            )
        for number in range(version, self.version):
            migration = self.migrations.get(number)
            entries = entries if migration is None else migration(entries)
        value = from_json(self.kind, entries)
        for text in self.contradictions_of(value):
            raise ValueError(text)
        return value

    @property
    def _readable(self) -> str:
        """The versions that are read, and what to do with another."""
        alone = self.oldest == self.version
        versions = str(self.version) if alone else f"{self.oldest} to {self.version}"
        return f"{versions}; read it with the version of Plexor that wrote it"

    def _opened(self, entries: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return a document's version and its fields."""
        if self.wrapped and "schema" not in entries and "format" in entries:
            version = entries["format"]
            if type(version) is int and version != 1:
                raise OtherVersionError(f"format {version}; this host reads {self._readable}")
            if version != 1:
                raise ValueError(f"format: {shown(version)}; must be 1")
            if self.wrapped not in entries:
                raise ValueError(f"{self.wrapped}: missing")
            return version, object_of(entries[self.wrapped])
        schema = entries.pop("schema", None)
        match = _SCHEMA.fullmatch(schema) if isinstance(schema, str) else None
        if match is None or match[1] != self.name:
            raise ValueError(f"schema: {shown(schema)}; must be {self.schema}")
        return int(match[2]), entries


@contextmanager
def reading(path: Path) -> Generator[None]:
    """Turn what can go wrong with a file that is read into a StoreError with its path."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path}: cannot read: {reason_of(error)}") from error
    except ValueError as error:
        raise StoreError(f"{path}: cannot read: {one_line(error)}") from error


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of JSON types with the SHA-256 of the rest of it, which shows a change.

    It is no signature: who changes a document on purpose can write its digest anew.
    """
    return {**document, SEAL: _digest(document)}


def unsealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without its digest. Raises ValueError for one that was changed.

    Documents of older versions have no digest, and nothing is known of them.
    """
    rest = {key: value for key, value in document.items() if key != SEAL}
    if len(rest) < len(document) and document[SEAL] != _digest(rest):
        raise ValueError("changed since it was taken (its SHA-256 is another)")
    return rest


def _digest(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
