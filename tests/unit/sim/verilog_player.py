# SPDX-License-Identifier: Apache-2.0
"""Plays strikes to a design in Verilog alone, without an instrument."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plexor_sim.build import device_objects, find_tools
from plexor_sim.devices import find_device, option_text
from plexor_sim.packages import default_cache, make_once, sha256

_HERE = Path(__file__).parent

Edges = list[tuple[int, int, int]]
"""(time_ps, channel, level)."""


@dataclass(frozen=True)
class Played:
    """What a run of the harness left."""

    edges: Edges
    code: int
    said: str


def play_design(
    manifest: Path,
    strikes: Sequence[tuple[int, int]],
    end_ps: int,
    options: str = "",
    *,
    step_ps: int = 0,
) -> Played:
    """Play (time_ps, levels of all strikes) to the design of a manifest.

    A time below 0 gives the levels at which the strikes idle.
    """
    cache, source = default_cache(), _HERE / "device_harness.cpp"
    device = find_device(str(manifest), cache, options)
    objects = device_objects(device, cache)

    def fill(directory: Path) -> None:
        command = [*find_tools().compiler, "-std=gnu++17", "-O1", f"-I{cache_headers()}"]
        command += [str(source), *map(str, objects), "-o", str(directory / "harness"), "-pthread"]
        subprocess.run(command, check=True)

    parts = [source.read_text(), *(item.parent.name for item in objects)]
    folder = make_once(cache / "harness" / sha256("".join(parts).encode())[:32], fill)
    text = option_text(str(manifest), device, options)
    done = subprocess.run(
        [folder / "harness", text, str(end_ps), str(step_ps)],
        input="".join(f"{time_ps} {levels} 0\n" for time_ps, levels in strikes),
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    edges = [(int(a), int(b), int(c)) for a, b, c in (line for line in lines if len(line) == 3)]
    return Played(edges, done.returncode, done.stderr)


def cache_headers() -> Path:
    """Return the folder of device.h."""
    import plexor_sim  # noqa: PLC0415

    return Path(plexor_sim.__file__).parent / "device"
