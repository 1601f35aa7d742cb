# SPDX-License-Identifier: Apache-2.0
"""Runs for calibration and self-test, repeated if the link lost a part of one."""

from __future__ import annotations

from plexor.base.errors import LinkError
from plexor.model.results import RunResult
from plexor.model.settings import Settings
from plexor.protocol.memory import Space
from plexor.protocol.registers import StopReason
from plexor.run.session.session import measure_whole
from plexor.wire.decode.assemble import NEVER_CAME
from plexor.wire.device.device import Device

TRIES = 4
"""Maximum number of times that a run is taken because the link lost a part of it."""
SPACES = (Space.CLASSES, Space.EDGES, Space.UPLOAD_DROPS, Space.LATENCY_STATISTICS)
"""Result memories that a run's accounting needs."""
BIN_SPACES = (*SPACES, Space.LATENCY_BINS)
"""Result memories that the accounting and the latency histograms need."""


def whole_run(device: Device, settings: Settings) -> RunResult:
    """Return a run that ended by itself.

    Raises KeyboardInterrupt for an interrupted run, and LinkError if the run's end was never seen:
    a calibration or a test must not rest on a part of a run.
    """
    result = measure_whole(device, settings)
    if result.stop_reason == StopReason.NONE:
        raise LinkError(f"{device.name}: {'; '.join(result.invalid_reasons)}")
    return result


def complete_run(device: Device, settings: Settings) -> RunResult:
    """Return a run without loss on the link, or the last one if each of TRIES had losses."""
    result = whole_run(device, settings)
    for _ in range(TRIES - 1):
        if result.events is not None and not result.accounting.lost_on_link:
            break
        result = whole_run(device, settings)
    return result


def dumped_run(device: Device, settings: Settings) -> RunResult:
    """Return a run with all its results; events may be missing. Raises LinkError after TRIES."""
    missing: list[str] = []
    for _ in range(TRIES):
        result = whole_run(device, settings)
        missing = [text for text in result.invalid_reasons if text.startswith(NEVER_CAME)]
        if not missing:
            return result
    raise LinkError(f"{device.name}: {'; '.join(missing)}")
