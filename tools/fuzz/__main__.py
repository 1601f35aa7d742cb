# SPDX-License-Identifier: Apache-2.0
"""Feed damaged and edited files to the host: print cases by kind, failures, time and memory.

    .venv/bin/python -m tools.fuzz [--cases N] [--from N] [--workers N]
    .venv/bin/python -m tools.fuzz --case KIND:NUMBER   run one case again; or --case KIND/FOLDER,
                                                        a case that the corpus keeps
    .venv/bin/python -m tools.fuzz --seeds              make the files anew that cases start from

Exit codes: 0 if no case failed, 1 if one did, 2 for wrong usage, 130 if it was interrupted or
terminated. The table then covers the cases that ran.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tools.fuzz import run, seeds, targets

CASES = 1_000_000
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run cases; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.fuzz")
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--case")
    parser.add_argument("--seeds", action="store_true")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.worker:
        run.work(*map(int, chosen.worker.split(":")))
        return 0
    if chosen.seeds:
        seeds.make(targets.CORPUS)
        return 0
    if chosen.case:
        return _again(chosen.case)
    # Also where it was started without a terminal, whose interrupts a shell has ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    began = time.monotonic()

    def progress(done: int) -> None:
        left_s = (time.monotonic() - began) * (chosen.cases - done) / done if done else 0
        print(f"fuzz: {done:,} of {chosen.cases:,} cases, {left_s:.0f} s left", file=sys.stderr)

    found = run.fuzz(chosen.cases, chosen.workers, chosen.first, progress)
    print(table(found))
    if found.interrupted:
        return INTERRUPTED
    return 1 if found.failures else 0


def table(found: run.Found) -> str:
    """Return the results of cases as a table."""
    lines = [f"{'kind':12}{'cases':>9}{'taken':>9}{'CPU s':>9}{'slowest s':>11}{'peak MB':>9}"]
    for kind, total in found.totals.items():
        lines.append(
            f"{kind:12}{total.cases:9}{total.taken:9}{total.cpu_s:9.1f}{total.slowest_s:11.2f}"
            f"{total.peak_bytes / 2**20:9.1f}"
        )
    totals = found.totals.values()
    lines.append(
        f"{'all':12}{sum(t.cases for t in totals):9}{sum(t.taken for t in totals):9}"
        f"{sum(t.cpu_s for t in totals):9.1f}{max(t.slowest_s for t in totals):11.2f}"
        f"{max(t.peak_bytes for t in totals) / 2**20:9.1f}"
    )
    lines += [f"{kind}: {said}\n    {command}" for kind, said, command in found.failures]
    lines.append(f"{len(found.failures)} failures")
    return "\n".join(lines)


def _again(case: str) -> int:
    """Run one case, and show the traceback of a failure."""
    kind, _, number = case.partition(":")
    folder = targets.CORPUS / case
    files = targets.made(kind, int(number)) if number else targets.files_in(folder)
    kind = kind if number else targets.kind_in(folder)
    run.prepare()
    with tempfile.TemporaryDirectory() as scratch:
        taken = targets.run(kind, files, Path(scratch))
    print("accepted" if taken else "rejected")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
