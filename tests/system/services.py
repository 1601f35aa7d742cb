# SPDX-License-Identifier: Apache-2.0
"""A service that is measured on simulated platforms of memories: heap_4's pvPortMalloc, and free.

N is the number of free blocks through which each walks.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

import plexor
import plexor_sim

EXAMPLES = Path(plexor_sim.__file__).parent / "examples"
SERVICE, FREE = 0, 1
PINS = {"malloc": SERVICE, "free": FREE}
FITTED, TRIED = ("sram", "psram"), ("sdram", "rom")
"""Platforms among the examples."""
CHANNELS = [f"{name}=ch{pin}" for name, pin in PINS.items()]
LOADED = "load=cpu+critical"
MOST = 50
NS_FS = 10**6


def platform_file(name: str) -> Path:
    return EXAMPLES / f"{name}.toml"


def service(blocks: str | int, platform: str | None = None, *more: str) -> str:
    """Return the device whose service walks through so many blocks."""
    options = [f"blocks={blocks}", *more]
    options += [] if platform is None else [f"platform={platform_file(platform)}"]
    return f"freertos:program=malloc,{','.join(options)}"


def logged(folder: Path, blocks: str, strikes: int, rate: str = "1k", seed: int = 1) -> Path:
    """Return the log of the bus of a run on memories without wait states."""
    log = folder / "bus"
    with plexor.open(dut=service(blocks, None, f"bus={log}", LOADED)) as instrument:
        run = instrument.measure(
            rate=rate,
            count=strikes,
            dither="524288ns",
            seed=seed,
            timeout="3ms",
            channels=CHANNELS,
            load="cpu+critical",
        ).run
    assert run.invalid_reasons == ()
    return log


def on_widths_ns(platform: str, n: int) -> dict[str, int]:
    """Return how long malloc and free took at N, as their pins showed it.

    It is the minimum: without an interrupt it is the same each time. The kernel's tick comes each
    ms, so that it interrupts some of the calls at most.
    """
    with plexor.open(dut=service(n, platform)) as instrument:
        run = instrument.measure(rate="421", count=4, channels=CHANNELS).run
    assert run.invalid_reasons == ()
    found = {}
    for channel in run.channels:
        known = channel.statistics("width")
        assert known.count >= 4
        assert known.min_ticks is not None
        found[channel.name] = known.min_ticks * run.tick_fs // NS_FS
    return found


def rows(platforms: Iterable[str], ns: Iterable[int], names: Iterable[str]) -> Iterator[list[str]]:
    """Yield rows of a file of measured services."""
    for platform in platforms:
        for n in ns:
            found = on_widths_ns(platform, n)
            for name in names:
                files = [f"{name}.toml", str(platform_file(platform)), "sections.toml"]
                yield [*files, str(n), f"{found[name]}ns"]


def measured_csv(lines: Iterable[list[str]]) -> str:
    """Return the text of a file of measured services."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["model", "platform", "map", "n", "measured"])
    writer.writerows(lines)
    return out.getvalue()


def drawn(seed: int, count: int) -> list[int]:
    """Return the N that the firmware draws: its generator, written again."""
    found: list[int] = []
    state = seed
    while len(found) < count:
        state = (state * 1664525 + 1013904223) % 2**32
        number = state >> 16 & 63
        if number <= MOST:
            found.append(number)
    return found
