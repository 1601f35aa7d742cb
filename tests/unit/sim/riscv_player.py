# SPDX-License-Identifier: Apache-2.0
"""Plays strikes to a RISC-V device alone, without an instrument."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from plexor_sim.build import device_objects, find_tools
from plexor_sim.packages import default_cache, make_once, sha256
from plexor_sim.riscv import DeviceBuild, riscv_device

_HERE = Path(__file__).parent
CLOCK_PS = 20_000
# 5 kHz, but in no simple ratio to the device's clock, so that strikes meet all its phases.
PERIOD_PS = 200_123_413
WIDTH_PS = 5 * CLOCK_PS

Edges = list[tuple[int, int, int]]


@dataclass(frozen=True)
class Played:
    """What a run of the harness left."""

    edges: Edges
    code: int
    text: str


Play = Callable[..., Played]


def riscv_builds() -> dict[str, DeviceBuild]:
    """Build both firmwares."""
    cache = default_cache()
    return {"bare": riscv_device("bare", cache), "freertos": riscv_device("freertos", cache)}


def _harness(build: DeviceBuild) -> Path:
    """Link the model that simulators have, which both firmwares share, with the harness."""
    cache, source = default_cache(), _HERE / "riscv_harness.cpp"
    objects = device_objects(build, cache)

    def fill(directory: Path) -> None:
        command = [*find_tools().compiler, "-std=gnu++17", "-O1", f"-I{build.cpp[0].parent}"]
        command += [str(source), *map(str, objects), "-o", str(directory / "harness"), "-pthread"]
        subprocess.run(command, check=True)

    parts = [source.read_text(), *(item.parent.name for item in objects)]
    return make_once(cache / "harness" / sha256("".join(parts).encode())[:32], fill) / "harness"


def play_inputs(
    build: DeviceBuild, inputs: list[str], end_ps: int, options: str = "", *, step_ps: int = 0
) -> Played:
    """Play the harness's input lines to a device; return its edges, and bytes as those of -1."""
    base = ",".join(f"{key}={value}" for key, value in build.options.items())
    harness = _harness(replace(build, name="freertos"))
    done = subprocess.run(
        [harness, ",".join(filter(None, [base, options])), str(end_ps), str(step_ps)],
        input="\n".join(inputs),
        capture_output=True,
        text=True,
        check=False,
    )
    edges = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    return Played([(e[0], e[1], e[2]) for e in edges], done.returncode, done.stderr)


def player(builds: Mapping[str, DeviceBuild]) -> Play:
    """Return a function that strikes a device at given times and returns its edges."""

    def run(
        kind: str,
        strikes_ps: list[int],
        options: str = "",
        *,
        load: int = 0,
        step_ps: int = 0,
        mask: int = 1,
        width_ps: int = WIDTH_PS,
    ) -> Played:
        inputs = [f"pins 0 0 {load}"]
        for time_ps in strikes_ps:
            inputs += [f"pins {time_ps} {mask} {load}", f"pins {time_ps + width_ps} 0 {load}"]
        end_ps = (strikes_ps[-1] if strikes_ps else 0) + 1_000_000_000
        return play_inputs(builds[kind], inputs, end_ps, options, step_ps=step_ps)

    return run


def periodic(count: int, period_ps: int = PERIOD_PS) -> list[int]:
    return [period_ps * (k + 1) for k in range(count)]
