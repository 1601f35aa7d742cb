# SPDX-License-Identifier: Apache-2.0
"""What all test benches of designs share: times of clocks and resets, random inputs, edges.

A bench is what a user would write: it begins with an inactive reset, makes it active, and inactive
again at the end of the manifest's clock cycles; then the clocks run, and inputs change at given
times. Edges of clocks are 1 fs late, so that an input at the same time counts, and what a flip-flop
drives is 2 fs late, as docs/lookup/manifest.md says.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Edges = list[tuple[int, int, int]]
"""(time_ps, channel, level)."""
FS_PER_PS = 1000
_MOST_DRAWN = 20_000
"""Number of values of a random input."""


class OracleError(Exception):
    """Another simulator does not take a design, or says x of a response."""


def tables(manifest: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return all clocks or resets of a manifest."""
    found: Any = manifest.get(name, [])
    return [found] if isinstance(found, dict) else found


def resets_of(manifest: dict[str, Any]) -> list[tuple[dict[str, Any], int]]:
    """Return each reset with the period of its clock."""
    periods = {clock["port"]: clock["period_ps"] for clock in tables(manifest, "clock")}
    first = next(iter(periods.values()), 0)
    return [
        (reset, periods.get(reset.get("clock", ""), first)) for reset in tables(manifest, "reset")
    ]


def reset_ps(manifest: dict[str, Any]) -> int:
    """Return how long before time zero the longest reset has its first cycle."""
    return max(
        (
            (reset.get("cycles", 1) + reset.get("early_cycles", 0)) * period
            for reset, period in resets_of(manifest)
            if reset.get("cycles", 1)
        ),
        default=0,
    )


def lead_ps(manifest: dict[str, Any]) -> int:
    """Return how long before time zero a device begins."""
    longest = reset_ps(manifest)
    return longest + tables(manifest, "clock")[0]["period_ps"] if longest else 0


def execute(command: list[str], folder: Path) -> None:
    """Run a command in a folder. Raises OracleError with what it says if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        raise OracleError((done.stdout + done.stderr).strip())


def edges_of(clock: dict[str, Any], number: int, end_ps: int) -> list[int]:
    """Return the edges of a clock from time zero on."""
    half_units = clock["period_ps"] * 10**12 // (10**6 + clock.get("ppm", 0)) // 2
    jitter, drawn = clock.get("jitter_ps", 0), Xoshiro(0, number)
    edges: list[int] = []
    while not edges or edges[-1] < end_ps:
        edge = clock.get("phase_ps", 0) + len(edges) * half_units // 10**6
        if jitter:
            # Twelve uniform numbers of 16 bits: their mean is 12 * 65535 / 2, their deviation 2^16.
            edge += (sum(drawn.next() >> 48 for _ in range(12)) - 393_210) * jitter >> 16
        edges.append(max(edge, 0))
    return edges


def bench_edges_fs(manifest: dict[str, Any], number: int, end_ps: int) -> list[int]:
    """Return all edges of a clock, from the beginning of the bench on."""
    lead, longest = lead_ps(manifest), reset_ps(manifest)
    clock = tables(manifest, "clock")[number]
    period = clock["period_ps"]
    edges = [
        -cycle * period + half * (period // 2)
        for cycle in range(longest // period, 0, -1)
        for half in range(2)
    ]
    edges += edges_of(clock, number, end_ps)
    return [(edge + lead) * FS_PER_PS + 1 for edge in edges]


def reset_change_fs(
    manifest: dict[str, Any], reset: dict[str, Any], period: int
) -> tuple[int, int] | None:
    """Return when a reset becomes active and when inactive; None for one that never is."""
    if not reset.get("cycles", 1):
        return None
    lead, early = lead_ps(manifest), reset.get("early_cycles", 0) * period
    begin = tables(manifest, "clock")[0]["period_ps"] // 2 * FS_PER_PS
    if reset.get("synchronous"):
        return begin, (lead - early - period) * FS_PER_PS + 2
    return begin, (lead - early - period // 4) * FS_PER_PS


def idle_levels(manifest: dict[str, Any], strikes: Sequence[tuple[int, int]]) -> int:
    """Return the levels of all strikes before the first one."""
    ports = manifest["ports"]
    idle = strikes[0][1] if strikes and strikes[0][0] < 0 else 0
    high = [ports["strikes"].index(pin) for pin in ports.get("idle_high", [])]
    return idle | sum(1 << number for number in high)


def drawn_values(manifest: dict[str, Any], number: int) -> dict[str, list[int]]:
    """Return what the random inputs of a clock are in turn, the lowest 64 bits of each."""
    clocks = tables(manifest, "clock")
    drawn, clock = Xoshiro(0, len(clocks) + number), clocks[number]["port"]
    values = {port: list[int]() for port, of in manifest.get("random", {}).items() if of == clock}
    for _ in range(_MOST_DRAWN if values else 0):
        for each in values.values():
            each.append(drawn.next())
    return values


class Xoshiro:
    """xoshiro256** (Blackman and Vigna), its state filled by splitmix64 as device/random.h says."""

    _MASK = (1 << 64) - 1

    def __init__(self, seed: int, stream: int) -> None:
        self._state = seed
        self._state = self._split() + stream & self._MASK
        self._words = [self._split() for _ in range(4)]

    def _split(self) -> int:
        self._state = self._state + 0x9E3779B97F4A7C15 & self._MASK
        value = self._state
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & self._MASK
        value = (value ^ value >> 27) * 0x94D049BB133111EB & self._MASK
        return value ^ value >> 31

    def _rotated(self, value: int, bits: int) -> int:
        return (value << bits | value >> 64 - bits) & self._MASK

    def next(self) -> int:
        """Return the next 64 bits."""
        words = self._words
        drawn = self._rotated(words[1] * 5 & self._MASK, 7) * 9 & self._MASK
        shifted = words[1] << 17 & self._MASK
        words[2] ^= words[0]
        words[3] ^= words[1]
        words[1] ^= words[2]
        words[0] ^= words[3]
        words[2] ^= shifted
        words[3] = self._rotated(words[3], 45)
        return drawn


def pin_of(text: str) -> tuple[str, int]:
    matched = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", text)
    assert matched
    return matched[1], int(matched[2] or 0)


def logged_edges(log: str, lead: int, end_ps: int) -> Edges:
    """Return the changes of levels from time zero on.

    What was never known is 0, as docs/lookup/manifest.md says. Raises OracleError for what is no
    longer known.
    """
    levels: dict[int, int] = {}
    changes: Edges = []
    for line in log.splitlines():
        time_fs, now = line.split()
        time_ps = int(time_fs) // FS_PER_PS - lead
        for channel, level in enumerate(reversed(now)):
            if level in "01":
                if int(level) != levels.get(channel, 0) and 0 <= time_ps < end_ps:
                    changes.append((time_ps, channel, int(level)))
                levels[channel] = int(level)
            elif channel in levels and 0 <= time_ps < end_ps:
                raise OracleError(f"response {channel} is {level} at {time_ps} ps")
    return settled(changes)


def settled(edges: Edges) -> Edges:
    """Return the edges without those that a later one at the same time takes back."""
    found: Edges = []
    for time_ps, channel, level in sorted(edges, key=lambda edge: (edge[1], edge[0])):
        if found and found[-1][:2] == (time_ps, channel):
            found.pop()
            continue
        found.append((time_ps, channel, level))
    return sorted(found)
