# SPDX-License-Identifier: Apache-2.0
"""Calibrations: where the bins of each channel end, found by the instrument itself."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from plexor.base.errors import InstrumentError, StoreError, UsageError
from plexor.experiments.calibration import store
from plexor.experiments.calibration.reference import Reference
from plexor.experiments.calibration.run import WIRE_PS, CalibrationGoal, calibrate, carried
from plexor.experiments.calibration.sheet import outside
from plexor.library.files import unsaved
from plexor.library.pins import wiring_of
from plexor.library.specs.spec import takes
from plexor.library.specs.values import Naming, plain
from plexor.library.upkeep.specs import CalibrateSpec, OnLine
from plexor.model.calibration import Calibration
from plexor.show.terminal.calibration import calibration_text
from plexor.wire.device.device import Device

SECONDS = 10
"""Default of how long a reference is watched."""
LEAST_SECONDS, MOST_SECONDS = 3, 3600


class Calibrated:
    """A calibration that was taken now."""

    def __init__(self, calibration: Calibration, path: Path, unsaved: StoreError | None) -> None:
        self.calibration = calibration
        """Everything that was found, in picoseconds."""
        self.path = path
        """Where it is kept."""
        self.unsaved = unsaved
        """Why it was not kept; None if it was."""

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return calibration_text(self.calibration, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor board calibrate --json` prints."""
        return store.CALIBRATION.of(self.calibration)


def reference_of(
    pps: tuple[int, Fraction] | None, time_s: Fraction | None, name: Naming = plain
) -> Reference | None:
    """Return what the oscillator is compared with, and for how long: SECONDS if nothing is said.

    Raises UsageError for a time out of bounds.
    """
    if pps is None:
        return None
    watched_s = Fraction(SECONDS) if time_s is None else time_s
    if not LEAST_SECONDS <= watched_s <= MOST_SECONDS:
        raise UsageError(
            f"{name('pps_time')} {float(watched_s):g} s; must be {LEAST_SECONDS} to {MOST_SECONDS} "
            "s"
        )
    return Reference(*pps, watched_s)


def target_of(device: Device, path: Path | None) -> Path:
    """Return where a calibration is kept: at `path`, or in the user's data folder."""
    return path or store.default_path(device.serial, device.identity.placement)


def forgotten(device: Device) -> Path:
    """Remove the calibration that is kept for this board and build; return where it was.

    Raises UsageError where none is kept, StoreError where it cannot be removed.
    """
    return store.forget(device.serial, device.identity)


@takes(CalibrateSpec)
def calibrated(device: Device, options: CalibrateSpec) -> Calibrated:
    """Measure where the bins of each channel end and the ways over pads, and keep it.

    The options are those of CalibrateSpec: `edges="20k"`, `path="board.json"`,
    `jumpers="strike0=ch0"`, `wire="30cm"`, `pps="ch7"`. What an earlier calibration in the same
    file has of other jumpers, or of a clock, is kept. Bins that the sheet of the board's PLL does
    not allow are told, and nothing is kept.

    Raises UsageError for options out of bounds and pins that there are not, InstrumentError if a
    channel does not see the on-chip source or its strikes, if the reference is none, or if a bin is
    wider or narrower than the sheet of the board's PLL allows.
    """
    goal = CalibrationGoal(
        options.edges,
        wiring_of(options.jumpers),
        options.wire or WIRE_PS,
        reference_of(options.pps, options.pps_time, options.naming),
    )
    on_line: OnLine = options.on_line or _silent
    target = target_of(device, options.path)
    previous = _before(device, target)
    try:
        calibration = calibrate(device, goal, on_line)
    except ValueError as error:
        raise UsageError(f"{options.naming('jumpers')}: {error}") from error
    _check_bins(device, calibration, on_line)
    if previous is not None:
        calibration = _with(previous, calibration, on_line)
    return Calibrated(calibration, target, unsaved(lambda: store.save(calibration, target)))


def _check_bins(device: Device, calibration: Calibration, on_line: OnLine) -> None:
    lines = list(outside(calibration, device.identity.geometry))
    for line in lines:
        on_line(line)
    if lines:
        others = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
        raise InstrumentError(
            f"{device.name}: {lines[0]}{others}; nothing is kept; look at the board's clock and "
            "supply, and try another board or seed"
        )


def _silent(line: str) -> None:
    del line


def _before(device: Device, target: Path) -> Calibration | None:
    """Return an earlier calibration of this board and build; None if there is none there."""
    try:
        calibration = store.load(target)
        return store.checked(calibration, device.serial, device.identity, str(target))
    except (StoreError, UsageError):
        return None


def _with(previous: Calibration, calibration: Calibration, on_line: OnLine) -> Calibration:
    combined = carried(calibration, previous)
    for jumper in set(combined.jumpers) - set(calibration.jumpers):
        on_line(
            f"strike{jumper.output} to ch{jumper.channel}: its jumper's of {jumper.made} is kept"
        )
    if combined.scale is not calibration.scale and combined.scale is not None:
        on_line(f"{combined.scale.reference}: what it gave on {combined.scale.made} is kept")
    return combined
