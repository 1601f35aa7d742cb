# SPDX-License-Identifier: Apache-2.0
"""Rejects stored runs whose settings, identity or accounting are impossible. Pure.

An instrument may have sent contradictory figures. `plexor.wire.decode.consistent` leaves these out
and makes the run invalid. This module rejects what no instrument sends and no host writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from plexor.base.constraints import MOST_TICKS
from plexor.model.calibration_consistent import contradictions_of as of_calibration
from plexor.model.code_array import CodeArray
from plexor.model.results import (
    Accounting,
    EventArray,
    Kind,
    RunResult,
    SampleResult,
)
from plexor.model.settings import RegisterWrite
from plexor.protocol import registers
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import bin_bits
from plexor.protocol.registers import Policy, StatusFlag

LOG, ZOOM = "log", "zoom"
"""Scales of a histogram: all values in log-linear bins, or the window of one-tick bins."""
Place = tuple[int, str, str]
"""Channel, kind and scale of a histogram."""


def contradictions_of(result: RunResult) -> Iterator[str]:
    """Yield what is impossible in a run, its arrays aside."""
    yield from _wrong(result)
    if result.calibration is not None:
        yield from of_calibration(result.calibration)


def check_events(events: EventArray, result: RunResult, before: EventArray | None = None) -> None:
    """Raise ValueError for events that no instrument with the run's geometry sends.

    `before` has the event before them; it is empty, or None, if there is none.
    """
    times, known = events["time_ticks"], result.identity.geometry.sources
    for name, values in (("time", times), ("index", events["index"])):
        if len(events) and int(values.max()) >= 2 * MOST_TICKS:
            raise ValueError(f"an event of {name} {values.max()}; must be below {2 * MOST_TICKS}")
    if not np.isin(events["source"], known).all() or (events["polarity"] > 1).any():
        raise ValueError(f"an event of another source than {[*known]} or of no polarity")
    back = before is not None and len(before) and bool((times[:1] < before["time_ticks"]).any())
    if result.valid and (back or (times[1:] < times[:-1]).any()):
        raise ValueError("an event earlier than the one before; must be in order in a valid run")


def check_codes(codes: CodeArray, result: RunResult) -> None:
    """Raise ValueError for codes that no instrument with the run's geometry sends."""
    most = (1 << result.identity.geometry.code_bits) - 1
    if (codes["code"] > most).any():
        raise ValueError(f"a code of {codes['code'].max()}; must be at most {most}")
    times = codes["time_ticks"]
    if (times < 0).any():
        raise ValueError(f"a code at {times.min()} ticks; must be 0 or more")


def histograms(result: RunResult) -> Mapping[Place, int]:
    """Return the number of bins of each histogram in a run."""
    geometry = result.identity.geometry
    found: dict[Place, int] = {}
    for channel in result.channels:
        for entry in channel.measurements:
            found[channel.number, entry.kind.value, LOG] = 1 << bin_bits(_bits(geometry, entry))
            if entry.zoom is not None:
                found[channel.number, entry.kind.value, ZOOM] = 1 << geometry.zoom_bits
    return found


def _bits(geometry: Geometry, entry: SampleResult) -> int:
    return {
        Kind.RISE: geometry.latency_mantissa_bits,
        Kind.FALL: geometry.fall_mantissa_bits,
    }.get(entry.kind, geometry.interval_mantissa_bits)


def _wrong(result: RunResult) -> Iterator[str]:
    identity, calibration = result.identity, result.calibration
    if result.start_ticks > result.end_ticks:
        yield f"from {result.start_ticks} to {result.end_ticks} ticks; must rise"
    if not 0 <= result.flags <= sum(StatusFlag):
        yield f"flags: {int(result.flags)}; must be 0 to {sum(StatusFlag)}"
    if (result.trigger_index is None) != (result.trigger_ticks is None):
        at = result.trigger_index, result.trigger_ticks
        yield f"trigger at {at}; must have an index and a time"
    if calibration is not None and any(
        getattr(calibration, name) != getattr(identity, name)
        for name in ("gateware_hash", "build_id", "tick_fs")
    ):
        yield "calibration: made for another instrument"
    if calibration is not None:
        phases = {len(entry.rise.late_ps) for entry in calibration.channels}
        if phases != {identity.geometry.phases}:
            yield f"calibration: {phases} phases; must be {identity.geometry.phases}"
    numbers = [channel.number for channel in result.channels]
    if sorted(set(numbers)) != numbers:
        yield f"channels {numbers}; must be different and rise"
    for channel in result.channels:
        kinds = [entry.kind for entry in channel.measurements]
        if len(set(kinds)) < len(kinds):
            yield f"ch{channel.number}: measurements {[*map(str, kinds)]}; must be different"
        for entry in channel.measurements:
            bits = _bits(identity.geometry, entry)
            if entry.bins.mantissa_bits != bits:
                own = entry.bins.mantissa_bits
                yield f"ch{channel.number}: bins of {own} mantissa bits; must be {bits}"
    for write in result.registers:
        yield from _wrong_register(write)
    yield from _wrong_accounting(result.accounting, identity.geometry, valid=result.valid)


def _wrong_register(write: RegisterWrite) -> Iterator[str]:
    place = f"register {write.block}[{write.copy}].{write.name}"
    try:
        registers.address(write.block, write.name, write.copy)
        registers.register(write.block, write.name).check(write.value)
    except KeyError:
        yield f"{place}: does not exist"
    except ValueError as error:
        yield f"{place}: {error}"
    if (write.block, write.name) == ("matcher", "policy") and write.value not in set(Policy):
        yield f"{place}: {write.value}; must be one of {[*map(int, Policy)]}"


def _wrong_accounting(books: Accounting, geometry: Geometry, *, valid: bool) -> Iterator[str]:
    sources = [entry.source for entry in books.sources]
    if len(set(sources)) < len(sources) or not set(sources) <= set(geometry.sources):
        yield f"accounting: sources {sources}; must be different, of {[*geometry.sources]}"
    if valid and not books.holds:
        yield "accounting: does not add up in a valid run"
