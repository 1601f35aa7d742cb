# SPDX-License-Identifier: Apache-2.0
"""Fetches what comes after a run's end: results, remaining events, events around the trigger.

Every wait ends: when nothing more comes, or when even the slowest link would have delivered all.
"""

from __future__ import annotations

from collections.abc import Callable

from plexor.protocol.frames import CRC_BYTES, HEADER, MAX_WORDS, WORD_BYTES
from plexor.protocol.geometry import Feature
from plexor.protocol.memory import Space
from plexor.protocol.registers import Action, StatusFlag
from plexor.run.plan.registers import RegisterPlan
from plexor.wire.decode.collect import Collector
from plexor.wire.decode.register_image import end_registers
from plexor.wire.device.device import Device

DUMP_SILENCE_S = 1.0
"""Silence after which a dump is requested again, in seconds of an instrument's time."""
DUMP_TRIES = 6
EVENT_SILENCE_S = 0.5
TRACE_SILENCE_S = 0.5
SLOWEST_BYTES_S = 10_000
"""Rate of the slowest link, in bytes per second. Waits end as if the link were this slow."""
_LOOK_S = 0.05
_EVENT_BYTES = HEADER.size_bytes + CRC_BYTES + 2 * WORD_BYTES
"""Maximum size of an event on the link, in bytes: each event in a frame of its own."""


def fetch(device: Device, plan: RegisterPlan, collector: Collector) -> None:
    """Wait for everything that an ended run still sends; request lost dumps again."""
    geometry = device.identity.geometry
    _results(device, plan, collector)
    device.read_all(end_registers(device.identity))
    if plan.value("control", "stream"):
        _events(device, collector)
    flags = StatusFlag(device.image.value("status", "flags"))
    if StatusFlag.TRIGGERED in flags and Feature.RING in geometry.features:
        dumps, events = collector.dumps, device.image.value("status", "events")
        device.write("control", "action", Action.TRACE)
        _until_still(
            device,
            lambda: collector.trace_events,
            lambda: collector.dumps > dumps or collector.has_ring_of(events),
            TRACE_SILENCE_S,
            geometry.ring_depth * _EVENT_BYTES,
        )


def _results(device: Device, plan: RegisterPlan, collector: Collector) -> None:
    memories = collector.memories
    final_spaces = plan.value("control", "final_spaces")

    def missing() -> tuple[Space, ...]:
        return memories.missing(final_spaces)

    for attempt in range(DUMP_TRIES):
        if attempt:
            spaces = sum(1 << space for space in missing())
            device.write("control", "dump_spaces", spaces)
            device.write("control", "action", Action.DUMP)
        _until_still(
            device,
            memories.words_arrived,
            lambda: not missing(),
            DUMP_SILENCE_S,
            2 * WORD_BYTES * memories.words,
        )
        if not missing():
            return


def _events(device: Device, collector: Collector) -> None:
    """Wait for the events behind the results, at most as many as the instrument can hold."""
    image, geometry = device.image, device.identity.geometry
    sent = image.value("status", "events") - image.value("status", "upload_dropped")
    sent -= sum(image.value("source", "dropped", source) for source in geometry.sources)
    held = geometry.upload_depth + geometry.deep_depth + MAX_WORDS
    last = min(sent, collector.received_total + held)
    _until_still(
        device,
        lambda: collector.received_total,
        lambda: collector.received_total >= last,
        EVENT_SILENCE_S,
        held * _EVENT_BYTES,
    )


def _until_still(
    device: Device,
    amount: Callable[[], int],
    done: Callable[[], bool],
    silence_s: float,
    most_bytes: int,
) -> None:
    """Handle frames until `done`, until nothing comes any more, or until all must have come.

    Only waits for bytes count as silence, and only bytes that have come count as late: a host that
    is slow, or that was suspended, finds what came meanwhile.
    """
    silence_s *= device.patience
    most_s = silence_s + device.patience * most_bytes / SLOWEST_BYTES_S
    wait = device.waiting(most_bytes)
    silent_s, last = 0.0, amount()
    while not done() and silent_s < silence_s and not wait.is_over(most_s):
        heard = device.pump(_LOOK_S)
        silent_s = 0.0 if heard or amount() != last else silent_s + _LOOK_S
        last = amount()
