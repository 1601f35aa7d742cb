"""Calibrations: where the bins of each channel end, found by the instrument itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from plexor.calibration import store
from plexor.calibration.density import LEAST_EDGES
from plexor.calibration.reference import LEAST_CLOCK_HZ, PPS_HZ, Reference
from plexor.calibration.run import WIRE_PS, Wanted, calibrate, carried
from plexor.calibration.sheet import outside
from plexor.device.device import Device
from plexor.errors import InstrumentError, StoreError, UsageError
from plexor.jsonable import to_json
from plexor.library.pins import Jumper, wires_of, wiring_of
from plexor.library.specs.texts import parse_clock
from plexor.library.specs.values import Count, Naming, Time, count, path_of, plain, read, seconds
from plexor.library.upkeep.wire import wire_ps
from plexor.model.calibration import Calibration
from plexor.units import format_rate

EDGES = "20k"
SECONDS = 10
"""Default of how long a reference is watched."""
LEAST_SECONDS, MOST_SECONDS = 3, 3600
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


def reference_of(
    clock: str | tuple[int, Fraction] | None, time: Time = SECONDS, name: Naming = plain
) -> Reference | None:
    """Return what the oscillator is compared with, by `ch7` or `ch7=10M`, and for how long.

    Raises UsageError for a rate that is neither 1 Hz nor 1 MHz or more, or a time out of bounds.
    """
    if clock is None:
        return None
    try:
        channel, hertz = parse_clock(clock) if isinstance(clock, str) else clock
    except ValueError as error:
        raise UsageError(f"{name('pps')}: {error}") from error
    if hertz != PPS_HZ and hertz < LEAST_CLOCK_HZ:
        raise UsageError(
            f"{name('pps')}: {format_rate(hertz)}; must be 1 Hz, or {format_rate(LEAST_CLOCK_HZ)} "
            "or more"
        )
    time_s: Fraction = read({"pps_time": time}, {"pps_time": seconds})["pps_time"]
    if not LEAST_SECONDS <= time_s <= MOST_SECONDS:
        raise UsageError(
            f"{name('pps_time')} {float(time_s):g} s; must be {LEAST_SECONDS} to {MOST_SECONDS} s"
        )
    return Reference(channel, hertz, time_s)


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
    *,
    jumpers: str | Sequence[Jumper] = (),
    wire: Time | None = None,
    pps: str | tuple[int, Fraction] | None = None,
    pps_time: Time = SECONDS,
    name: Naming = plain,
) -> Calibrated:
    """Measure where the bins of each channel end and the ways over pads, and keep it.

    `edges` is the minimum number of edges of each direction on each channel, at least 1,000. `path`
    is a file; without it, one for each board and build in the user's data folder. `on_line` gets a
    line about each step. `jumpers` are wires from strikes' pins to channels' pins: the way over
    both pins is measured through them. `wire` is the length of each, such as `30cm`, or its delay,
    such as `1.5ns`; without it, 0 to 1 ns. `pps` is a channel with 1 PPS, or a channel and its
    frequency, such as `ch7=10M`; the oscillator is compared with it for `pps_time`. What an
    earlier calibration in the same file has of other jumpers, or of a clock, is kept. Bins that the
    sheet of the board's PLL does not allow are told, and nothing is kept. `name` gives an option's
    name for messages.

    Raises UsageError for options out of bounds and pins that there are not, InstrumentError if a
    channel does not see the on-chip source or its strikes, if the reference is none, or if a bin is
    wider or narrower than the sheet of the board's PLL allows.
    """
    wanted = Wanted(
        edges_of(edges),
        wiring_of(wires_of(jumpers), name),
        WIRE_PS if wire is None else wire_ps(wire, name),
        reference_of(pps, pps_time, name),
    )
    told: OnLine = on_line or _silent
    target = target_of(device, None if path is None else path_of(path))
    before = _before(device, target)
    try:
        found = calibrate(device, wanted, told)
    except ValueError as error:
        raise UsageError(f"{name('jumpers')}: {error}") from error
    _check_bins(device, found, told)
    if before is not None:
        found = _with(before, found, told)
    try:
        store.save(found, target)
    except StoreError as error:
        return Calibrated(found, target, error)
    return Calibrated(found, target, None)


def _check_bins(device: Device, found: Calibration, told: OnLine) -> None:
    lines = list(outside(found, device.identity.geometry))
    for line in lines:
        told(line)
    if lines:
        more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
        raise InstrumentError(
            f"{device.name}: {lines[0]}{more}; nothing is kept; look at the board's clock and "
            "supply, and try another board or seed"
        )


def _silent(line: str) -> None:
    del line


def _before(device: Device, target: Path) -> Calibration | None:
    """Return an earlier calibration of this board and build; None if there is none there."""
    try:
        before = store.load(target)
        return store.checked(before, device.serial, device.identity, str(target))
    except (StoreError, UsageError):
        return None


def _with(before: Calibration, found: Calibration, told: OnLine) -> Calibration:
    whole = carried(found, before)
    for entry in set(whole.jumpers) - set(found.jumpers):
        told(f"strike{entry.output} to ch{entry.channel}: its jumper's of {entry.made} is kept")
    if whole.scale is not found.scale and whole.scale is not None:
        told(f"{whole.scale.reference}: what it gave on {whole.scale.made} is kept")
    return whole
