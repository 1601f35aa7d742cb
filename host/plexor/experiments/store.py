# SPDX-License-Identifier: Apache-2.0
"""Steps on disk, one per line as they are taken; an interrupted sweep need not repeat them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, Self, cast

from plexor.base.disk.aside import free, keep_copy
from plexor.base.disk.atomic import replacing, sync
from plexor.base.disk.errors import NO_ROOM, unwritten, writing
from plexor.base.disk.lock import Held
from plexor.base.disk.notices import say
from plexor.base.documents import is_damaged_document, sealed, unsealed
from plexor.base.errors import StoreError, UsageError, reason_of
from plexor.base.jsonable import from_json, object_of, one_line, parse_json, to_json
from plexor.base.toml_text import parse_toml
from plexor.experiments.step import Steps, of_step
from plexor.wire.link.sim import files_of_design

_INPUTS = ("firmware", "platform", "codes")
"""Options of simulated devices that name a file to read; those of Verilog are `plus.NAME`."""
FILE = "steps.jsonl"
NEW_FILE = "steps.jsonl.new"
"""Steps that will replace those in FILE."""
Differing = Callable[[Mapping[str, str], Mapping[str, str]], list[str]]
"""Says what differs in settings that are asked now and in those that are there."""


class DeviceWork(Protocol):
    """Work that takes steps of a device: a dataclass."""

    @property
    def dut(self) -> str | None:
        """The simulated device; None: the link's own."""
        ...


def key_of(job: DeviceWork) -> str:
    """Return the key that identifies a job: a digest of everything that its steps depend on.

    Of a device that a manifest describes these are also all files that the design is made of.
    """
    files = [] if job.dut is None else _digests(job.dut)
    asked = to_json(job, without_later=True)
    parts = [metadata.version("plexor"), type(job).__name__, asked, files]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def _digests(dut: str) -> list[str]:
    """Return digests of all files that a simulated device is made of and reads.

    Of a manifest these are the files that it names, those that Verilator reads for it, and those
    that the design opens. Of any device they are also files that its options name as inputs.
    """
    name, _, options = dut.partition(":")
    named = [item.partition("=") for item in options.split(",")]
    files = [Path(value) for key, _, value in named if key in _INPUTS or key.startswith("plus.")]
    contents = [_digest(path) for path in files if path.is_file()]
    manifest = Path(name)
    if manifest.suffix != ".toml" or not manifest.is_file():
        return contents
    try:
        content = manifest.read_bytes()
        texts = _texts(parse_toml(content.decode()))
    except (OSError, ValueError) as error:
        raise StoreError(f"{manifest}: cannot read: {error}") from error
    contents += [_digest(manifest)]
    contents += [_digest(path) for text in texts if (path := manifest.parent / text).is_file()]
    read = _files_of(dut, str(manifest.resolve()), tuple(contents))
    return [*contents, *(_digest(path) if path.is_file() else "" for path in read)]


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise StoreError(f"{path}: cannot read: {reason_of(error)}") from error


@cache
def _files_of(dut: str, _manifest: str, _contents: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the files of a design, by what it is made of; none if it cannot be simulated."""
    return files_of_design(dut)


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        value = list(cast("dict[str, Any]", value).values())
    if isinstance(value, list):
        return [text for entry in cast("list[Any]", value) for text in _texts(entry)]
    return [value] if isinstance(value, str) else []


@contextmanager
def made_of_steps(folder: Path) -> Generator[None]:
    """Say of a damaged result, if its steps are kept, how it is made anew."""
    try:
        yield
    except StoreError as error:
        if not is_damaged_document(error) or not (folder / FILE).is_file():
            raise
        raise StoreError(
            f"{error}; its steps are kept: the same command with --out {folder} makes it anew"
        ) from error.__cause__


def question_of(kind: str, wanted: object, duts: Iterable[str | None]) -> str:
    """Return the text that identifies a question: its kind, and a digest of everything it asks.

    Of devices that a manifest describes these are also all files that the designs are made of.
    """
    files = [_digests(dut) for dut in duts if dut is not None]
    text = json.dumps([to_json(wanted, without_later=True), files], sort_keys=True)
    return f"{kind} {hashlib.sha256(text.encode()).hexdigest()[:32]}"


class StepStore:
    """A file of steps by their jobs; without a folder nothing is kept.

    Its first line has the question that the steps answer. A folder that holds anything but steps of
    the same question is rejected with UsageError, and so is one that another process writes to,
    until `close`. With `force`, a folder that holds an answer of the same kind is replaced, once
    the new one has ended (`finish`): until then its steps are in NEW_FILE, where the same question
    with `force` continues. Damaged lines are set aside. `names` are the names of the options that
    set the folder and `force`, for messages. `settings` are those of the question, as texts;
    `differing` says of two of such what differs.
    """

    def __init__(
        self,
        folder: Path | None,
        question: str = "",
        *,
        force: bool = False,
        names: tuple[str, str] = ("out", "force"),
        settings: Mapping[str, str] = MappingProxyType({}),
        differing: Differing | None = None,
    ) -> None:
        self._path = None if folder is None else folder / FILE
        self._question = question
        self._settings = settings
        self._differing = differing
        self._known: dict[str, Steps] = {}
        self._whole_bytes = 0
        """Bytes of the file up to its last whole line; a killed writer may have left half a line
        after it."""
        self._held: Held | None = None
        if folder is None:
            return
        try:
            self._held = Held(folder, names[0])
            self._open(folder, force, names)
        except OSError as error:
            self.close()
            if error.errno in NO_ROOM:
                raise unwritten(folder, error) from error
            raise UsageError(f"{names[0]} {folder}: {error.strerror or error}") from error
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes have the folder. May be called twice."""
        if self._held is not None:
            self._held.close()

    def _open(self, folder: Path, force: bool, names: tuple[str, str]) -> None:
        out, forcing = names
        path = folder / FILE
        found = read_steps(path) if path.exists() else StepsFile()
        others = {entry.name for entry in folder.iterdir()} - {Held.FILE, FILE}
        if not (others or found.lines or found.wrong):
            # Nothing is there, or the first line of a writer that ended suddenly.
            return
        kind = self._question.partition(" ")[0]
        damage = ""
        if path.exists() and found.question is None and (found.wrong or not found.lines):
            damage = next(iter(found.wrong), f"{path}: holds no whole line")
        if not _holds(folder, kind, found.question):
            if damage:
                raise StoreError(f"{damage}; so nobody knows what it is; name another folder")
            raise UsageError(
                f"{out} {folder}: holds no {kind}; "
                + (f"{forcing} replaces only {kind}s" if force else "name another folder")
            )
        if not force and found.question != self._question:
            there = f"{out} {folder}: already exists{self._other(found)}"
            raise UsageError(f"{damage or there}; {forcing} replaces it")
        if force:
            path = self._path = folder / NEW_FILE
            found = read_steps(path) if path.exists() else StepsFile()
            if found.question not in (None, self._question):
                kept = free(path)
                os.rename(path, kept)
                say(f"{kept}: steps of another {kind}, which was to replace this one and was ended")
                return
        self._known, self._whole_bytes = found.steps, _mended(path, found)

    def _other(self, found: StepsFile) -> str:
        """Return how the question of a file is another one, as far as it is known."""
        if self._differing is None or found.settings is None:
            return ""
        other = "; ".join(self._differing(self._settings, found.settings))
        return f", with {other or 'other files of its device'}"

    def __len__(self) -> int:
        return len(self._known)

    def find(self, job: DeviceWork) -> Steps | None:
        """Return the steps of a job that was taken before, or None."""
        return self._known.get(key_of(job))

    def add(self, job: DeviceWork, steps: Steps) -> None:
        """Keep a job's steps on the disk; raise StoreError where they cannot be written."""
        key = key_of(job)
        self._known[key] = steps
        if self._path is None:
            return
        first = not self._whole_bytes
        asked = {"question": self._question, "settings": dict(self._settings)}
        lines: list[dict[str, Any]] = [asked] if first else []
        entries = to_json(steps)
        lines.append(sealed({"job": key, "steps": entries}))
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        with writing(self._path):
            with self._path.open("ab") as file:
                file.truncate(self._whole_bytes)
                written = file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            self._whole_bytes += written
            if first:
                sync(self._path.parent)

    def finish(self) -> None:
        """Put new steps in the place of those that they replace, if there are any."""
        if self._path is None or self._path.name == FILE or not self._whole_bytes:
            return
        with writing(self._path):
            os.replace(self._path, self._path.with_name(FILE))
            self._path = self._path.with_name(FILE)
            sync(self._path.parent)


def _mended(path: Path, found: StepsFile) -> int:
    """Return the bytes of a file's whole lines; a file with others is set aside, without them."""
    if found.wrong:
        kept = keep_copy(path)
        with replacing(path) as part:
            part.write_bytes(b"".join(found.lines))
        say(
            f"{found.wrong[0]}; the file is kept as {kept.name}, and its {len(found.steps)} other"
            " jobs are not taken again"
        )
    return sum(map(len, found.lines))


def results_of(kind: str) -> tuple[str, str]:
    """Return the names of the files made from steps: the result, and its page if there is one."""
    return f"{kind}.json", f"{kind}.html"


def _holds(folder: Path, kind: str, asked: str | None) -> bool:
    """Return whether a folder holds steps or a result of a kind."""
    return (asked or "").partition(" ")[0] == kind or (folder / results_of(kind)[0]).is_file()


@dataclass(frozen=True, slots=True)
class _Asked:
    """The first line of FILE."""

    question: str
    settings: Mapping[str, str] | None = None
    """None: an older file, which does not tell."""


@dataclass(frozen=True, slots=True)
class _Line:
    """Another line of FILE: the steps that a job took."""

    job: str
    steps: Steps


@dataclass(slots=True)
class StepsFile:
    """The content of FILE."""

    question: str | None = None
    settings: Mapping[str, str] | None = None
    steps: dict[str, Steps] = field(default_factory=dict[str, Steps])
    """By their jobs."""
    lines: list[bytes] = field(default_factory=list[bytes])
    """Its lines that are valid."""
    wrong: list[str] = field(default_factory=list[str])
    """What is wrong with the others, each with the path."""


def read_steps(path: Path) -> StepsFile:
    """Return a file's steps. Raises StoreError for a file that cannot be read."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path}: cannot read: {reason_of(error)}") from error
    found = StepsFile()
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(True), 1):
        try:
            entries = object_of(parse_json(line))
            if number == 1 and "question" in entries:
                asked = from_json(_Asked, entries)
                found.question, found.settings = asked.question, asked.settings
            else:
                entry = from_json(_Line, unsealed(entries))
                for text in (text for step in entry.steps for text in of_step(step)):
                    raise ValueError(text)
                found.steps[entry.job] = entry.steps
            found.lines.append(line)
        except ValueError as error:
            found.wrong.append(f"{path}, line {number}: not a valid step: {one_line(error)}")
    return found
