# SPDX-License-Identifier: Apache-2.0
"""The bins that the vendor's sheets allow: of perfect PLLs, and of those that err as they may.

A phase is an edge of one of the PLL's clocks. The first half of the phases are rising edges, the
second half the falling edges of the same clocks, half a period later if the duty cycle is 50 %. The
sheets bound the duty cycle and the phase of each output. A channel's own flip-flops and wires
differ by tens of ps more (`docs/gateware.md`), and are left out here.

- ECP5: Lattice FPGA-DS-02012 1.9, table 3.23: duty 45 to 55 %, phase within 5 % of a period, and
  from 100 MHz on a period jitter of 100 ps peak to peak.
- iCE40 HX: Lattice DS1040, page 3-16: duty 35 to 65 % above 175 MHz; a step of the delay of output
  A takes 147 to 195 ps. FPGA-TN-02052 calls it 150 ps.
- iCE40 UltraPlus: Lattice FPGA-DS-02008, table 4.22: duty 40 to 60 %. It has no range for a step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from plexor.model.calibration import FS_PER_PS, Calibration, Instants
from plexor.protocol.geometry import Geometry
from plexor.wire.link.boards import BOARDS, Family

ERRORS = 4
"""Standard errors by which a measured bin must lie outside before that is told."""
OWN_PS = 80
"""How much a channel's own flip-flops and wires may add to a bin: twice what any build adds."""
_STEP_PS, _MOST_STEPS = 150, 16


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a vendor's sheet says of the PLL of a family; shares are of a period of its clocks."""

    source: str
    clocks: int
    """Number of clocks; there are twice as many phases."""
    duty: float
    """How far a falling edge may lie from the middle of the period."""
    phase: float = 0.0
    """How far each clock may lie from its place."""
    jitter_ps: float = 0.0
    """How far an edge may come too early: half of the jitter of a period, peak to peak."""
    step_ps: tuple[float, float] | None = None
    """Range of a step of the delay that makes the second clock; None: phases come from the VCO."""


ECP5 = Sheet("Lattice FPGA-DS-02012, table 3.23", 4, 0.05, phase=0.05, jitter_ps=50)
ICE40_HX = Sheet("Lattice DS1040, p. 3-16", 2, 0.15, step_ps=(147, 195))
ICE40_UP = Sheet("Lattice FPGA-DS-02008, table 4.22", 2, 0.10, step_ps=(_STEP_PS, _STEP_PS))
_FAMILIES = {Family.ECP5: ECP5, Family.ICE40_HX: ICE40_HX, Family.ICE40_UP: ICE40_UP}
SHEETS = {identity: _FAMILIES[board.family] for board in BOARDS for identity in board.identities}
"""The sheet of each board, by the name that its instrument reports."""


@dataclass(frozen=True, slots=True)
class Range:
    """Widths that a bin may have, in ps."""

    least_ps: float
    typical_ps: float
    greatest_ps: float


_Error = tuple[str, int]
"""An error's kind, and the number of the clock that has it."""


def _edges(sheet: Sheet, period_ps: float) -> list[tuple[float, float, frozenset[_Error]]]:
    """Return place and steps of delay of each phase, in ps and steps, and the errors it has."""
    quarter_ps = period_ps / 2 / sheet.clocks
    steps = min(max(round(quarter_ps / _STEP_PS), 1), _MOST_STEPS)
    found: list[tuple[float, float, frozenset[_Error]]] = []
    for half, clock in ((half, clock) for half in (0, 1) for clock in range(sheet.clocks)):
        errors = {("phase", clock)} | ({("duty", clock)} if half else set[_Error]())
        place_ps = half * period_ps / 2 + (clock * quarter_ps if sheet.step_ps is None else 0)
        late_steps = 0 if sheet.step_ps is None else clock * steps
        found.append((place_ps, late_steps, frozenset(errors)))
    return found


def bins(sheet: Sheet, tick_fs: int, *, independent: bool) -> list[Range]:
    """Return the range of each phase's bin: from the phase before it to its own.

    Without `independent` all clocks have the same duty cycle and no error of their phases. With it
    each clock errs as it likes. A bin below 0 means that the two phases sample in the other order.
    """
    ends = range(2 * sheet.clocks)
    return [between(sheet, tick_fs, end - 1, end, independent=independent) for end in ends]


def between(sheet: Sheet, tick_fs: float, start: int, end: int, *, independent: bool) -> Range:
    """Return the range of the time from one phase to a later one, both counted without end."""
    phases = 2 * sheet.clocks
    period_ps = phases * tick_fs / FS_PER_PS
    edges = _edges(sheet, period_ps)
    (start_ps, start_steps, starts), (end_ps, end_steps, ends) = (
        edges[number % phases] for number in (start, end)
    )
    even_ps = end_ps - start_ps + (end // phases - start // phases) * period_ps
    errors, steps = starts ^ ends, end_steps - start_steps
    if not independent and sum(kind == "duty" for kind, _ in starts | ends) > 1:
        # Both edges fall, and move alike.
        errors = frozenset(error for error in errors if error[0] != "duty")
    shares = {"duty": sheet.duty, "phase": sheet.phase if independent else 0.0}
    off_ps = sum(shares[kind] for kind, _ in errors) * period_ps
    low_ps, high_ps = sorted(steps * step_ps for step_ps in sheet.step_ps or (0.0, 0.0))
    return Range(even_ps + low_ps - off_ps, even_ps + steps * _STEP_PS, even_ps + high_ps + off_ps)


def outside(calibration: Calibration, geometry: Geometry) -> Iterator[str]:
    """Yield a line for each measured bin that lies outside what the board's sheet allows.

    All errors that the sheet allows may be there at once, each clock's its own. Boards without a
    sheet have no bounds, nor has a bin of whose errors the sheet says nothing: it is made by steps
    of a delay without a range.
    """
    sheet = SHEETS.get(geometry.board)
    if sheet is None:
        return
    ranges = bins(sheet, geometry.tick_fs, independent=True)
    for channel in calibration.channels:
        for way, found in (("up", channel.rise), ("down", channel.fall)):
            errors_ps = _width_errors_ps(found)
            for phase, width_ps in enumerate(found.widths_ps(geometry.tick_fs)):
                bound, room_ps = ranges[phase], OWN_PS + ERRORS * errors_ps[phase]
                if bound.least_ps == bound.greatest_ps:
                    continue
                if not bound.least_ps - room_ps <= width_ps <= bound.greatest_ps + room_ps:
                    yield (
                        f"ch{channel.number}, edges {way}: the bin of phase {phase} is "
                        f"{width_ps:.0f} ps wide; {sheet.source} allows "
                        f"{max(bound.least_ps, 0):.0f} to {bound.greatest_ps:.0f} ps"
                    )


def _width_errors_ps(found: Instants) -> list[float]:
    """Return the standard error of each bin's width: its two instants' own, as if independent."""
    errors = found.error_ps
    return [math.hypot(errors[phase], errors[phase - 1]) for phase in range(len(errors))]
