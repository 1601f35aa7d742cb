# SPDX-License-Identifier: Apache-2.0
"""Takes one run on two simulated instruments, such as a twin and the gateware; compares them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from plexor.base.counts import counted
from plexor.experiments.calibration.runs import whole_run
from plexor.experiments.selftest.model import Finding, SelftestPart, check
from plexor.figures.analyse.doubts import grouped
from plexor.model.results import EVENT_DTYPE, EventArray, RunResult
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.model.sources import source_name
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

STRIKES = 1000
PERIOD_S = Fraction(1, 20_000)
_CORE = "core="


def compared(uri: str, core: str) -> SelftestPart:
    """Return the check of the run at a `sim:` link against the same on another core."""
    own, result = _run(uri)
    other, expected = _run(with_core(uri, core))
    return judged(own or uri, result, other or core, expected)


def with_core(uri: str, core: str) -> str:
    """Return a `sim:` URI with another core."""
    head, _, query = uri.partition("?")
    items = [item for item in query.split("&") if item and not item.startswith(_CORE)]
    return f"{head}?{'&'.join([*items, _CORE + core])}"


def judged(own: str, found: RunResult, other: str, expected: RunResult) -> SelftestPart:
    """Return the check of a run against an expected one; each has the name of its core."""
    count = 0 if found.events is None else len(found.events)
    difference = _difference(own, found, other, expected)
    summary = f"{own} and {other}: {counted(count, 'event')} identical"
    if difference:
        return check("cores", f"{own} and {other} differ", [Finding("cores", difference)])
    return check("cores", summary)


def _run(uri: str) -> tuple[str, RunResult]:
    with Device(open_link(uri)) as device:
        channels = tuple(Channel(number) for number in range(device.identity.geometry.channels))
        strikes = (Stimulus(period_s=PERIOD_S, count=STRIKES),)
        return device.core, whole_run(device, Settings(strikes, channels))


def _difference(own: str, found: RunResult, other: str, expected: RunResult) -> str:
    """Return the first difference; empty if there is none."""
    events, reference = _events(found), _events(expected)
    for n, (one, two) in enumerate(zip(events, reference, strict=False)):
        if one != two:
            return f"event {n}: {own} has {_text(one)}, {other} has {_text(two)}"
    if len(events) != len(reference):
        return f"{own} has {counted(len(events), 'event')}, {other} {grouped(len(reference))}"
    for channel, wanted in zip(found.channels, expected.channels, strict=True):
        if channel != wanted:
            return f"ch{channel.number}: {own} and {other} have other results of the same events"
    for name in ("start_ticks", "end_ticks", "stop_reason", "flags", "accounting"):
        one, two = getattr(found, name), getattr(expected, name)
        if name == "accounting":  # its frames have the answers to the host's polls
            one, two = (replace(each, frames_received=0) for each in (one, two))
        if one != two:
            return f"{name}: {own} has {one}, {other} has {two}"
    return ""


def _events(result: RunResult) -> EventArray:
    return np.empty(0, EVENT_DTYPE) if result.events is None else result.events


def _text(event: np.void) -> str:
    edge = "rise" if event["polarity"] else "fall"
    return f"a {edge} of {source_name(int(event['source']))} at {int(event['time_ticks'])} ticks"
