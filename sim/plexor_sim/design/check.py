# SPDX-License-Identifier: Apache-2.0
"""Looks at a design before it is measured: resets, inputs, outputs, and unknown initial states.

    python -m plexor_sim.design.check MANIFEST

prints its findings as JSON. The design is struck on one input after another, and again from two
other random initial states: what differs depends on what was neither reset nor driven. Exit codes
as of plexor_sim.serve.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from plexor_sim.build import BuildError
from plexor_sim.design.manifest import Manifest, ManifestError, load
from plexor_sim.design.player import Played, Strikes, played, player
from plexor_sim.design.verilog import floating, ports_of, verilog_device
from plexor_sim.devices import option_text
from plexor_sim.entry import entered
from plexor_sim.packages import PackageMissing, default_cache

STATES = (0, 1, 2)
"""Initial states: all bits 0, and two seeds of random ones."""
_STRIKES_EACH = 12
_PERIOD_PS, _WIDTH_PS = 50_000_000, 1_000_000
_GRID_PS = 500


@dataclass(frozen=True)
class Finding:
    """What was looked at, and whether it is right."""

    what: str
    is_right: bool
    text: str


def checked(path: Path, cache: Path) -> list[Finding]:
    """Return all findings. Raises as `verilog_device`; BuildError if the design ends a run."""
    manifest = load(path)
    runs = _runs(path, manifest, cache)
    levels = [run.levels for run in runs]
    return [
        _reset(manifest, levels),
        _inputs(floating(manifest, ports_of(manifest, cache))),
        _outputs(path, manifest, runs, cache),
        _states(manifest, runs),
    ]


def strikes_of(manifest: Manifest) -> tuple[Strikes, int]:
    """Return strikes on one input after another, at random phases, and when all are over."""
    drawn = random.Random(1)
    count = len(manifest.strikes)
    idle = sum(1 << manifest.strikes.index(pin) for pin in manifest.idle_high)
    found = [(-1, idle)]
    for number in range(_STRIKES_EACH * count):
        rise_ps = number * _PERIOD_PS + _GRID_PS * drawn.randrange(1, _PERIOD_PS // 4 // _GRID_PS)
        found += [(rise_ps, idle ^ 1 << number % count), (rise_ps + _WIDTH_PS, idle)]
    return found, _STRIKES_EACH * count * _PERIOD_PS


def _runs(path: Path, manifest: Manifest, cache: Path) -> list[Played]:
    device = verilog_device(manifest, cache, is_random=True)
    program = player(device, cache)
    strikes, end_ps = strikes_of(manifest)
    runs: list[Played] = []
    for state in STATES:
        run = played(program, option_text(str(path), device, f"initial={state}"), strikes, end_ps)
        if run.code:
            raise BuildError(run.said.strip().splitlines()[-1])
        runs.append(run)
    return runs


def _reset(manifest: Manifest, levels: Sequence[int]) -> Finding:
    unlike = [
        pin.text
        for number, pin in enumerate(manifest.responses)
        if len({mask >> number & 1 for mask in levels}) > 1
    ]
    if unlike:
        return Finding(
            "reset", False, f"{_named(unlike)} at time zero as the initial state was: not reset"
        )
    how = "" if manifest.resets or not manifest.clocks else "; the manifest has no [reset]"
    return Finding("reset", True, f"at time zero all responses are the same from 3 states{how}")


def _inputs(names: Sequence[str]) -> Finding:
    if names:
        return Finding("inputs", False, f"nothing drives {', '.join(names)}; [constants] would")
    return Finding("inputs", True, "all are driven")


def _outputs(path: Path, manifest: Manifest, runs: Sequence[Played], cache: Path) -> Finding:
    moved = {channel for run in runs for _, channel, _ in run.edges}
    still = [pin.text for number, pin in enumerate(manifest.responses) if number not in moved]
    struck = f"in {_STRIKES_EACH * len(manifest.strikes)} strikes"
    if not still:
        return Finding("outputs", True, f"all responses move {struck}")
    hint = "".join(_other_resets(path, manifest, runs, cache))
    return Finding("outputs", False, f"{_named(still)} still {struck}{hint}")


def _other_resets(
    path: Path, manifest: Manifest, runs: Sequence[Played], cache: Path
) -> Iterator[str]:
    """Yield a hint for each reset that is perhaps active at the other level.

    A design that is held in its reset may show one edge, where it enters it.
    """
    most = max(len(run.edges) for run in runs)
    for number, reset in enumerate(manifest.resets):
        other = replace(reset, is_active_low=not reset.is_active_low)
        resets = (*manifest.resets[:number], other, *manifest.resets[number + 1 :])
        changed = replace(manifest, resets=resets)
        if min(len(run.edges) for run in _runs(path, changed, cache)) > most + 1:
            level = "low" if other.is_active_low else "high"
            yield f'; responses move if {reset.pin.text} is active = "{level}"'


def _states(manifest: Manifest, runs: Sequence[Played]) -> Finding:
    first, *others = runs
    for state, run in zip(STATES[1:], others, strict=True):
        for number, pin in enumerate(manifest.responses):
            own, other = (
                [edge for edge in each.edges if edge[1] == number] for each in (first, run)
            )
            for count, (a, b) in enumerate(zip_longest(own, other)):
                if a != b:
                    times = [f"{edge[0] / 1e6:.6f} us" if edge else "never" for edge in (a, b)]
                    return Finding(
                        "states",
                        False,
                        f"edge {count} of {pin.text} is at {times[0]}, and at {times[1]} from "
                        f"initial={state}: something was neither reset nor driven",
                    )
    edges = len(first.edges)
    return Finding("states", True, f"{edges:,} edges, the same from 2 other random initial states")


def _named(names: Sequence[str]) -> str:
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"


def main(arguments: list[str]) -> int:
    """Print the findings; return an exit code."""
    try:
        (path,) = arguments
        found = checked(Path(path), default_cache())
    except (ValueError, ManifestError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except (BuildError, PackageMissing, OSError, subprocess.SubprocessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    document = [{"what": one.what, "right": one.is_right, "text": one.text} for one in found]
    json.dump({"findings": document}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(entered(lambda: main(sys.argv[1:])))
