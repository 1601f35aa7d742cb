# SPDX-License-Identifier: Apache-2.0
"""What other packages add to Plexor, by entry points of their wheels.

A name in the group `plexor.commands` is a command of `plexor`, and so on. Names come from the
metadata beside installed packages: nothing is imported before it is used. Metadata is read here
because importlib.metadata takes 50 ms to import and to read 158 packages, and this takes 6 ms.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from plexor.base.errors import PlexorError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from plexor.base.documents import Document
    from plexor.library.scans.scan import Ended

COMMANDS = "plexor.commands"
"""Commands: `NAME = package.module:object`, where the object is a Command."""
EXPORTERS = "plexor.exporters"
"""Formats of files: by their suffix without its dot, a function of a Run and the path to write."""
LIBRARY = "plexor.library"
"""Names of `plexor`, such as `plexor.Bound`: any objects."""
MEASUREMENTS = "plexor.measurements"
"""Measurements: a function of an Instrument and options by keywords, such as `instrument.mixed`."""
KINDS = "plexor.kinds"
"""Results: `NAME = package.module:object`, where the object is a Kept. Their file is NAME.json."""
RUNS = "plexor.runs"
"""Figures of runs whose description has a key NAME: a function of a Run, which returns a Figured
that `plexor compare` takes in place of channels, or None."""
T = TypeVar("T")
_FILE = "entry_points.txt"
_METADATA = (".dist-info", ".egg-info")
_Groups = Mapping[str, Mapping[str, tuple["Offer", ...]]]


class Command(NamedTuple):
    """A command: what it does, in a sentence for `plexor --help`, and where it is."""

    help: str
    target: str
    """`package.module:object`. The object is a click.Command, imported when it is called."""


class Kept(NamedTuple):
    """A kind of results on the disk: how its folder is read, and what its document may hold."""

    load: Callable[[Path], Ended[Any]]
    document: Document[Any]


class Offer(NamedTuple):
    """What a package offers under a name."""

    name: str
    package: str
    """The distribution, as pip names it."""
    target: str
    """`package.module:object`, or a module alone."""

    def load(self, kind: type[T]) -> T:
        """Import the object. Raises UsageError with package and error if that fails."""
        return self.loaded(self.target, kind)

    def loaded(self, target: str, kind: type[T]) -> T:
        """Import another object of the package, by `package.module:object`; raise as `load`."""
        module, _, attributes = target.partition(":")
        try:
            loaded: object = import_module(module)
            for attribute in filter(None, attributes.split(".")):
                loaded = getattr(loaded, attribute)
        except (Exception, SystemExit) as error:
            text = f"{type(error).__name__}: {error}"
            raise UsageError(f"{self._whose}: {target} cannot be imported: {text}") from error
        if not isinstance(loaded, kind):
            text = f"is a {type(loaded).__name__}; must be a {kind.__name__}"
            raise UsageError(f"{self._whose}: {target} {text}")
        return loaded

    def call(self, function: Callable[..., T], *arguments: object) -> T:
        """Call a function of the package.

        What it raises beside PlexorError and OSError is its own fault: UsageError names it.
        """
        try:
            return function(*arguments)
        except (PlexorError, OSError):
            raise
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            raise UsageError(f"{self._whose}: {self.target} failed: {text}") from error

    @property
    def _whose(self) -> str:
        return f"{self.name}, of package {self.package}"


def names(group: str) -> list[str]:
    """Return the names that packages offer in a group, in their order."""
    return sorted(_read(tuple(sys.path)).get(group, {}))


def offer_of(group: str, name: str) -> Offer | None:
    """Return what is offered under a name; None if nothing is.

    Raises UsageError if several packages offer it.
    """
    offers = _read(tuple(sys.path)).get(group, {}).get(name, ())
    if len(offers) > 1:
        packages = " and ".join(offer.package for offer in offers)
        raise UsageError(f"{name}: packages {packages} offer it; uninstall all but one")
    return offers[0] if offers else None


@lru_cache(maxsize=4)
def _read(folders: tuple[str, ...]) -> _Groups:
    """Return all groups of Plexor's in some folders. Of a package that is twice, the first is."""
    groups: dict[str, dict[str, tuple[Offer, ...]]] = {}
    known: set[str] = set()
    for folder in folders:
        for package, text in _texts(folder or os.curdir):
            plain = re.sub(r"[-_.]+", "-", package).lower()
            if plain in known:
                continue
            known.add(plain)
            for group, offer in _offers(package, text):
                named = groups.setdefault(group, {})
                named[offer.name] = (*named.get(offer.name, ()), offer)
    return groups


def _texts(folder: str) -> Iterator[tuple[str, str]]:
    """Yield each package in a folder that has entry points, and their text."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        if not name.endswith(_METADATA):
            continue
        try:
            with open(os.path.join(folder, name, _FILE), encoding="utf-8") as file:
                yield name.rpartition(".")[0].partition("-")[0], file.read()
        except (OSError, ValueError):
            continue


def _offers(package: str, text: str) -> Iterator[tuple[str, Offer]]:
    """Yield the group of each entry point that is Plexor's, and what it offers."""
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[]")
        elif group.startswith("plexor.") and "=" in line and line[0] != "#":
            name, _, target = line.partition("=")
            yield group, Offer(name.strip(), package, target.partition("[")[0].strip())
