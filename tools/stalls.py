# SPDX-License-Identifier: Apache-2.0
"""Write docs/stalls.md: what a serial link loses while the host does not read it.

    .venv/bin/python -m tools.stalls [--measure SECONDS]

Most boards wire no flow control. While nothing reads the port, the bridge chip, the USB transfers
under way and the terminal's own buffer keep what comes; the rest is lost, and with each byte the
frame that it is in. `--measure` counts what two kinds of readers lose here and now.

Sizes: FTDI, FT231X data sheet (FT_000565), FT2232H data sheet (FT_000061) and FT232H data sheet
(FT_000288), features; Linux, drivers/usb/serial/generic.c and ftdi_sio.c (two transfers of 512
bytes), drivers/tty/n_tty.c (4,096 bytes, of which one stays free).
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from plexor.protocol.document import table
from plexor.protocol.frames import MAX_WORDS
from plexor.protocol.geometry import Feature
from plexor.run.plan.carried import FRAME_BYTES
from plexor.wire.link.serial_port import BITS_A_BYTE
from plexor_hdl.build import boards
from tools.stalled_reader import Lost, lost_by_a_process, lost_by_a_thread

PAGE = Path(__file__).parent.parent / "docs" / "stalls.md"
TERMINAL_BYTES = 4095
TRANSFER_BYTES = 2 * 512
PARTS = (1.0, 0.5, 0.1)
"""Event rates, as parts of what the link carries."""
SECONDS = 1000.0
"""Time over which stalls are drawn."""
STALLS_S = 10.0
MEDIAN_S, RARE_S, RARE_SDS = 1e-3, 0.1, 3.09
"""Stalls are log-normal: half are longer than MEDIAN_S, one in a thousand than RARE_S.

That lies RARE_SDS standard deviations of their logarithm above the median.
"""
SEED = 1


@dataclass(frozen=True)
class Bridge:
    """What is between the gateware's UART and the host."""

    name: str
    chip_bytes: int
    transfer_bytes: int = TRANSFER_BYTES
    holds: bool = False
    """Whether its RTS# holds the gateware while it has no room."""

    @property
    def kept_bytes(self) -> int:
        """Bytes that are kept while nothing reads."""
        return self.chip_bytes + self.transfer_bytes + TERMINAL_BYTES


FT231X = Bridge("FT231X", 512)
FT232H = Bridge("FT232H, an adapter", 1024)
FT232H_OWN = Bridge("FT232H", 1024)
FT2232H = Bridge("FT2232H", 4096)
FT2232H_HOLDS = Bridge("FT2232H with RTS#", 4096, holds=True)
DAPLINK = Bridge("DAPLink; its own buffer is not known", 0, 0)
ICELINK = Bridge("iCELink; its own buffer is not known", 0, 0)
BRIDGES = {
    "alchitry-cu": FT2232H,
    "colorlight-i5": DAPLINK,
    "colorlight-i9": DAPLINK,
    "ecpix-5": FT2232H,
    "hx8k-evn": FT2232H_HOLDS,
    "icebreaker": FT2232H,
    "icebreaker-bitsy": FT232H,
    "icesugar": ICELINK,
    "icesugar-pro": ICELINK,
    "orangecrab": FT232H,
    "pico-ice": FT232H,
    "tinyfpga-bx": FT232H,
    "ulx3s-12f": FT231X,
    "ulx3s-25f": FT231X,
    "ulx3s-85f": FT231X,
    "ulx4m-ls": FT232H,
    "upduino": FT232H_OWN,
}


@dataclass(frozen=True)
class Link:
    """A board's link. Frames of events follow each other at a rate that is a part of the link's."""

    bridge: Bridge
    bytes_s: float

    @property
    def most_events_s(self) -> float:
        """Events a second that the link carries."""
        return self.bytes_s / FRAME_BYTES * MAX_WORDS

    def harmless_s(self, part: float) -> float:
        """Return the longest stall that loses nothing."""
        if self.bridge.holds:
            return math.inf
        return self.bridge.kept_bytes / (self.bytes_s * part)

    def lost_frames(self, begins_s: float, lasts_s: float, part: float) -> range:
        """Return the numbers of the frames that a stall cuts or swallows."""
        frames_s = self.bytes_s * part / FRAME_BYTES
        full_s = begins_s + self.harmless_s(part)
        end_s = begins_s + lasts_s
        if full_s >= end_s:
            return range(0)
        return range(int(full_s * frames_s), int(np.ceil(end_s * frames_s)))

    def lost_events(self, lasts_s: float, part: float) -> int:
        """Return the events that one stall costs, if it begins with a frame."""
        return MAX_WORDS * len(self.lost_frames(0.0, lasts_s, part))

    def lost_part(self, stalls: Iterable[tuple[float, float]], part: float) -> float:
        """Return the part of events that stalls cost within SECONDS.

        Of each stall: when it begins, and how long it lasts, in seconds.
        """
        lost: set[int] = set()
        for begins_s, lasts_s in stalls:
            lost.update(self.lost_frames(begins_s, lasts_s, part))
        return len(lost) / (SECONDS * self.bytes_s * part / FRAME_BYTES)


def stalls() -> list[tuple[float, float]]:
    """Return drawn stalls, STALLS_S a second: where each begins, and how long it lasts."""
    draws = np.random.default_rng(SEED)
    count = int(SECONDS * STALLS_S)
    begins_s = np.sort(draws.uniform(0.0, SECONDS, count))
    spread = np.log(RARE_S / MEDIAN_S) / RARE_SDS
    lasts_s = MEDIAN_S * np.exp(spread * draws.standard_normal(count))
    return list(zip(begins_s.tolist(), lasts_s.tolist(), strict=True))


def links() -> dict[str, Link]:
    """Return the link of each board that sends events."""
    files = {name: boards.read(name) for name in boards.files()}
    return {
        name: Link(BRIDGES[name], file.table["link"]["baud"] / BITS_A_BYTE)
        for name, file in files.items()
        if Feature.EVENTS in file.geometry.features
    }


def page() -> str:
    """Return docs/stalls.md."""
    drawn = stalls()
    once = [["board", "bridge", "link, kB/s", "most events/s", "kept, bytes"]]
    once[0] += [*(f"harmless at {part:.0%}" for part in PARTS), "lost in 50 ms", "lost in 200 ms"]
    often = [["board", *(f"at {part:.0%}" for part in PARTS)]]
    for name, link in links().items():
        row = [f"`{name}`", link.bridge.name, f"{link.bytes_s / 1000:,.1f}"]
        row += [f"{link.most_events_s:,.0f}", f"{link.bridge.kept_bytes:,}"]
        harmless_s = map(link.harmless_s, PARTS)
        row += ["any" if math.isinf(each) else f"{each * 1000:,.1f} ms" for each in harmless_s]
        row += [f"{link.lost_events(lasts_s, 1.0):,}" for lasts_s in (0.05, 0.2)]
        once.append(row)
        often.append([f"`{name}`", *(f"{link.lost_part(drawn, part):.3%}" for part in PARTS)])
    return _TEXT.format(
        once=table(once[0], once[1:]),
        often=table(often[0], often[1:]),
        stalls_s=STALLS_S,
        median_ms=MEDIAN_S * 1000,
        rare_ms=RARE_S * 1000,
    )


_TEXT = """# What a stalled host loses

Generated by `make stalls` from a model of the link, whose sizes are those of the chips' and the
kernel's documents. Nothing here was measured on a board.

While nothing reads the serial port of an instrument, the bridge chip, two USB transfers of 512
bytes and the 4,095 bytes of the terminal keep what comes. The rest is lost, and with each byte the
frame that it is in: up to 250 events. A run says what it lost: `lost on the link`. **Counts,
histograms and extremes are made on the chip, and lose nothing.**

The `hx8k-evn` wires its bridge's RTS#, and the gateware sends nothing while that is high. So its
link loses no byte. Events wait in the queue on the chip; those that find it full are dropped there,
and the run says how many of each source.

So the host reads a serial port in a process of its own, which does nothing else and keeps 64 MiB
(`plexor.wire.link.ahead`). `make stalls MEASURE=10` counts what this reader and a thread of a busy
Python program lose here and now. A machine that is suspended, or too busy to run any process for
that long, still loses bytes.

## One stall

How long the whole machine may stand without a loss, where events are 100 %, 50 % and 10 % of what
the link carries; and the events that one stall costs at 100 %.

{once}

A run with `--mode dump` sends no events and loses none, as the iCEBreaker's.

## Many stalls

The part of all events that is lost where {stalls_s:g} stalls a second begin at random times, half
of them longer than {median_ms:g} ms, one in a thousand longer than {rare_ms:g} ms (log-normal).

{often}
"""


def measured(seconds: float) -> str:
    """Return what each kind of reader lost of a link of 12 Mbaud, with the decoder busy."""
    bridge = FT2232H
    rate = 12_000_000 / BITS_A_BYTE

    def line(name: str, lost: Lost) -> str:
        return (
            f"{name}: {lost.lost_bytes:,} of {lost.sent_bytes:,} bytes lost, "
            f"{lost.lost_bytes / lost.sent_bytes:.3%}; {lost.decoded_events:,} events decoded"
        )

    return "\n".join(
        line(name, reader(seconds, rate, bridge.chip_bytes + bridge.transfer_bytes))
        for name, reader in (
            ("a thread of the host", lost_by_a_thread),
            ("a process of its own", lost_by_a_process),
        )
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or print what is measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", type=float, metavar="SECONDS")
    asked = parser.parse_args(arguments)
    if asked.measure:
        print(measured(asked.measure))
    else:
        PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
