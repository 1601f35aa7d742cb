# SPDX-License-Identifier: Apache-2.0
"""Checks what nextpnr does not: a device's shortest pulses, and hops from phase to phase."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from plexor.experiments.calibration.sheet import Sheet, between
from plexor.model.calibration import FS_PER_PS
from plexor_hdl.front.phases import CORE_PHASES, RATIO, hops
from plexor_hdl.front.sampler import HOP_PERIODS
from tools.gateware.sdf import Delays

# Maximum frequencies of ECP5 by speed grade, in MHz, as set by minimum pulse widths: of registers
# and primary clocks, and of block RAMs (prjtrellis timing data, as of nextpnr 0.11.1).
ECP5_REGISTER_MHZ = {6: 257, 7: 303, 8: 370}
ECP5_MEMORY_MHZ = {6: 212, 7: 254, 8: 271}
TREE_PS = (0, 2500)
"""Minimum and maximum delay from a global buffer to a flip-flop: a wide guess, nextpnr has none."""
NONE = "$"
_DELAY = re.compile(r"Max delay (pos|neg)edge (\S+) +-> (pos|neg)edge (\S+) *: ([\d.]+) ns")
_PHASE = re.compile(r"(?:phase(\d+)_clk|fast_(\d+))$")


def pulses(speed: int, fast_mhz: float, core_mhz: float) -> list[str]:
    """Return the clocks of an ECP5 with pulses that are too short for its speed grade."""
    return [
        f"{what}: {mhz:g} MHz; must be at most {most[speed]} for its pulse widths, at speed {speed}"
        for what, mhz, most in (
            ("sampling clocks", fast_mhz, ECP5_REGISTER_MHZ),
            ("core clock", core_mhz, ECP5_MEMORY_MHZ),
        )
        if mhz > most[speed]
    ]


@dataclass(frozen=True)
class CoreNames:
    """Cells: the core clock's buffer, and those that take words over from the other side."""

    buffer: str
    words: list[str]
    bits: list[str]


@dataclass(frozen=True)
class Hop:
    """The slowest path from one clock's edge to another's, and the time it may take."""

    start: str
    end: str
    delay_ps: int
    budget_ps: int

    @property
    def slack_ps(self) -> int:
        """Return the time that is left, in ps."""
        return self.budget_ps - self.delay_ps


def phase_hops(
    log: str, phases: int, period_ps: float, sheet: Sheet | None = None, *, own: bool = True
) -> list[Hop]:
    """Return the hops between phases at the end of nextpnr's log.

    Their budgets are of a PLL that errs as its sheet allows, with `own` each clock in its own way;
    without a sheet, of a perfect one. Raises ValueError for a hop without a budget, and for a hop
    that is missing.
    """
    budgets = _budgets(phases, period_ps, sheet, own)
    found: dict[tuple[int, int], Hop] = {}
    for start_edge, start, end_edge, end, ns in _DELAY.findall(log):
        a, b = _phase(start, start_edge, phases), _phase(end, end_edge, phases)
        if a is not None and b is not None:
            if (a, b) not in budgets:
                raise ValueError(
                    f"phase {a} to phase {b}: {ns} ns; no hop of the front-end goes there"
                )
            # The log has estimates before the final delays.
            found[a, b] = Hop(f"phase {a}", f"phase {b}", round(float(ns) * 1000), budgets[a, b])
    # Paths within a phase belong to one clock, whose frequency nextpnr checks.
    missing = [f"{a} to {b}" for a, b in budgets if a != b and (a, b) not in found]
    if missing:
        raise ValueError(f"nextpnr's log has no delay from phase {', '.join(missing)}")
    return list(found.values())


def core_hops(
    greatest: Delays,
    least: Delays,
    names: CoreNames,
    phases: int,
    period_ps: float,
    sheet: Sheet | None = None,
    *,
    own: bool = True,
) -> list[Hop]:
    """Return the hops between phase 0 and the core clock.

    The sampler's words have the time from phase 0 to the core's next edge. The serialiser's have
    the rest of the core's period. The core's edges lag by the path from the divider through the
    buffer, which nextpnr reports, and by a clock tree, which it does not: TREE_PS. Sheet and
    `own` are as for `phase_hops`.
    """
    lags = [
        delays.from_clock(names.buffer) + tree
        for delays, tree in zip((least, greatest), TREE_PS, strict=True)
    ]
    own_phase = CORE_PHASES[phases]
    after_ps = _time_ps(0, own_phase, phases, period_ps, sheet, own)
    left_ps = _time_ps(own_phase, RATIO * phases, phases, period_ps, sheet, own)
    return [
        Hop("phase 0", "core", greatest.latest(names.words, NONE), int(after_ps + lags[0])),
        Hop(
            "core",
            "phase 0",
            greatest.latest(names.bits, r"front\."),
            int(left_ps - lags[1]),
        ),
    ]


def _time_ps(
    start: int, end: int, phases: int, period_ps: float, sheet: Sheet | None, own: bool
) -> float:
    """Return the shortest time from one phase to another, both counted without end."""
    if sheet is None:
        return (end - start) * period_ps / phases
    tick_fs = period_ps / phases * FS_PER_PS
    return between(sheet, tick_fs, start, end, independent=own).least_ps - sheet.jitter_ps


def _budgets(
    phases: int, period_ps: float, sheet: Sheet | None, own: bool
) -> dict[tuple[int, int], int]:
    """Return the shortest time of each hop in sampler, serialiser and divider, in ps."""
    ways = [(phase, HOP_PERIODS * phases) for phase in range(phases)]
    ways += [(0, 2 * phases + phase) for phase in range(phases)]
    ways.append((CORE_PHASES[phases], phases))
    budgets: dict[tuple[int, int], int] = {}
    for start, end in ways:
        steps = len(hops(start, end, phases))
        times = [start + (end - start) * step // steps for step in range(steps + 1)]
        for a, b in pairwise(times):
            key = a % phases, b % phases
            time_ps = int(_time_ps(a, b, phases, period_ps, sheet, own))
            budgets[key] = min(time_ps, budgets.get(key, time_ps))
    return budgets


def is_phase(clock: str) -> bool:
    """Return whether a clock, by nextpnr's name, is one of the front-end's."""
    return _PHASE.search(clock) is not None


def _phase(clock: str, edge: str, phases: int) -> int | None:
    found = _PHASE.search(clock)
    if found is None:
        return None
    number = int(next(text for text in found.groups() if text))
    number %= phases // 2
    return number + (phases // 2 if edge == "neg" else 0)
