# SPDX-License-Identifier: Apache-2.0
"""Plays strikes to the synthetic device alone, without an instrument."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from plexor_sim.build import find_tools
from plexor_sim.design.player import PLAYER
from plexor_sim.devices import cpp_device
from plexor_sim.packages import default_cache, make_once, sha256

Edges = list[tuple[int, int, int]]
"""(time_ps, channel, level)."""


@dataclass(frozen=True)
class Played:
    """What the device did: its edges, the harness's exit code and standard error."""

    edges: Edges
    code: int
    error: str

    def rises(self, channel: int = 0) -> list[int]:
        return [time for time, number, level in self.edges if number == channel and level]

    def falls(self, channel: int = 0) -> list[int]:
        return [time for time, number, level in self.edges if number == channel and not level]


Play = Callable[..., Played]


def player() -> Play:
    """Compile the device with player.cpp; return what plays strikes to it.

    It gives strike 0 pulses at times, and returns the device's edges.
    """
    device = cpp_device("synthetic")
    sources = (*device.cpp, PLAYER)
    headers = sorted(device.cpp[0].parent.glob("*.h"))
    command = [*find_tools().compiler, "-std=gnu++17", "-O1", "-ffp-contract=off"]
    command += ["-Wall", "-Wextra", "-Werror", f"-I{device.cpp[0].parent}"]

    def fill(directory: Path) -> None:
        output = ("-o", str(directory / "harness"))
        subprocess.run([*command, *map(str, sources), *output], check=True)

    content = "".join([find_tools().key, *command, *(p.read_text() for p in (*sources, *headers))])
    folder = make_once(default_cache() / "harness" / sha256(content.encode())[:32], fill)
    executable = folder / "harness"

    def run(
        options: str,
        strikes_ps: list[int],
        width_ps: int = 1000,
        end_ps: int | None = None,
        step_ps: int = 0,
        load: bool = False,
    ) -> Played:
        script = "".join(f"{t} 1 {load:d}\n{t + width_ps} 0 {load:d}\n" for t in strikes_ps)
        end = (strikes_ps[-1] if strikes_ps else 0) + 10**9 if end_ps is None else end_ps
        arguments = [str(executable), options, str(end), str(step_ps)]
        done = subprocess.run(arguments, input=script, capture_output=True, text=True, check=False)
        edges = [tuple(map(int, line.split())) for line in done.stdout.splitlines()[1:]]
        return Played(edges, done.returncode, done.stderr)  # type: ignore[arg-type]

    return run
