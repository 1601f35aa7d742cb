# SPDX-License-Identifier: Apache-2.0
"""Runs of the executor at a simulated instrument, told register by register and in lockstep."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from code_port import Link, codes_of

from plexor.protocol.frames import FrameType, LogCode
from plexor.protocol.registers import Action, CodeMode, StopOn, Stream
from plexor.wire.decode.batch import EventBatch, batch_of
from plexor_hdl.build import boards
from plexor_lab.mixed.device_line import DeviceLine, open_line
from plexor_sim.build import build
from plexor_sim.devices import find_device, option_text
from plexor_sim.packages import default_cache
from plexor_sim.server import Server

GEOMETRY = boards.simulated("ulx3s-25f")
TICK_PS = GEOMETRY.tick_fs // 1000
STEP_TICKS = 71_111_000 // TICK_PS
"""The study's step, a thousandth of it: 14.0625 Hz is 71.111 ms."""
LATEST_TICKS = 30_000_000 // TICK_PS
"""No answer to a step takes longer, if the device knows of it."""
BAUD = 5_000_000
PACE_PS = 20_000_000
STROBE = 7
TIMECODE, DUE = 8, 9
"""Sources of events."""


@dataclass(frozen=True)
class Device:
    """A device under test, built for GEOMETRY."""

    executable: Path
    options: str


@cache
def device(dut: str) -> Device:
    """Return `NAME:OPTIONS`, built."""
    name, _, own = dut.partition(":")
    parts = find_device(name, default_cache(), own)
    executable = build(GEOMETRY, parts, default_cache())
    return Device(executable, option_text(name, parts, own))


def executor(**options: str | int) -> Device:
    """Return the executor with device options."""
    text = ",".join(f"{name}={value}" for name, value in ({"baud": BAUD} | options).items())
    return device(f"freertos:program=executor,{text}")


class Run:
    """A run whose simulated time goes on by PACE_PS with each command."""

    def __init__(self, link: Link, line: DeviceLine | None) -> None:
        self.link = link
        self._line = line

    @property
    def line(self) -> DeviceLine:
        """The device's serial line."""
        assert self._line is not None
        return self._line

    def prepare(
        self,
        steps: int,
        *,
        step_ticks: int = STEP_TICKS,
        strobe: int = STROBE,
        gray: bool = False,
    ) -> None:
        """Set up so many steps of the timecode, and codes with a channel's strobe."""
        settings = {
            ("control", "stream"): Stream.LIVE,
            ("control", "stop_on"): StopOn.TIME,
            ("control", "run_time_ticks"): steps * step_ticks + step_ticks // 2,
            ("stimulus", "enable"): 1,
            ("stimulus", "phase_ticks"): step_ticks,
            ("stimulus", "interval_ticks"): step_ticks,
            ("stimulus", "width_ticks"): 100,
            ("code", "mode"): CodeMode.STROBED,
            ("code", "mask"): 0xFF,
            ("code", "strobe_channel"): strobe,
            ("schedule", "timecode_gray"): int(gray),
            ("schedule", "timecode_on"): 1,
        }
        for (block, name), value in settings.items():
            self.link.write(block, name, value)

    def start(self) -> None:
        """Start; the run itself begins once all memories are clear."""
        self.link.write("control", "action", Action.START)

    def start_ticks(self) -> int:
        """Return the tick at which the run began."""
        return self.link.get("status", "start_ticks")

    def stopped(self) -> bool:
        """Whether the instrument has said that the run is over."""
        return any(
            frame.type == FrameType.LOG and frame.tag == LogCode.STOPPED
            for frame in self.link.frames
        )

    def until_end(self, each: Callable[[int], None] = lambda _: None) -> EventBatch:
        """Poll the time and pass it to `each` until the run is over; return the events."""
        while not self.stopped():
            each(self.link.get("status", "time_ticks"))
        # What came before the answer to this one has been read.
        self.link.get("status", "time_ticks")
        return batch_of([f for f in self.link.frames if f.type == FrameType.EVENTS])


@contextmanager
def paced(
    device: Device, arguments: tuple[str, ...] = (), *, pace_ps: int = PACE_PS
) -> Iterator[Run]:
    """Serve a device; yield a run in lockstep with this test."""
    pace = ("--pace", str(pace_ps), *arguments)
    with Server(device.executable, device.options, pace) as server:
        with Link(server.port) as link:
            if server.serial_port is None:
                yield Run(link, None)
                return
            with open_line(f"tcp://127.0.0.1:{server.serial_port}") as line:
                yield Run(link, line)


def rises(batch: EventBatch, source: int) -> np.ndarray:
    """Return the times in ticks of a source's rising edges."""
    chosen = (batch.sources() == source) & (batch.polarities() == 1)
    return batch.time_ticks()[chosen].astype(np.int64)


def fires(batch: EventBatch) -> np.ndarray:
    """Return (time_ticks, code) of each code."""
    return codes_of(batch)
