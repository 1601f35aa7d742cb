"""Steps on disk, one per line as they are taken; an interrupted sweep need not repeat them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, cast

from plexor.errors import StoreError, UsageError
from plexor.jsonable import from_json, one_line, parse_json, read_document, to_json
from plexor.sweep.consistent import check, check_step
from plexor.sweep.job import Job
from plexor.sweep.model import Step, SweepResult
from plexor.sweep.scan import Scan
from plexor.toml_text import parse_toml

FILE = "steps.jsonl"
RESULT_FILE = "sweep.json"
FORMAT = 1
"""Format of RESULT_FILE; a higher one is not read."""


def key_of(job: Job | Scan) -> str:
    """Return the key that identifies a job: a digest of everything that its step depends on.

    Of a device that a manifest describes these are also the files that it names.
    """
    files = [] if job.dut is None else _digests(Path(job.dut))
    parts = [metadata.version("plexor"), type(job).__name__, to_json(job), files]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def _digests(manifest: Path) -> list[str]:
    """Return digests of a manifest and of all files named in it; none of what is no manifest."""
    if manifest.suffix != ".toml" or not manifest.is_file():
        return []
    try:
        content = manifest.read_bytes()
        named = _texts(parse_toml(content.decode()))
        files = [path for text in named if (path := manifest.parent / text).is_file()]
        contents = [content, *(path.read_bytes() for path in files)]
    except (OSError, ValueError) as error:
        raise StoreError(f"{manifest}: cannot read: {error}") from error
    return [hashlib.sha256(each).hexdigest() for each in contents]


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        value = list(cast("dict[str, Any]", value).values())
    if isinstance(value, list):
        return [text for entry in cast("list[Any]", value) for text in _texts(entry)]
    return [value] if isinstance(value, str) else []


def is_sweep(folder: Path) -> bool:
    """Return whether a folder holds a sweep's result."""
    return (folder / RESULT_FILE).is_file()


def save(result: SweepResult, folder: Path) -> None:
    """Write a sweep's result to its folder; raise StoreError where that cannot be."""
    text = json.dumps({"format": FORMAT, "sweep": to_json(result)}, indent=1, ensure_ascii=False)
    part = folder / f".{RESULT_FILE}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part.write_text(text + "\n", encoding="utf-8")
        part.replace(folder / RESULT_FILE)
    except OSError as error:
        raise StoreError(f"{folder}: cannot write: {error.strerror or error}") from error


def load(folder: Path) -> SweepResult:
    """Return the result in a folder; raise StoreError where there is none that can be."""
    return read_document(folder / RESULT_FILE, "sweep", FORMAT, SweepResult, check)


def question_of(kind: str, wanted: object, duts: Iterable[str | None]) -> str:
    """Return the text that identifies a question: its kind, and a digest of everything it asks.

    Of devices that a manifest describes these are also the files that it names.
    """
    files = [_digests(Path(dut)) for dut in duts if dut is not None]
    text = json.dumps([to_json(wanted), files], sort_keys=True)
    return f"{kind} {hashlib.sha256(text.encode()).hexdigest()[:32]}"


class StepStore:
    """A file of steps by their jobs; without a folder nothing is kept.

    Its first line has the question that the steps answer. A folder that holds anything but steps of
    the same question is rejected with UsageError. With `force`, the first step that is added
    replaces a folder that holds an answer of the same kind. `names` are the names of the options
    that set the folder and `force`, for messages.
    """

    def __init__(
        self,
        folder: Path | None,
        question: str = "",
        *,
        force: bool = False,
        names: tuple[str, str] = ("out", "force"),
    ) -> None:
        self._path = None if folder is None else folder / FILE
        self._question = question
        self._known: dict[str, tuple[Step, ...]] = {}
        self._whole_bytes = 0
        """Bytes of the file up to its last whole line; a killed writer may have left half a line
        after it."""
        out, forcing = names
        if folder is None or _is_free(folder, out):
            return
        path = folder / FILE
        asked, known, whole_bytes = read_steps(path) if path.exists() else (None, {}, 0)
        kind = question.partition(" ")[0]
        if force and not _holds(folder, kind, asked):
            raise UsageError(f"{out} {folder}: holds no {kind}; {forcing} replaces only {kind}s")
        if not force and asked != question:
            raise UsageError(f"{out} {folder}: already exists; {forcing} replaces it")
        if not force:
            self._known, self._whole_bytes = known, whole_bytes

    def __len__(self) -> int:
        return len(self._known)

    def find(self, job: Job | Scan) -> tuple[Step, ...] | None:
        """Return the steps of a job that was taken before, or None."""
        return self._known.get(key_of(job))

    def add(self, job: Job | Scan, steps: tuple[Step, ...]) -> None:
        """Keep a job's steps; raise StoreError where they cannot be written."""
        key = key_of(job)
        self._known[key] = steps
        if self._path is None:
            return
        lines = [] if self._whole_bytes else [{"question": self._question}]
        lines.append({"job": key, "steps": to_json(steps)})
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if not self._whole_bytes:
                for name in results_of(self._question.partition(" ")[0]):
                    self._path.with_name(name).unlink(missing_ok=True)
            with self._path.open("ab") as file:
                file.truncate(self._whole_bytes)
                self._whole_bytes += file.write(text.encode())
        except OSError as error:
            raise StoreError(f"{self._path}: cannot write: {error.strerror or error}") from error


def results_of(kind: str) -> tuple[str, str]:
    """Return the names of the files made from steps: the result, and its page if there is one."""
    return f"{kind}.json", f"{kind}.html"


def _is_free(folder: Path, name: str) -> bool:
    """Return whether a folder is missing or empty; raise UsageError if it cannot be read."""
    try:
        return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    except OSError as error:
        raise UsageError(f"{name} {folder}: {error.strerror or error}") from error


def _holds(folder: Path, kind: str, asked: str | None) -> bool:
    """Return whether a folder holds steps or a result of a kind."""
    return (asked or "").partition(" ")[0] == kind or (folder / results_of(kind)[0]).is_file()


@dataclass(frozen=True, slots=True)
class _Asked:
    """The first line of FILE."""

    question: str


@dataclass(frozen=True, slots=True)
class _Line:
    """Another line of FILE: the steps that a job took."""

    job: str
    steps: tuple[Step, ...]


def read_steps(path: Path) -> tuple[str | None, dict[str, tuple[Step, ...]], int]:
    """Return a file's question, its steps by their jobs, and the bytes of its whole lines.

    Raises StoreError for a file that cannot be read and for a line that is no step.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path}: cannot read: {error.strerror or error}") from error
    whole = content[: content.rfind(b"\n") + 1]
    asked: str | None = None
    found: dict[str, tuple[Step, ...]] = {}
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            value = parse_json(line)
            if number == 1 and isinstance(value, dict) and "question" in value:
                asked = from_json(_Asked, value).question
                continue
            entry = from_json(_Line, value)
            for step in entry.steps:
                check_step(step)
        except ValueError as error:
            raise StoreError(
                f"{path}, line {number}: not a valid step: {one_line(error)}; remove the line"
            ) from error
        found[entry.job] = entry.steps
    return asked, found, len(whole)
