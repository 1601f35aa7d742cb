# SPDX-License-Identifier: Apache-2.0
"""How long it takes to write a run in each format and to read captures, how large, in what memory.

    .venv/bin/python -m tools.bench_files [EVENTS]

Each figure is of a process of its own, which loads the run first.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from plexor.files.store.run_folder import save
from plexor.library.exchange import CAPTURES, FORMATS
from plexor.model.identity import Identity
from plexor.model.results import (
    EVENT_DTYPE,
    Accounting,
    ChannelResult,
    EventArray,
    Kind,
    RunResult,
    SourceAccounting,
)
from plexor.model.settings import NO_DEADLINE_TICKS, Channel, RegisterWrite, Settings, Stimulus
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import Policy, StatusFlag, StopReason
from plexor.wire.decode.bins import measurement_of
from plexor.wire.decode.matched import Rules
from plexor.wire.decode.rematch import rematch

EVENTS = 10**7
MOST_BYTES = 10**9
"""Aim for the memory of each process at 10**7 events."""
_PERIOD_TICKS = 1000
_EDGES = 6
_CHANNELS = ("ISR", "TASK")
_BITS = 6

# The memory of the process alone: what the system counts of a child includes its parent's.
_MEASURED = """
import re, sys, time
from pathlib import Path
from plexor.cli import main
code = main(sys.argv[1:])
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
print(time.process_time(), peak, file=sys.stderr)
sys.exit(code)
"""


@dataclass(frozen=True)
class FileFigure:
    """One process: what it did, how long it took, and what it needed."""

    name: str
    events: int
    wall_s: float
    cpu_s: float
    peak_bytes: int
    file_bytes: int


_EVENTS = (".csv", ".npz")
"""Formats that are written as events, and read as levels."""


def run_of(events: int) -> RunResult:
    """Return a simulated run of about so many events: strikes that two channels answer."""
    strikes = events // _EDGES
    rows = events_of(events)
    end_ticks = (strikes + 2) * _PERIOD_TICKS
    geometry = Geometry(channels=len(_CHANNELS), strikes=1)
    channels: list[ChannelResult] = []
    for number, name in enumerate(_CHANNELS):
        rules = Rules(
            number,
            8,
            1,
            Policy.OLDEST,
            _PERIOD_TICKS,
            0,
            0,
            NO_DEADLINE_TICKS,
            geometry.queue_depth,
        )
        found = rematch(rows, rules, end_ticks)
        measurements = tuple(measurement_of(kind, found.samples[kind], _BITS) for kind in Kind)
        channels.append(
            ChannelResult(
                number,
                name,
                "strike0",
                None,
                found.classes,
                found.pending,
                found.active_edges,
                measurements,
            )
        )
    counts = [int(np.count_nonzero(rows["source"] == source)) for source in geometry.sources]
    return RunResult(
        identity=Identity(geometry, 1),
        settings=Settings(
            strikes=(Stimulus(period_s=Fraction(_PERIOD_TICKS, 10**9), count=strikes),),
            channels=tuple(Channel(number, name) for number, name in enumerate(_CHANNELS)),
        ),
        registers=(RegisterWrite("matcher", 0, "timeout_ticks", _PERIOD_TICKS),),
        echo=(),
        start_ticks=0,
        end_ticks=end_ticks,
        stop_reason=StopReason.STRIKES,
        flags=StatusFlag(0),
        channels=tuple(channels),
        accounting=Accounting(
            len(rows),
            len(rows),
            0,
            0,
            tuple(
                SourceAccounting(source, count, 0, 0, count)
                for source, count in zip(geometry.sources, counts, strict=True)
            ),
        ),
        events=rows,
        started="2026-11-21T08:00:00+00:00",
    )


def events_of(events: int) -> EventArray:
    """Return about so many events: strikes each 1000 ticks that two channels answer."""
    strikes = events // _EDGES
    random = np.random.default_rng(18)
    struck = np.arange(1, strikes + 1, dtype=np.int64) * _PERIOD_TICKS
    first = random.integers(50, 300, strikes)
    second = first + random.integers(60, 400, strikes)
    columns = (
        (np.zeros(strikes, np.int64), 8, 1),
        (np.full(strikes, 10), 8, 0),
        (first, 0, 1),
        (first + 50, 0, 0),
        (second, 1, 1),
        (second + 30, 1, 0),
    )
    rows = np.empty((strikes, len(columns)), EVENT_DTYPE)
    for place, (after, source, polarity) in enumerate(columns):
        rows["time_ticks"][:, place] = struck + after
        rows["source"][:, place], rows["polarity"][:, place] = source, polarity
    rows["index"] = np.arange(rows.size).reshape(rows.shape)
    return rows.ravel()


def figure(name: str, events: int, words: Sequence[str | Path], file: Path) -> FileFigure:
    """Run a command of plexor's that writes or reads a file; return what it took.

    Raises RuntimeError if it fails.
    """
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, *map(str, words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    wall_s = time.perf_counter() - started
    if done.returncode:
        raise RuntimeError(f"plexor {' '.join(map(str, words))}: {done.stderr}")
    cpu_s, peak_kib = done.stderr.splitlines()[-1].split()
    return FileFigure(name, events, wall_s, float(cpu_s), int(peak_kib) * 1024, file.stat().st_size)


def file_figures(
    events: int,
    say: Callable[[str], None],
    suffixes: Sequence[str] = (*FORMATS,),
) -> list[FileFigure]:
    """Return the figures of each format, and of the captures that were written."""
    found: list[FileFigure] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = run_of(events)
        count = result.accounting.generated
        run = save(result, folder / "run")
        budget = folder / "limits.toml"
        budget.write_text('[all]\nmax = "100 us"\n')
        del result
        for suffix in suffixes:
            say(f"plexor show to {suffix}, {count} events")
            file = folder / f"run{suffix}"
            words = ["show", run, "--to", file, "--budget", budget]
            found.append(figure(f"export {suffix}", count, words, file))
            if suffix in CAPTURES and suffix not in _EVENTS:
                say(f"plexor import of {suffix}, {count} events")
                again = [
                    "import",
                    file,
                    "--strike",
                    "strike0",
                    "--out",
                    folder / f"of-{suffix[1:]}",
                ]
                again += [word for name in _CHANNELS for word in ("--channel", f"{name}={name}")]
                found.append(figure(f"import {suffix}", count, again, file))
            file.unlink()
    return found


def file_table(figures: Sequence[FileFigure]) -> str:
    """Return the figures as text."""
    lines = [f"{'':16}{'wall s':>9}{'CPU s':>9}{'peak MB':>10}{'file MB':>10}"]
    for entry in figures:
        lines.append(
            f"{entry.name:16}{entry.wall_s:9.1f}{entry.cpu_s:9.1f}{entry.peak_bytes / 1e6:10.0f}"
            f"{entry.file_bytes / 1e6:10.2f}"
        )
    if figures:
        most = max(figures, key=lambda entry: entry.peak_bytes)
        reached = "reached" if most.peak_bytes <= MOST_BYTES else f"not reached by {most.name}"
        lines.append(f"at most {MOST_BYTES / 1e6:.0f} MB at {EVENTS:g} events: {reached}")
    return "\n".join(lines)


if __name__ == "__main__":
    chosen = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    print(file_table(file_figures(chosen, lambda line: print(f"bench: {line}", file=sys.stderr))))
