# SPDX-License-Identifier: Apache-2.0
"""Puts random faults into the host, room by room, and runs the tests that reach them.

A fault is drawn by the hash of its file, function and text, so that the same ones are drawn until
their function changes. Coverage of one run of the tests says which of them execute a fault's line.
What survives all of these meets the tests of whole commands that are named for its file or folder.
A fault that changes nothing anyone can see is in tests/mutants/host/equivalent.toml, with why.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path
from typing import Any

import coverage

from tools.mutants.edits import Edit, edits
from tools.mutants.forks import Forks

ROOT = Path(__file__).resolve().parents[2]
HOST = ROOT / "host"
EQUIVALENT = ROOT / "tests" / "mutants" / "host" / "equivalent.toml"
TESTS = ("tests/unit/host",)
CONTRACTS = {"protocol": ("tests/contract", "tests/contract/test_document.py")}
"""Where tests of a room are as well, and what tests all of it.

What is declared once is held by its golden vectors, and by the page that others have read.
"""
SYSTEM = "tests/system"
"""Tests of whole commands. Those that are named for a file or its folder are run last."""
LEAST_CAUGHT = 0.95
"""Share of the faults that are not equivalent which tests must catch."""
TEST_SECONDS = 60
"""A test that takes longer has met an endless loop, and its process ends."""
TIMEOUT_SECONDS = 300
"""All tests of a fault may take so long. What comes after that tells nothing, and it survives."""
SYSTEM_PATIENCE = 5
"""Tests of whole commands may take so many times as long."""
_NO_TESTS = 5
"""What pytest ends with if a file has none, or only long ones."""
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
    by: str = ""
    """The test that failed."""


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
    tree = _digests(("host", *TESTS))
    counts = {name: Counter[str]() for name in files}

    def tell(fault: Fault, result: Outcome) -> None:
        counts[room_of(HOST / fault.file)][result.kind] += 1
        where = f"{fault.file}:{fault.edit.line}"
        told = f"{fault.edit.old!r} -> {fault.edit.new!r}: {fault.text}"
        by = f"  [{result.by}]" if result.by else ""
        print(f"{result.kind:11} {result.seconds:5.1f} s  {where}  {told}{by}", flush=True)

    left: list[Fault] = []
    for fault in faults:
        if fault.name in known:
            tell(fault, Outcome("equivalent", 0.0))
        else:
            left.append(fault)
    copies = [_Copy() for _ in range(jobs)]
    survivors: list[Fault] = []
    try:
        # Most faults are caught by the tests of their own file: those need no map of the others.
        near = _outcomes(copies, [(fault, own_tests(fault)) for fault in left])
        for fault, result in near:
            if result.kind == "caught":
                tell(fault, result)
            else:
                survivors.append(fault)
        left, survivors = survivors, []
        reached: Reached = reached_by_tests(jobs) if left else {}
        far = [(fault, other_tests(fault, reached)) for fault in left]
        for fault, result in _outcomes(copies, far):
            if result.kind == "caught":
                tell(fault, result)
            else:
                survivors.append(fault)
        left, survivors = survivors, []
        whole = [(fault, system_tests(fault)) for fault in left]
        for fault, result in _outcomes(copies, whole, SYSTEM_PATIENCE):
            if result.kind == "caught":
                tell(fault, result)
            else:
                ran = own_tests(fault) or other_tests(fault, reached)
                tell(fault, Outcome("SURVIVES", result.seconds) if ran else result)
                survivors.append(fault)
    finally:
        for copy in copies:
            copy.remove()
    if _digests(("host", *TESTS)) != tree:
        raise SystemExit("mutants: host/ or its tests changed meanwhile; run them again")
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


def _outcomes(
    copies: Sequence[_Copy], work: Sequence[tuple[Fault, Sequence[str]]], patience: int = 1
) -> Iterator[tuple[Fault, Outcome]]:
    """Run the tests of each fault, in as many processes as there are copies.

    `patience` is how many times as long as tests of a unit they may take.
    """
    free = list(copies)
    lock = threading.Lock()

    def outcome(task: tuple[Fault, Sequence[str]]) -> tuple[Fault, Outcome]:
        with lock:
            copy = free.pop()
        try:
            return task[0], copy.outcome(*task, patience)
        finally:
            with lock:
                free.append(copy)

    with ThreadPoolExecutor(len(copies)) as pool:
        yield from pool.map(outcome, work)


def own_tests(fault: Fault) -> list[str]:
    """Return the files of tests that are named after a fault's file: the name may go on."""
    path = Path(fault.file)
    package, *folders = path.parts[:-1]
    folder = Path(*(["lab"] if package == "plexor_lab" else []), *folders)
    stem = path.parent.name if path.stem == "__init__" else path.stem.strip("_")
    place, *of_all = CONTRACTS.get(str(folder), ("",))
    places = [*(ROOT / tests / folder for tests in TESTS), ROOT / place]
    own = [
        str(found.relative_to(ROOT))
        for place in places
        for ending in ("", "_*")
        for found in sorted(place.glob(f"test_{stem}{ending}.py"))
    ]
    return list(dict.fromkeys([*own, *of_all]))


def other_tests(fault: Fault, reached: Reached) -> list[str]:
    """Return the tests in other files that execute a fault's line, its neighbours' first."""
    lines = reached.get(fault.file, {})
    # A line that runs at import is in no test, and in each that uses the file.
    names = lines.get(str(fault.edit.line)) or lines.get("", ())
    own = own_tests(fault)
    near = str(Path(own[0]).parent) if own else ""
    others = (name for name in names if name.split("::")[0] not in own)
    return sorted(others, key=lambda name: (not near or not name.startswith(near), name))


def system_tests(fault: Fault) -> list[str]:
    """Return the tests of whole commands that are named for a fault's file or its folder.

    The bodies of commands are reached by no other tests.
    """
    path = Path(fault.file)
    words = dict.fromkeys((path.stem.strip("_"), path.parent.name))
    found = (
        str(found.relative_to(ROOT))
        for word in words
        for ending in ("", "_*")
        for found in sorted((ROOT / SYSTEM).glob(f"test_{word}{ending}.py"))
    )
    return list(dict.fromkeys(found))


def reached_by_tests(jobs: int) -> Reached:
    """Return which tests execute which lines of this tree's files.

    Kept from one time to the next: only the files of tests are run again that have changed. The
    lines of a file that has changed keep their tests; a new line has those of all of the file.
    """
    kept = _MAPS / "reached.json"
    before: dict[str, Any] = {"sources": {}, "digests": {}, "tests": {}}
    if kept.exists():
        before = json.loads(kept.read_text())
    sources = {
        str(path.relative_to(HOST)): path.read_text(encoding="utf-8")
        for path in sorted(HOST.rglob("*.py"))
    }
    digests = _digests(TESTS)
    stale = [
        name
        for name in digests
        if _has_tests(name)
        and (name not in before["tests"] or before["digests"].get(name) != digests[name])
    ]
    places = {
        file: _places(text, sources[file])
        for file, text in before["sources"].items()
        if sources.get(file, text) != text
    }
    tests: dict[str, Reached] = {
        name: {
            file: _moved(lines, places[file]) if file in places else lines
            for file, lines in files.items()
            if file in sources
        }
        for name, files in before["tests"].items()
        if name in digests and name not in stale
    }
    _MAPS.mkdir(parents=True, exist_ok=True)
    # What one room's tests have shown is kept, whatever becomes of the next ones.
    for _, room in groupby(stale, key=lambda name: Path(name).parent.parts[:4]):
        names = list(room)
        print(f"mutants: running {len(names)} files of tests to see their lines", file=sys.stderr)
        tests |= _reached(names, jobs)
        kept.write_text(json.dumps({"sources": sources, "digests": digests, "tests": tests}))
    found: dict[str, dict[str, list[str]]] = {}
    for files in tests.values():
        for file, lines in files.items():
            for line, names in lines.items():
                found.setdefault(file, {}).setdefault(line, []).extend(names)
    for lines in found.values():
        lines[""] = sorted({name for names in lines.values() for name in names})
    return found


def _digests(folders: Iterable[str]) -> dict[str, str]:
    """Return the digest of each file of Python in some folders."""
    return {
        str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


def _has_tests(name: str) -> bool:
    return Path(name).name.startswith("test_")


def _places(before: str, after: str) -> dict[str, str]:
    """Return where the lines of a source are that are still there, by where they were."""
    old, new = before.splitlines(), after.splitlines()
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return {str(one.a + n + 1): str(one.b + n + 1) for one in blocks for n in range(one.size)}


def _moved(
    lines: Mapping[str, Sequence[str]], places: Mapping[str, str]
) -> dict[str, Sequence[str]]:
    return {places[line]: names for line, names in lines.items() if line in places}


def _reached(tests: Sequence[str], jobs: int) -> Mapping[str, Reached]:
    """Return which lines each file of tests executes, by a run of them with coverage."""
    with tempfile.TemporaryDirectory(prefix="plexor_mutant_") as scratch:
        environment = {**os.environ, "COVERAGE_FILE": f"{scratch}/coverage"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        listed = Path(scratch, "tests")
        listed.write_text("\n".join(tests) + "\n", encoding="utf-8")
        options = ["-q", "-n", str(jobs), "-m", "not full and not hardware"]
        options += ["-p", "no:cacheprovider", f"--basetemp={scratch}/tmp"]
        options += ["--cov=plexor", "--cov=plexor_lab", "--cov-context=test", "--cov-report="]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, f"@{listed}"],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        failed = set(re.findall(r"^(?:FAILED|ERROR) ([^ \[]+)", done.stdout, re.MULTILINE))
        if done.returncode not in (0, 1, _NO_TESTS) or "" in failed:
            print(done.stdout[-3000:], done.stderr[-3000:], file=sys.stderr)
            raise SystemExit("mutants: the tests did not run")
        for name in sorted(failed):
            print(f"mutants: fails without a fault, and is left out: {name}", file=sys.stderr)
        data = coverage.CoverageData(f"{scratch}/coverage")
        data.read()
        found: dict[str, dict[str, dict[str, list[str]]]] = {name: {} for name in tests}
        for path in data.measured_files():
            file = str(Path(path).relative_to(HOST))
            for line, contexts in data.contexts_by_lineno(path).items():
                # `path::name[parameters]|phase`: all parameters of a test are one test here.
                names = {text.split("|")[0].split("[")[0] for text in contexts if text}
                for name in sorted(names - failed):
                    lines = found[name.split("::")[0]].setdefault(file, {})
                    lines.setdefault(str(line), []).append(name)
    return found


class _Copy:
    """A copy of host/ that one fault at a time goes into, and a process that runs tests with it."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="plexor_mutant_"))
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(HOST, self._folder / "host", ignore=ignore)
        self._changes = 0
        environment = {**os.environ, "PYTHONPATH": str(self._folder / "host")}
        environment["PYTHONPYCACHEPREFIX"] = str(self._folder / "cache")
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self._forks = Forks(ROOT, environment, self._folder / "told")

    def outcome(self, fault: Fault, tests: Sequence[str], patience: int = 1) -> Outcome:
        """Run tests with a fault. A whole command's must fail, hold without it, and fail again."""
        if not tests:
            return Outcome("not reached", 0.0)
        path = self._folder / "host" / fault.file
        source = path.read_text(encoding="utf-8")
        began = time.monotonic()
        try:
            self._write(path, fault.edit.applied(source))
            caught, by = self._fails(tests, patience)
            if caught and patience > 1:
                # Such tests start simulators and browsers: a busy machine may fail them, too.
                named = [by] if by else tests
                self._write(path, source)
                caught = not self._fails(named, patience)[0]
                self._write(path, fault.edit.applied(source))
                caught = caught and self._fails(named, patience)[0]
        finally:
            self._write(path, source)
        return Outcome("caught" if caught else "SURVIVES", time.monotonic() - began, by)

    def remove(self) -> None:
        """Remove the copy and end its process."""
        self._forks.close()
        shutil.rmtree(self._folder)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        # A compiled file is known by size and second: each version gets a second of its own.
        self._changes += 1
        os.utime(path, (self._changes, self._changes))

    def _fails(self, tests: Sequence[str], patience: int) -> tuple[bool, str]:
        """Return whether a test fails, and which one."""
        listed = self._folder / "tests"
        listed.write_text("\n".join(tests) + "\n", encoding="utf-8")
        options = ["-x", "-q", "-m", "not full and not hardware", "-p", "no:cacheprovider"]
        options += ["-p", "no:xdist", f"--timeout={TEST_SECONDS * patience}"]
        options += ["--timeout-method=thread", f"--basetemp={self._folder}/tmp", f"@{listed}"]
        code = self._forks.pytest(options, TIMEOUT_SECONDS * patience)
        if code in (0, _NO_TESTS):
            return False, ""
        if code is None:
            # A test without end has ended its process before: these were too many for the time.
            return False, "time-out"
        output = self._forks.output()
        if code not in (1, 2):
            print(output, file=sys.stderr)
        failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
        return True, failed[-1] if failed else ""
