# SPDX-License-Identifier: Apache-2.0
"""`make fuzz` in small: what comes from files ends in figures or in one line, within limits."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tools.fuzz import run, targets
from tools.fuzz.__main__ import table

from plexor.base.errors import StoreError

ROOT = Path(__file__).resolve().parents[2]
CASES = 10_000
PART = 2_000
QUICK = 1_000
KEPT = [folder for kind in targets.KINDS for folder in targets.kept(kind)]


@pytest.mark.parametrize(
    ("first", "cases"),
    [
        (0, QUICK),
        *(pytest.param(n, PART, marks=pytest.mark.full) for n in range(0, CASES, PART)),
    ],
)
def test_no_case_of_ten_thousand_fails_within_its_limits(first, cases):
    found = run.fuzz(cases, workers=1, first=first)
    assert found.failures == [], table(found)
    assert {kind: total.cases for kind, total in found.totals.items()} == {
        name: cases * kind.share // 1000 for name, kind in targets.KINDS.items()
    }
    # Each kind has cases that are refused and cases that go the whole way.
    for kind, total in found.totals.items():
        assert 0.02 < total.taken / total.cases < 0.99, f"{kind}: {total}"


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_each_kept_file_goes_the_whole_way_or_is_refused(folder, tmp_path):
    kind = targets.kind_in(folder)
    taken = targets.run(kind, targets.files_in(folder), tmp_path)
    assert taken or not folder.name.startswith("seed")


def test_a_case_is_made_again_from_its_number():
    for kind in targets.KINDS:
        one, other = targets.made(kind, 7), targets.made(kind, 7)
        assert one == other
        assert one != targets.made(kind, 8)


def wrong(kind, monkeypatch, does):
    """Return what is said of a case whose way does something."""
    monkeypatch.setattr(targets, "run", does)
    before = signal.signal(signal.SIGPROF, run.on_time)
    try:
        return run.attempt(kind, {})
    finally:
        signal.signal(signal.SIGPROF, before)


def test_a_case_that_raises_or_takes_too_much_time_or_memory_fails(monkeypatch):
    def endless(*_):
        while True:
            pass

    def greedy(*_):
        return not bytearray(run.PEAK_BYTES + (50 << 20)).count(1)

    def broken(*_):
        raise IndexError("planted")

    monkeypatch.setattr(run, "CPU_S", 0.2)
    said, *_ = wrong("run", monkeypatch, endless)
    assert "took more than 0.2 s" in said
    said, _, peak_bytes = wrong("run", monkeypatch, greedy)
    assert "MB" in said
    assert peak_bytes > run.PEAK_BYTES
    assert "IndexError: planted" in wrong("run", monkeypatch, broken)[0]


@pytest.mark.parametrize(
    ("cause", "text", "says"),
    [(None, "x" * 20_000, "a line of 20000"), (MemoryError(), "malloc failed", "out of memory")],
)
def test_a_refusal_that_no_one_can_read_or_for_want_of_memory_is_a_failure(
    monkeypatch, tmp_path, cause, text, says
):
    def said(folder):
        raise StoreError(text) from cause

    kind = targets.Kind("run", 0, lambda random, files: files, said)
    monkeypatch.setitem(targets.KINDS, "planted", kind)
    with pytest.raises(targets.FaultError, match=says):
        targets.run("planted", {}, tmp_path)


def test_an_interrupted_run_says_what_was_done():
    command = [sys.executable, "-m", "tools.fuzz", "--workers", "1"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as fuzzing:
        assert fuzzing.stderr is not None
        for line in fuzzing.stderr:
            if line.startswith("fuzz: ") and not line.startswith("fuzz: 0 of"):
                break
        fuzzing.send_signal(signal.SIGINT)
        table, _ = fuzzing.communicate()
    assert fuzzing.returncode == 130
    (counted,) = re.findall(r"^all +(\d+)", table, re.MULTILINE)
    assert int(counted) > 0
