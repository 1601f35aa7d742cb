# SPDX-License-Identifier: Apache-2.0
"""Begins a run: ends an earlier one, writes the registers, and starts."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime

from plexor.base.errors import InstrumentError, LinkError
from plexor.protocol.registers import Action, RunState
from plexor.run.session.run import POLL_S, LiveRun
from plexor.wire.decode.decoder import FaultKind
from plexor.wire.device.device import SilenceError

START_TRIES = 3
"""Maximum number of START commands that stay without an answer."""
_STATE = (("status", 0, "state"), ("status", 0, "start_ticks"))
_ENDED = (RunState.IDLE, RunState.DONE)


@dataclass(frozen=True, slots=True)
class Begin:
    """When a run began, and what the link had counted by then."""

    started: str
    """Wall time of the start, ISO 8601 in UTC."""
    began: float
    """Start by the monotonic clock, in seconds."""
    frames_received: int
    frames_lost: int
    faults: Counter[FaultKind]
    disorder: Counter[str]


def now() -> str:
    """Return the time, as results have it: ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def prepare(run: LiveRun) -> None:
    """End an earlier run if one is still going on, and write this run's registers.

    Raises InstrumentError if the earlier run does not end.
    """
    _end_earlier(run)
    run.device.write_all(run.plan.registers)


def start(run: LiveRun) -> Begin:
    """Send START until the run begins: the instrument ignores it while it dumps an earlier run.

    `prepare` has read when the earlier run began.
    Raises SilenceError if the run does not begin.
    """
    device, collector = run.device, run.collector
    before = device.image.value("status", "start_ticks")
    collector.reset()
    begin = _now(run)
    unanswered = 0
    while unanswered < START_TRIES and time.monotonic() - begin.began < run.still_s:
        unanswered += not device.write_once("control", "action", Action.START)
        try:
            state, ticks = device.read_all(_STATE)
        except LinkError:
            if collector.started_ticks is None:
                raise
            return begin
        if ticks != before or state not in _ENDED:
            return begin
        device.pump(0.05)
    raise SilenceError(f"{device.name}: the instrument does not start a run")


def _end_earlier(run: LiveRun) -> None:
    device = run.device
    if device.read_all(_STATE)[0] in _ENDED:
        return
    device.write("control", "action", Action.STOP)
    deadline = time.monotonic() + run.still_s
    while device.read_all(_STATE)[0] not in _ENDED:
        if time.monotonic() > deadline:
            raise InstrumentError(f"{device.name}: an earlier run does not end")
        device.pump(POLL_S)
    # The earlier run's last frames must not count as this run's.
    while device.pump(POLL_S):
        if time.monotonic() > deadline:
            raise InstrumentError(f"{device.name}: an earlier run's frames do not end")


def _now(run: LiveRun) -> Begin:
    decoder = run.device.decoder
    return Begin(
        now(),
        time.monotonic(),
        decoder.frames_received,
        decoder.frames_lost,
        decoder.fault_counts.copy(),
        run.device.disorder,
    )
