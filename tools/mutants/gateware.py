# SPDX-License-Identifier: Apache-2.0
"""Puts deliberate faults into the gateware. Each must fail the test that is named for it.

Each fault of tests/mutants/*.toml goes into a scratch copy of hdl/; the tree itself never changes.
Its test must pass without the fault and fail with it. It must fail by a claim or a time-out, not
because a file does not load.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
FAULTS = ROOT / "tests" / "mutants"
CAUGHT_BY = ("AssertionError", "assert ", "TimeoutError", "Failed: ")
"""First words of the message of a test that found the fault or timed out."""
TIMEOUT_SECONDS = 240


@dataclass(frozen=True)
class Fault:
    """Replaces `old`, which is in `file` exactly once, by `new`; `test` then fails.

    `file` is relative to hdl/, `test` is a pytest name relative to the root. In a fault of the twin
    `file` is one of its sources, and `test` the name of a measurement (tools.twin.planted).
    """

    name: str
    file: str
    old: str
    new: str
    test: str

    def mutated(self, folder: Path) -> str:
        """Return the file with the fault. Raises ValueError unless `old` is in it exactly once."""
        text = (folder / self.file).read_text()
        found = text.count(self.old)
        if found != 1:
            raise ValueError(
                f"{self.name}: the old text occurs {found} times in {self.file}; must occur once"
            )
        return text.replace(self.old, self.new)


@dataclass(frozen=True)
class Outcome:
    """How a test ended ("passed", "failed" by a claim, or "broken"), and its first message."""

    kind: str
    message: str
    seconds: float


def load(folder: Path = FAULTS) -> list[Fault]:
    """Return the faults in a folder's lists."""
    return [
        Fault(**entry)
        for path in sorted(folder.glob("*.toml"))
        for entry in tomllib.loads(path.read_text())["fault"]
    ]


def run(jobs: int, names: Sequence[str]) -> bool:
    """Run all faults, or the named ones; print a table; return whether each is caught.

    Raises ValueError for a name that no fault has.
    """
    faults = [fault for fault in load() if not names or fault.name in names]
    if unknown := set(names) - {fault.name for fault in faults}:
        raise ValueError(f"no such fault: {', '.join(sorted(unknown))}")
    begun = time.monotonic()
    tests = sorted({fault.test for fault in faults})
    with ThreadPoolExecutor(jobs) as pool:
        sound: dict[str, Outcome] = {}
        for test, outcome in zip(tests, pool.map(_run_unmutated, tests), strict=True):
            sound[test] = outcome
            told = f"mutants: {len(sound)} of {len(tests)} tests run without a fault"
            print(told, file=sys.stderr, end="\r" if sys.stderr.isatty() else "\n", flush=True)

        def is_caught(fault: Fault) -> bool:
            return _report(fault, sound[fault.test])

        verdicts = list(pool.map(is_caught, faults))
    print(
        f"mutants: {sum(verdicts)} of {len(faults)} caught by {len(tests)} tests"
        f" in {time.monotonic() - begun:.0f} s"
    )
    return all(verdicts)


def _report(fault: Fault, unmutated: Outcome) -> bool:
    """Run one fault and print its line; return whether it was caught."""
    if unmutated.kind != "passed":
        verdict, outcome = "TEST FAILS", unmutated
    else:
        try:
            outcome = run_mutated(fault)
        except ValueError as error:
            outcome = Outcome("broken", str(error), 0.0)
        verdict = {"failed": "caught", "passed": "SURVIVES", "broken": "BROKEN"}[outcome.kind]
    caught = verdict == "caught"
    print(f"{verdict:10} {outcome.seconds:5.1f} s  {fault.name:44} {fault.test}", flush=True)
    if not caught and outcome.message:
        print(f"{'':10} {outcome.message}", flush=True)
    return caught


def _run_unmutated(test: str) -> Outcome:
    return run_test(test, ROOT / "hdl")


def run_mutated(fault: Fault) -> Outcome:
    """Run the fault's test on a copy of hdl/ with the fault. Raises ValueError if none applies."""
    with tempfile.TemporaryDirectory(prefix="plexor_mutant_") as scratch:
        hdl = Path(scratch) / "hdl"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "hdl", hdl, ignore=ignore)
        # The gateware finds the boards' files beside hdl/.
        (hdl.parent / "constraints").symlink_to(ROOT / "constraints")
        (hdl / fault.file).write_text(fault.mutated(hdl))
        return run_test(fault.test, hdl)


def run_test(test: str, hdl: Path) -> Outcome:
    """Run one test with the gateware in `hdl` first on the path."""
    paths = [hdl, ROOT / "host", ROOT / "sim"]
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="plexor_mutant_") as scratch:
        report = Path(scratch) / "report.xml"
        options = ["-x", "-q", "-p", "no:cacheprovider"]
        # A case that is named runs, whether the short form has it or not.
        options += [] if test.endswith("]") else ["-m", "not full"]
        options += [f"--junitxml={report}", f"--basetemp={scratch}/tmp"]
        command = [sys.executable, "-m", "pytest", *options, test]
        try:
            ran = subprocess.run(
                command,
                cwd=ROOT,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(map(str, paths)),
                    "PYTHONDONTWRITEBYTECODE": "1",
                },
                capture_output=True,
                text=True,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Outcome(
                "broken", f"not done after {TIMEOUT_SECONDS} s", time.monotonic() - begun
            )
        seconds = time.monotonic() - begun
        if ran.returncode == 0:
            return Outcome("passed", "", seconds)
        message = _first_message(report) or ran.stdout.strip()[-300:] or ran.stderr.strip()[-300:]
    claim = ran.returncode == 1 and message.startswith(CAUGHT_BY)
    return Outcome("failed" if claim else "broken", " ".join(message.split())[:200], seconds)


def _first_message(report: Path) -> str:
    """Return the message of the first failure in a JUnit report, "" if there is none."""
    if not report.is_file():
        return ""
    failure = ElementTree.parse(report).getroot().find(".//failure")
    return "" if failure is None else failure.get("message", "")
