"""Calibrations: where the bins of each channel end, found by the instrument itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from plexor.calibration import store
from plexor.calibration.density import LEAST_EDGES
from plexor.calibration.run import Wanted, calibrate
from plexor.device.device import Device
from plexor.errors import StoreError, UsageError
from plexor.jsonable import to_json
from plexor.library.values import Count, Naming, count, path_of, plain, read
from plexor.model.calibration import Calibration

EDGES = "20k"
OnLine = Callable[[str], None]
"""Gets a line about each step."""


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
        from plexor.render.terminal.calibration import calibration_text  # noqa: PLC0415

        return calibration_text(self.calibration, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor calibrate --json` prints."""
        return to_json(self.calibration)


def edges_of(edges: Count, name: Naming = plain) -> int:
    """Return a number of edges; raise UsageError if it is no number or too small."""
    number: int = read({"edges": edges}, {"edges": count})["edges"]
    if number < LEAST_EDGES:
        raise UsageError(f"{name('edges')} {number}; must be at least {LEAST_EDGES}")
    return number


def target_of(device: Device, path: Path | None) -> Path:
    """Return where a calibration is kept: at `path`, or in the user's data folder."""
    return path or store.default_path(device.serial, device.identity.placement)


def forgotten(device: Device) -> Path:
    """Remove the calibration that is kept for this board and build; return where it was.

    Raises UsageError where none is kept, StoreError where it cannot be removed.
    """
    return store.forget(device.serial, device.identity)


def calibrated(
    device: Device,
    edges: Count = EDGES,
    path: str | Path | None = None,
    on_line: OnLine | None = None,
) -> Calibrated:
    """Measure where the bins of each channel end, and keep it.

    `edges` is the minimum number of edges of each direction on each channel, at least 1,000. `path`
    is a file; without it, one for each board and build in the user's data folder. `on_line` gets a
    line about each step.

    Raises UsageError for too few edges, and InstrumentError if a channel does not see the on-chip
    source or its looped-back strikes.
    """
    found = calibrate(device, Wanted(edges_of(edges)), on_line or (lambda line: None))
    target = target_of(device, None if path is None else path_of(path))
    try:
        store.save(found, target)
    except StoreError as error:
        return Calibrated(found, target, error)
    return Calibrated(found, target, None)
