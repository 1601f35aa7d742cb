# SPDX-License-Identifier: Apache-2.0
"""How fast an archive takes runs of four writers at once, and answers questions.

    .venv/bin/python -m tools.bench_archive [RUNS]

The runs are made up. One of the writers is killed when it has added half of its runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from plexor.library.archive import Archive
from plexor.library.run import Run
from plexor.model.identity import Identity
from plexor.model.results import (
    Accounting,
    Bins,
    ChannelResult,
    Kind,
    RunResult,
    SampleResult,
    Statistics,
)
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import StatusFlag, StopReason, Stream
from plexor.wire.decode.bins import bins_of

ROOT = Path(__file__).resolve().parents[1]
WRITERS = 4
CHANNELS = ("ISR", "TASK")
STRIKES = 2000
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_MANTISSA_BITS = 6
_SOME = 50
"""Additions whose times are taken together."""


@dataclass(frozen=True)
class Addition:
    """A run that a writer says is added."""

    run: str
    key: str
    """Text that this run alone has in its configuration, as `planted`."""
    wall_s: float
    cpu_s: float


@dataclass(frozen=True)
class Figures:
    """Seconds of what was done to an archive of so many runs, of wall time if nothing else."""

    runs: int
    files: int
    megabytes: float
    first_add_s: float
    """Median of the first additions of all writers, but for the very first."""
    last_add_s: float
    first_add_cpu_s: float
    """CPU time of the same: what else the machine does hardly counts."""
    last_add_cpu_s: float
    log_s: float
    trend_s: float
    last_good_s: float
    command_s: float
    """`plexor archive log` from its start to its end."""


def made_run(number: int, writer: int = 0, load: bool = False) -> RunResult:
    """Return a made-up run, drawn by its number."""
    random = np.random.default_rng(number)
    channels: list[ChannelResult] = []
    for place, name in enumerate(CHANNELS):
        rise = (1000 * (place + 1) + random.gamma(4, 60, STRIKES)).astype(np.int64)
        counts = dict.fromkeys(ResponseClass, 0)
        counts |= {ResponseClass.ANSWERED: STRIKES, ResponseClass.STRIKES: STRIKES}
        kinds = {
            Kind.RISE: rise,
            Kind.FALL: rise + 100,
            Kind.WIDTH: np.full(STRIKES, 100),
            Kind.PERIOD: 50_000 + np.diff(rise),
        }
        measured = tuple(_measured(kind, values) for kind, values in kinds.items())
        channels.append(ChannelResult(place, name, "strike0", None, counts, 0, STRIKES, measured))
    return RunResult(
        identity=Identity(Geometry(), 1),
        settings=Settings(
            strikes=(Stimulus(period_s=Fraction(1, 20_000), count=STRIKES),),
            channels=tuple(Channel(n, name) for n, name in enumerate(CHANNELS)),
            stream=Stream.OFF,
            load=load,
        ),
        registers=(),
        echo=(),
        start_ticks=0,
        end_ticks=10**8,
        stop_reason=StopReason.STRIKES,
        flags=StatusFlag(0),
        channels=tuple(channels),
        accounting=Accounting(0, 0, 0, 0),
        started=(_BEGAN + timedelta(minutes=number * WRITERS + writer)).isoformat(),
        device={"dut": "made up"},
    )


def _measured(kind: Kind, values: NDArray[np.int64]) -> SampleResult:
    statistics = Statistics(
        count=len(values),
        sum_ticks=int(values.sum()),
        sum_sq_ticks2=int((values.astype(object) ** 2).sum()),
        min_ticks=int(values.min()),
        max_ticks=int(values.max()),
    )
    return SampleResult(kind, statistics, Bins(_MANTISSA_BITS, bins_of(values, _MANTISSA_BITS)))


def write(folder: Path, writer: int, runs: int) -> None:
    """Add runs to an archive, and print each addition when it is done."""
    archive = Archive(folder)
    for number in range(runs):
        key = f"{writer}-{number}"
        result = made_run(number, writer, load=bool(writer % 2))
        result = replace(result, versions={"planted": key})
        commit = f"{number // 50:040x}"
        wall, cpu = time.perf_counter(), time.process_time()
        added = archive.add(Run(result), commit=commit, branch="main")
        took = [time.perf_counter() - wall, time.process_time() - cpu]
        print(json.dumps([added.run, key, *took]), flush=True)


def fill(folder: Path, runs: int) -> list[list[Addition]]:
    """Have four writers add about so many runs, one of which is killed at its half.

    Returns what each has said that it added; the killed one is the last.
    """
    each = runs * 2 // (2 * WRITERS - 1) + 1
    with ExitStack() as stack:
        said = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        writers: list[subprocess.Popen[bytes]] = []
        for writer in range(WRITERS):
            output = stack.enter_context((said / str(writer)).open("wb"))
            command = [sys.executable, "-m", "tools.bench_archive", "--write", str(folder)]
            process = subprocess.Popen([*command, str(writer), str(each)], cwd=ROOT, stdout=output)
            stack.enter_context(process)
            stack.callback(process.kill)
            writers.append(process)
        while len(_said(said / str(WRITERS - 1))) < each // 2 and writers[-1].poll() is None:
            time.sleep(0.02)
        writers[-1].kill()
        for process in writers[:-1]:
            if process.wait():
                raise RuntimeError(f"a writer ended with {process.returncode}")
        writers[-1].wait()
        return [_said(said / str(writer)) for writer in range(WRITERS)]


def _said(path: Path) -> list[Addition]:
    """Return the additions in a file; a killed writer may have left half a line."""
    whole, _, _ = path.read_text().rpartition("\n")
    return [Addition(*json.loads(line)) for line in whole.splitlines()]


def timed(work: Callable[[], object]) -> float:
    """Return the wall seconds that something takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def figures(folder: Path, said: list[list[Addition]]) -> Figures:
    """Return how long additions took, and how long questions take now."""
    newest = Archive(folder).log(last=1)
    latest = Run(made_run(10**6, load=newest.runs[0].configuration["load"] == "on"))
    files = [path for path in folder.iterdir() if path.suffix == ".parquet"]
    some = [entry for each in said for entry in each[1 : 1 + _SOME]]
    last = [entry for each in said for entry in each[-_SOME:]]
    command = [sys.executable, "-m", "plexor", "archive", "log", "--archive", str(folder)]
    return Figures(
        runs=newest.total,
        files=len(files),
        megabytes=sum(path.stat().st_size for path in files) / 1e6,
        first_add_s=median(entry.wall_s for entry in some),
        last_add_s=median(entry.wall_s for entry in last),
        first_add_cpu_s=median(entry.cpu_s for entry in some),
        last_add_cpu_s=median(entry.cpu_s for entry in last),
        log_s=timed(lambda: Archive(folder).log(last=20)),
        trend_s=timed(lambda: Archive(folder).trend("ISR")),
        last_good_s=timed(lambda: Archive(folder).last_good(latest)),
        command_s=timed(lambda: subprocess.run(command, check=True, capture_output=True)),
    )


def archive_figures(runs: int) -> Figures:
    """Return the figures of an archive of about so many runs."""
    with tempfile.TemporaryDirectory() as folder:
        return figures(Path(folder), fill(Path(folder), runs))


def text(found: Figures) -> str:
    """Return the figures as text."""
    return (
        f"archive of {found.runs:,} made-up runs, {found.files} files, {found.megabytes:.1f} MB: "
        f"add {found.first_add_s * 1e3:.0f} ms at first, {found.last_add_s * 1e3:.0f} ms at last "
        f"(CPU {found.first_add_cpu_s * 1e3:.1f} and {found.last_add_cpu_s * 1e3:.1f} ms), by "
        f"{WRITERS} writers at once; log {found.log_s:.2f} s, trend {found.trend_s:.2f} s, "
        f"last good {found.last_good_s:.2f} s; plexor archive log {found.command_s:.2f} s"
    )


if __name__ == "__main__":
    if "--write" in sys.argv[1:2]:
        write(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    else:
        print(text(archive_figures(int((*sys.argv[1:], "10000")[0]))), f"on {os.cpu_count()} cores")
