# SPDX-License-Identifier: Apache-2.0
"""Puts random faults into the host, room by room, and runs the tests that reach them.

A fault is drawn by the hash of its file, function and text, so that the same ones are drawn until
their function changes. Coverage of one run of the tests says which of them execute a fault's line.
A fault that changes nothing anyone can see is in tests/mutants/host/equivalent.toml, with why.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tools.mutants.edits import Edit, edits

ROOT = Path(__file__).resolve().parents[2]
HOST = ROOT / "host"
EQUIVALENT = ROOT / "tests" / "mutants" / "host" / "equivalent.toml"
TESTS = ("tests/unit/host",)
LEAST_CAUGHT = 0.95
"""Share of the faults that are not equivalent which tests must catch."""
TIMEOUT_SECONDS = 300
_MAPS = ROOT / "build" / "mutants"

Reached = Mapping[str, Mapping[str, Sequence[str]]]
"""By file, by line (as text; "" for all of the file), the tests that execute it."""


@dataclass(frozen=True)
class Fault:
    """An edit of a file, relative to host/."""

    file: str
    edit: Edit
    text: str
    """The line that it changes, without indentation."""

    @property
    def name(self) -> str:
        """What a list of equivalent faults calls it."""
        return f"{self.file}:{self.edit.function}: {self.text}: {self.edit.old} -> {self.edit.new}"


@dataclass(frozen=True)
class Outcome:
    """What became of a fault: "caught", "SURVIVES", "equivalent" or "not reached" by any test."""

    kind: str
    seconds: float


def rooms() -> dict[str, list[Path]]:
    """Return the files of each room of the host; those beside the rooms are a room, too."""
    found: dict[str, list[Path]] = {}
    for path in sorted(HOST.rglob("*.py")):
        found.setdefault(room_of(path), []).append(path)
    return found


def room_of(path: Path) -> str:
    """Return the room of one of the host's files; of a file beside the rooms its package."""
    package, *parts = path.relative_to(HOST).parts
    return parts[0] if len(parts) > 1 else package


def every(path: Path) -> list[Fault]:
    """Return all faults of a file."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    file = str(path.relative_to(HOST))
    return [Fault(file, edit, lines[edit.line - 1].strip()) for edit in edits(source)]


def drawn(files: Iterable[Path], count: int, seed: int) -> list[Fault]:
    """Draw that many faults from files, no two in one function."""
    ranked: list[tuple[str, Fault]] = []
    times: dict[str, int] = {}
    for fault in (fault for path in files for fault in every(path)):
        # The same slip can be made twice in a line, or in two equal lines.
        times[fault.name] = times.get(fault.name, -1) + 1
        key = f"{seed}\0{fault.name}\0{times[fault.name]}"
        ranked.append((hashlib.sha256(key.encode()).hexdigest(), fault))
    chosen: dict[tuple[str, str], Fault] = {}
    for _, fault in sorted(ranked, key=lambda entry: entry[0]):
        if len(chosen) == count:
            break
        where = fault.file, fault.edit.function
        source = (HOST / fault.file).read_text(encoding="utf-8")
        if where not in chosen and fault.edit.compiles(source):
            chosen[where] = fault
    return sorted(chosen.values(), key=lambda fault: (fault.file, fault.edit.line))


def equivalent() -> dict[str, str]:
    """Return the faults that change nothing anyone can see, by name, with the reasons."""
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("fault", [])
    return {entry["name"]: entry["why"] for entry in listed}


def run(per_room: int, seed: int, jobs: int, named: Sequence[str]) -> bool:
    """Run the faults of the named rooms, or of all; print a table; return whether enough fail."""
    files = {name: paths for name, paths in rooms().items() if not named or name in named}
    faults = [fault for paths in files.values() for fault in drawn(paths, per_room, seed)]
    known = equivalent()
    began = time.monotonic()
    reached = reached_by_tests(jobs)
    copies = [_Copy() for _ in range(jobs)]
    free = list(copies)
    lock = threading.Lock()

    def outcome(fault: Fault) -> Outcome:
        if fault.name in known:
            return Outcome("equivalent", 0.0)
        with lock:
            copy = free.pop()
        try:
            return copy.outcome(fault, tests_of(fault, reached))
        finally:
            with lock:
                free.append(copy)

    counts = {name: Counter[str]() for name in files}
    survivors: list[Fault] = []
    try:
        with ThreadPoolExecutor(jobs) as pool:
            for fault, result in zip(faults, pool.map(outcome, faults), strict=True):
                counts[room_of(HOST / fault.file)][result.kind] += 1
                where = f"{fault.file}:{fault.edit.line}"
                told = f"{fault.edit.old!r} -> {fault.edit.new!r}: {fault.text}"
                print(f"{result.kind:11} {result.seconds:5.1f} s  {where}  {told}", flush=True)
                if result.kind not in ("caught", "equivalent"):
                    survivors.append(fault)
    finally:
        for copy in copies:
            copy.remove()
    for name, kinds in counts.items():
        tried = kinds.total() - kinds["equivalent"]
        print(f"{name:12} {kinds['caught']} of {tried}")
    total = sum(counts.values(), Counter[str]())
    caught = total["caught"]
    share = caught / max(caught + len(survivors), 1)
    print(
        f"host's mutants, seed {seed}: {caught} of {caught + len(survivors)} caught"
        f" ({share:.1%}; at least {LEAST_CAUGHT:.0%} are asked),"
        f" {total['equivalent']} equivalent, in {time.monotonic() - began:.0f} s"
    )
    for fault in survivors:
        print(f"survives: {fault.name}")
    return share >= LEAST_CAUGHT


def tests_of(fault: Fault, reached: Reached) -> list[str]:
    """Return the tests that execute a fault's line, those of its own file first."""
    lines = reached.get(fault.file, {})
    # A line that runs at import is in no test, and in each that uses the file.
    names = lines.get(str(fault.edit.line)) or lines.get("", ())
    path = Path(fault.file)
    package, *folders = path.parts[:-1]
    own = "/".join([*(["lab"] if package == "plexor_lab" else []), *folders, f"test_{path.stem}"])
    if not names:
        # What only other processes execute is in no coverage.
        names = [test for folder in TESTS if (ROOT / (test := f"{folder}/{own}.py")).exists()]
    return sorted(names, key=lambda name: (own not in name, name))


def reached_by_tests(jobs: int) -> Reached:
    """Return which tests execute which lines, from a run of all of them with this tree's files."""
    digest = hashlib.sha256()
    for folder in ("host", *TESTS):
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    kept = _MAPS / f"reached-{digest.hexdigest()[:16]}.json"
    if not kept.exists():
        print("mutants: running all tests once, to see which reach which line", file=sys.stderr)
        found = _reached(jobs)
        _MAPS.mkdir(parents=True, exist_ok=True)
        for old in _MAPS.glob("reached-*.json"):
            old.unlink()
        kept.write_text(json.dumps(found))
    return json.loads(kept.read_text())


def _reached(jobs: int) -> Reached:
    with tempfile.TemporaryDirectory(prefix="plexor_mutant_") as scratch:
        environment = {**os.environ, "COVERAGE_FILE": f"{scratch}/coverage"}
        options = ["-q", "-n", str(jobs), "-m", "not full and not hardware"]
        options += ["-p", "no:cacheprovider", f"--basetemp={scratch}/tmp"]
        options += ["--cov=plexor", "--cov=plexor_lab", "--cov-context=test", "--cov-report="]
        report = Path(scratch) / "report.json"
        for words in (
            ("pytest", *options, *TESTS),
            ("coverage", "json", "--show-contexts", "--quiet", "-o", str(report)),
        ):
            done = subprocess.run(
                [sys.executable, "-m", *words],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                print(done.stdout[-3000:], done.stderr[-3000:], file=sys.stderr)
                raise SystemExit(f"mutants: {words[0]} failed without a fault")
        files: dict[str, dict[str, dict[str, list[str]]]]
        files = json.loads(report.read_text())["files"]
    found: dict[str, dict[str, list[str]]] = {}
    for path, measured in files.items():
        lines: dict[str, list[str]] = {}
        for line, contexts in measured["contexts"].items():
            # `path::name[parameters]|phase`: all parameters of a test are one test here.
            lines[line] = sorted({text.split("|")[0].split("[")[0] for text in contexts if text})
        lines[""] = sorted({name for names in lines.values() for name in names})
        found[str((ROOT / path).relative_to(HOST))] = lines
    return found


class _Copy:
    """A copy of host/ that one fault at a time goes into."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="plexor_mutant_"))
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(HOST, self._folder / "host", ignore=ignore)
        self._changes = 0

    def outcome(self, fault: Fault, tests: Sequence[str]) -> Outcome:
        """Run tests with a fault."""
        if not tests:
            return Outcome("not reached", 0.0)
        path = self._folder / "host" / fault.file
        source = path.read_text(encoding="utf-8")
        began = time.monotonic()
        self._write(path, fault.edit.applied(source))
        try:
            caught = self._fails(tests)
        finally:
            self._write(path, source)
        return Outcome("caught" if caught else "SURVIVES", time.monotonic() - began)

    def remove(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self._folder)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        # A compiled file is known by size and second: each version gets a second of its own.
        self._changes += 1
        os.utime(path, (self._changes, self._changes))

    def _fails(self, tests: Sequence[str]) -> bool:
        listed = self._folder / "tests"
        listed.write_text("\n".join(tests) + "\n", encoding="utf-8")
        options = ["-x", "-q", "-m", "not full and not hardware", "-p", "no:cacheprovider"]
        options += ["-p", "no:xdist", f"--basetemp={self._folder}/tmp", f"@{listed}"]
        environment = {**os.environ, "PYTHONPATH": str(self._folder / "host")}
        environment["PYTHONPYCACHEPREFIX"] = str(self._folder / "cache")
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *options],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return True
        if done.returncode not in (0, 1, 2):
            print(done.stdout[-500:] + done.stderr[-500:], file=sys.stderr)
        return done.returncode != 0
