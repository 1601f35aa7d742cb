# SPDX-License-Identifier: Apache-2.0
"""How many events a second a board's link carries, simulated bit by bit on its UART.

One output strikes faster than the link can tell, a device answers on one channel, and the queue in
front of the link fills up. From then on events arrive at the link's rate. Two runs, of which one is
longer, end with the same full queue: the longer one's further events are what the link carried in
its further time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from unittest.mock import patch

from plexor.base.units import FEMTOSECONDS
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import MAX_WORDS
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import Stream
from plexor.run.plan.carried import most_events_s
from plexor.run.session import follow
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
FRAMES = 60
"""Full frames by which the second run is longer."""
_SELDOM_S = 60.0
"""Wall time between two questions to the instrument.

A simulated second takes minutes: asked as often as a board, it would fill its link with answers.
"""


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
    """Return what an instrument's UART carries at so many core clocks a bit."""
    clock_hz = _clock_hz(geometry)
    most_s = most_events_s(clock_hz / clocks_a_bit / BITS_A_BYTE)
    interval = math.floor(clock_hz * EVENTS_A_STRIKE / (most_s * OVERLOAD))
    stimulus = Stimulus(period_s=interval / clock_hz, width_s=interval / clock_hz / 2)
    device = "synthetic:latency=1us,width=500ns,ch0.after=strike0"
    ready = prepare(device, geometry, default_cache(), uart=True)
    arguments = ("--once", "--uart-divisor", str(clocks_a_bit))
    filled = geometry.upload_depth / (OVERLOAD - 1) * OVERLOAD + 2 * MAX_WORDS
    received: list[int] = []
    strikes = [
        math.ceil((filled + more * MAX_WORDS * OVERLOAD) / EVENTS_A_STRIKE)
        for more in (FRAMES // 10, FRAMES // 10 + frames)
    ]
    for count in strikes:
        settings = Settings(
            strikes=(stimulus,),
            channels=(Channel(0),),
            count=count,
            stream=Stream.LIVE,
            keep_events=False,
        )
        with (
            patch.object(follow, "POLL_S", _SELDOM_S),
            Server(ready.executable, ready.options, arguments) as server,
            Device(open_link(f"tcp://127.0.0.1:{server.port}")) as link,
        ):
            result = measure(link, settings)
        if not result.accounting.dropped_on_chip or result.accounting.lost_on_link:
            raise ValueError(f"{count} strikes: {result.accounting}; must be dropped on the chip")
        received.append(result.accounting.received)
    clocks = interval * (strikes[1] - strikes[0])
    return Carried(clocks_a_bit, received[1] - received[0], clocks)
