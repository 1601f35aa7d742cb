# SPDX-License-Identifier: Apache-2.0
"""Measures the start of a simulated instrument up to its identity, alone and by a starter."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass

from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor.wire.link.sim import end_starters


@dataclass(frozen=True)
class Start:
    """Seconds of a start, for all processes that it takes."""

    wall_s: float
    cpu_s: float


def start(times: int, *, again: bool, dut: str = "freertos") -> Start:
    """Return the mean cost of `times` starts; `again`: by a process that stays."""

    def once() -> None:
        Device(open_link("sim:", dut, again=again)).close()

    once()  # builds it, and the process that stays
    before, began = _children_s(), time.perf_counter()
    for _ in range(times):
        once()
    wall_s = time.perf_counter() - began
    end_starters()  # only what has ended is counted
    return Start(wall_s / times, (_children_s() - before) / times)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
