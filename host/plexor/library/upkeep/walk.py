# SPDX-License-Identifier: Apache-2.0
"""Walks a link from its port to the instrument's clock, and says at each step what to do next."""

from __future__ import annotations

import time
from collections.abc import Iterator

from plexor.base.errors import InstrumentError, LinkError
from plexor.base.units import FEMTOSECONDS
from plexor.library.connection import Connection
from plexor.library.open import open_any
from plexor.protocol.registers import StatusFlag
from plexor.wire.desk.doctor import LATENCY_MS, Diagnosis, Level, install_rules, latency_timer
from plexor.wire.device.device import Device
from plexor.wire.link.boards import BOARDS, FoundBoard, at_port

CLOCK_S = 0.5
"""Time for which the instrument's clock is held against the host's."""
MOST_CLOCK_ERROR = 0.02
"""Part by which they may differ; oscillators that work differ by some ppm."""


def walked(link: str) -> Iterator[Diagnosis]:
    """Yield what each step along a link finds. Ends at the first step that fails.

    Raises UsageError for a URI that names no link.
    """
    port = link.removeprefix("serial:").partition("?")[0] if link.startswith("serial:") else ""
    device = at_port(port) if port else None
    if port:
        yield _port(port, device)
    try:
        instrument = open_any(link)
    except (LinkError, InstrumentError) as error:
        # A silent link's line says what came in place of an answer, and what to do.
        denied = "permission denied" in str(error)
        yield Diagnosis(Level.MISSING, str(error), install_rules() if denied else "")
        return
    with instrument:
        yield from _opened(instrument, port, device)


def _port(port: str, device: FoundBoard | None) -> Diagnosis:
    if device is None:
        return Diagnosis(
            Level.NOTE, f"{port}: no USB device is known behind it; plexor board devices"
        )
    plugged = device.plugged
    name = f"{port}: {plugged.product or 'a USB device'} {plugged.serial}".rstrip()
    if not device.boards:
        text = f"{name}: no board's id; as an adapter, its TX goes to the board's RX"
        return Diagnosis(Level.NOTE, text)
    if not device.link:
        interface = ", ".join(str(board.interface) for board in device.boards)
        return Diagnosis(
            Level.MISSING,
            f"{name}: interface {plugged.interface} of {device.name}; the instrument's is "
            f"{interface}",
            "plexor board devices",
        )
    return Diagnosis(Level.OK, f"{name}: {device.name}")


def _opened(instrument: Connection, port: str, plugged: FoundBoard | None) -> Iterator[Diagnosis]:
    for note in instrument.notes:
        yield Diagnosis(Level.OK, note)
    device = instrument.device
    identity = instrument.identity
    answer = f"{device.name}: {identity.board} answers, build {identity.build_id:016x}"
    yield Diagnosis(Level.OK, f"{answer}{', simulated' if identity.simulated else ''}")
    if plugged is not None and plugged.boards:
        named = {name for board in plugged.boards for name in board.identities}
        if identity.board not in named:
            own = [board.name for board in BOARDS if identity.board in board.identities]
            board_name = own[0] if own else identity.board
            text = f"its bitstream is for {board_name}, and the board is {plugged.name}"
            yield Diagnosis(Level.MISSING, text, "plexor board flash BOARD")
    timer = latency_timer(port) if port else None
    if timer is not None and timer[1] > LATENCY_MS:
        text = f"{port}: latency timer {timer[1]} ms although the link asked for {LATENCY_MS}"
        command = f"echo {LATENCY_MS} | sudo tee {timer[0]}"
        yield Diagnosis(Level.MISSING, f"{text}; every command waits that long", command)
    # Of a row the connection's note says what the link carries.
    lost = () if device.row else device.never_carried()
    if lost:
        values = ", ".join(f"{value:#04x}" for value in lost)
        text = f"the link never carries bytes {values}: update the firmware of its USB bridge"
        yield Diagnosis(Level.MISSING, text)
    elif not device.row:
        yield Diagnosis(Level.OK, "the link carries every value of a byte both ways")
    yield from _clock(device)
    if device.read("status", "flags") & StatusFlag.CLOCK_LOST:
        text = "the PLL lost its lock in the last run: look at the board's supply and reference"
        yield Diagnosis(Level.MISSING, text, "plexor board selftest")
    yield Diagnosis(Level.OK, f"next: plexor board selftest --link '{device.name}' tests the rest")


def _clock(device: Device) -> Iterator[Diagnosis]:
    """Yield whether the instrument's clock runs as the host's; a simulation's does not."""
    if device.identity.simulated:
        return
    began_s, first, then_s = _read_time(device)
    time.sleep(CLOCK_S)
    before_s, last, ended_s = _read_time(device)
    passed_s = (last - first) * device.identity.tick_fs / FEMTOSECONDS
    # Each value is of some moment while its command was on its way.
    least_s, most_s = before_s - then_s, ended_s - began_s
    if least_s * (1 - MOST_CLOCK_ERROR) <= passed_s <= most_s * (1 + MOST_CLOCK_ERROR):
        within = f"{100 * MOST_CLOCK_ERROR:g} %"
        yield Diagnosis(Level.OK, f"its clock runs as the host's, within {within}")
        return
    rate_text = f"runs at {passed_s / least_s:.2f} of its rate" if passed_s else "stands"
    text = f"its clock {rate_text}: no reference, another oscillator, or a PLL without lock"
    yield Diagnosis(Level.MISSING, f"{text}; look at the oscillator", "plexor board flash BOARD")


def _read_time(device: Device) -> tuple[float, int, float]:
    """Return the instrument's time in ticks, and the host's before and after it was read."""
    began_s = time.monotonic()
    return began_s, device.read("status", "time_ticks"), time.monotonic()
