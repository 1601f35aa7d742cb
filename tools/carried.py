# SPDX-License-Identifier: Apache-2.0
"""How many events a second a board's link carries, simulated bit by bit on its UART.

One output strikes faster than the link can tell, and a device answers on one channel: the link is
never idle. Twice the host asks for the time, and has by then what was sent up to that time, to a
frame. What its answers took is taken off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from unittest.mock import patch

from plexor.base.units import FEMTOSECONDS
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import CRC_BYTES, HEADER, MAX_WORDS, OPERATION
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import RunState, Stream, register
from plexor.run.plan.carried import most_events_s
from plexor.run.session import follow
from plexor.run.session.progress import Progress
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor.wire.link.serial_port import BITS_A_BYTE
from plexor_sim.packages import default_cache
from plexor_sim.serve import prepare
from plexor_sim.server import Server

EVENTS_A_STRIKE = 4
"""Both edges of a strike, and of its answer."""
OVERLOAD = Fraction(3, 2)
"""Events that arise, of those that the link carries."""
FRAMES = 200
"""Full frames that the run takes at least."""
_SELDOM_S = 10.0
"""Wall time between two questions.

A simulated second takes minutes: asked as often as a board, it would fill its link with answers.
"""
_ASKED = ("state", "time_ticks", "start_ticks", "upload_dropped")
_ANSWER_WORDS = sum(register("status", name).words for name in _ASKED)
ANSWER_BYTES = HEADER.size_bytes + _ANSWER_WORDS * OPERATION.size_bytes + CRC_BYTES + 3


@dataclass(frozen=True)
class Carried:
    """What the simulated link of a build carried."""

    clocks_a_bit: int
    events: int
    clocks: int
    """Core clocks in which it carried them."""

    def events_s(self, core_hz: Fraction) -> Fraction:
        """Return the events a second at a core clock."""
        return self.events * core_hz / self.clocks


def _clock_hz(geometry: Geometry) -> Fraction:
    """Return the core clock of an instrument."""
    return Fraction(FEMTOSECONDS, geometry.tick_fs * geometry.samples)


def carried(geometry: Geometry, clocks_a_bit: int, frames: int = FRAMES) -> Carried:
    """Return what an instrument's UART carries at so many core clocks a bit.

    Raises ValueError for a simulation that is too fast for two questions.
    """
    clock_hz = _clock_hz(geometry)
    most_s = most_events_s(clock_hz / clocks_a_bit / BITS_A_BYTE)
    interval_s = math.floor(clock_hz * EVENTS_A_STRIKE / (most_s * OVERLOAD)) / clock_hz
    settings = Settings(
        strikes=(Stimulus(period_s=interval_s, width_s=interval_s / 2),),
        channels=(Channel(0),),
        count=math.ceil(frames * MAX_WORDS * OVERLOAD / EVENTS_A_STRIKE),
        stream=Stream.LIVE,
        keep_events=False,
    )
    device = "synthetic:latency=1us,width=500ns,ch0.after=strike0"
    ready = prepare(device, geometry, default_cache(), uart=True)
    arguments = ("--once", "--uart-divisor", str(clocks_a_bit))
    looks: list[Progress] = []
    with (
        patch.object(follow, "POLL_S", _SELDOM_S),
        Server(ready.executable, ready.options, arguments) as server,
        Device(open_link(f"tcp://127.0.0.1:{server.port}")) as link,
    ):
        measure(link, settings, looks.append)
    busy = [look for look in looks if look.state == RunState.RUNNING and look.events_received]
    if len(busy) < 2:
        raise ValueError(f"{len(busy)} looks while the link was busy; must be 2 or more: frames")
    first, last = busy[0], busy[-1]
    answers = len(busy) - 1
    clocks = round((last.elapsed_s - first.elapsed_s) * float(clock_hz))
    clocks -= answers * ANSWER_BYTES * BITS_A_BYTE * clocks_a_bit
    return Carried(clocks_a_bit, last.events_received - first.events_received, clocks)
