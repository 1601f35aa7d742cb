"""Runs that calibrate and test: to their end, and once more where the link has lost a part."""

from __future__ import annotations

from plexor.decode.assemble import NEVER_CAME
from plexor.device.device import Device
from plexor.errors import LinkError
from plexor.model.results import RunResult
from plexor.model.settings import Settings
from plexor.protocol.memory import Space
from plexor.protocol.registers import StopReason
from plexor.session.session import measure

TRIES = 4
"""Of a run some of which was lost on the link."""
SPACES = (Space.CLASSES, Space.EDGES, Space.UPLOAD_DROPS, Space.LATENCY_STATISTICS)
"""Enough of the results for a run's accounting."""
BIN_SPACES = (*SPACES, Space.LATENCY_BINS)
"""Enough for its latencies too."""


def whole_run(device: Device, settings: Settings) -> RunResult:
    """Return a run that has ended by itself.

    Raises KeyboardInterrupt for one that was interrupted and LinkError for one whose end was never
    seen: what is calibrated or tested by it would be of a part of it.
    """
    result = measure(device, settings)
    if result.interrupted:
        raise KeyboardInterrupt
    if result.stop_reason == StopReason.NONE:
        raise LinkError(f"{device.name}: {'; '.join(result.invalid_reasons)}")
    return result


def complete_run(device: Device, settings: Settings) -> RunResult:
    """Return a run of which nothing was lost on the link, unless that is so in each of TRIES."""
    result = whole_run(device, settings)
    for _ in range(TRIES - 1):
        if result.events is not None and not result.accounting.lost_on_link:
            break
        result = whole_run(device, settings)
    return result


def dumped_run(device: Device, settings: Settings) -> RunResult:
    """Return a run whose results all came, events aside; raise LinkError after TRIES."""
    missing: list[str] = []
    for _ in range(TRIES):
        result = whole_run(device, settings)
        missing = [text for text in result.invalid_reasons if text.startswith(NEVER_CAME)]
        if not missing:
            return result
    raise LinkError(f"{device.name}: {'; '.join(missing)}")
