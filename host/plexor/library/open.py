# SPDX-License-Identifier: Apache-2.0
"""Opens what a link's URI names."""

from __future__ import annotations

from pathlib import Path

from plexor.library.instrument import Instrument
from plexor.library.keep import tap_at
from plexor.library.replay import Replay
from plexor.library.specs.values import path_of
from plexor.model.calibration import Calibration
from plexor.wire.link.open import sim_device
from plexor.wire.link.written import usual_link


def open(
    link: str = "sim:",
    *,
    dut: str | None = None,
    fallback: bool = False,
    calibration: Calibration | str | Path | None = None,
    record: str | Path | None = None,
    load: str | None = None,
) -> Instrument:
    """Return the instrument at a link; close it, or use it as a context manager.

    `link` is `sim:`, `sim:?dut=NAME&board=NAME`, `tcp://HOST:PORT`, `udp://HOST:PORT`,
    `serial:PORT` or `file:PATH` with the raw bytes of a recorded link, which are replayed. `dut` is
    a simulated device. `fallback` takes a simpler one if its parts are not available. `calibration`
    is a file or `none`; without it, the one that is kept for the board, and none for a simulated
    instrument. `record` is a file for the raw bytes of the link, which `file:PATH` replays. `load`
    is the load that a simulated device has, by name, for runs that put it on.

    Raises UsageError for what cannot be opened, LinkError if nothing answers, IdentityError if it
    is no Plexor, and StoreError if `record` cannot be written.
    """
    link = usual_link(link)
    for text in (link, dut):
        path_of(text or "")
    tap = None if record is None else tap_at(path_of(record))
    kind = Replay if link.startswith("file:") else Instrument
    return kind(link, dut=dut, fallback=fallback, calibration=calibration, tap=tap, load=load)


def open_any(link: str) -> Instrument:
    """Return the instrument at a link, if its device and calibration do not matter.

    Every simulated device has the same instrument; the synthetic one starts fastest.
    """
    link = usual_link(link)
    simulated = link.startswith("sim:") and not sim_device(link)
    return Instrument(link, dut="synthetic" if simulated else None, calibration="none")
