# SPDX-License-Identifier: Apache-2.0
"""How fast strikes may come, and what a link carries: simulated clock by clock, and computed.

    .venv/bin/python -m tools.sustained [--board BOARD] [--strikes N] [--page]

Simulates a build, or all of them, which takes hours; keeps the figures in tools/sustained.json; and
writes docs/sustained.md with each beside what the host computes. `--page` writes that alone.

The chip, where it matches: the minimum core clocks between answered strikes without a loss. One
output of a board's simulated instrument strikes at an even rate. A device answers each strike with
one pulse on 1, 2, 4 and all channels, and every edge is matched. A rate holds if nothing was
dropped before the merge and every strike was answered. Bursts have 2 to 32 strikes and start far
apart, so each is like the first; one run has BURSTS_A_RUN of them. First with the link off, then
live, if the board sends events. In a live run most events find the link busy, and are counted as
dropped after the merge. A board with snapshots takes one each REPORT_S.

The link, where events go over it and it is fast: `tools.carried`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from fractions import Fraction
from functools import partial
from typing import Any

from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Feature
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Stream
from plexor.run.plan.sustained import channel_counts, sustained_clocks
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_hdl.build import boards
from plexor_sim.packages import default_cache
from plexor_sim.serve import prepare
from plexor_sim.server import Server
from tools import sustained_page as page
from tools.carried import carried

BURSTS = (2, 4, 8, 16, 32)
BURST_PERIOD_CLOCKS = 8192
BURSTS_A_RUN = 16
LEAST_CLOCKS, MOST_CLOCKS = 8, 512
REPORT_S = Fraction(1, 1000)
MOST_CLOCKS_A_BIT = 64
"""Of a slower link, a frame takes too long to be simulated."""
UNKNOWN_CLOCKS = 19
"""Start of the search for a build of which nothing is known."""
STRIKES = 40_000
"""Strikes in a run. An interval too short by 1 clock in 100 strikes fills the FIFOs by then."""


class Bench:
    """A board's simulated instrument, for many runs."""

    def __init__(self, board: str, strikes: int) -> None:
        found = boards.read(board).geometry
        self.geometry = replace(found, features=found.features | Feature.SIMULATED)
        self._strikes = strikes

    def _seconds(self, ticks: int) -> Fraction:
        return Fraction(ticks * self.geometry.tick_fs, 10**15)

    @property
    def ways(self) -> tuple[bool, ...]:
        """Whether runs are live: without it if the board matches, with it if it sends events."""
        features = self.geometry.features
        live = Feature.EVENTS in features
        return (False, True)[Feature.MATCH not in features : 1 + live]

    def settings(self, stimulus: Stimulus, channels: int, strikes: int, live: bool) -> Settings:
        """Return the settings of a run with `strikes` strikes of that stimulus."""
        return Settings(
            strikes=(stimulus,),
            channels=tuple(Channel(number) for number in range(channels)),
            count=strikes,
            stream=Stream.LIVE if live else Stream.OFF,
            report_s=REPORT_S if live and Feature.SNAPSHOT in self.geometry.features else None,
            keep_events=False,
        )

    def keeps(
        self, stimulus: Stimulus, channels: int, width_ticks: int, strikes: int, live: bool = False
    ) -> bool:
        """Return whether such a run loses nothing."""
        width_fs = width_ticks * self.geometry.tick_fs
        device = ",".join(
            (
                "synthetic:latency=200ns",
                f"width={width_fs // 1000}ps",
                *(f"ch{number}.after=strike0" for number in range(channels)),
            )
        )
        ready = prepare(device, self.geometry, default_cache())
        with (
            Server(ready.executable, ready.options, ("--once",)) as server,
            Device(open_link(f"tcp://127.0.0.1:{server.port}")) as link,
        ):
            result = measure(link, self.settings(stimulus, channels, strikes, live))
        answered = [channel.classes[ResponseClass.ANSWERED] for channel in result.channels]
        dropped = result.accounting.dropped_before_merge
        return result.valid and not dropped and set(answered) == {strikes}

    def even(self, channels: int, clocks: int, live: bool) -> bool:
        """Return whether strikes `clocks` clocks apart are all answered."""
        ticks = clocks * self.geometry.samples
        stimulus = Stimulus(period_s=self._seconds(ticks), width_s=self._seconds(ticks // 2))
        return self.keeps(stimulus, channels, ticks // 2, self._strikes, live)

    def burst(self, strikes: int, ticks: int) -> bool:
        """Return whether bursts of strikes `ticks` ticks apart are all answered on one channel."""
        stimulus = Stimulus(
            period_s=self._seconds(BURST_PERIOD_CLOCKS * self.geometry.samples),
            width_s=self._seconds(ticks // 2),
            burst=strikes,
            spacing_s=self._seconds(ticks),
        )
        return self.keeps(stimulus, 1, ticks // 2, BURSTS_A_RUN * strikes)


def least(low: int, high: int, keeps: Callable[[int], bool], guess: int) -> int | None:
    """Return the minimum from which on, up to `high`, `keeps` holds; None if there is none.

    The closer it is to `guess`, the fewer values are tried.
    """
    bad, good, step, value = low - 1, high + 1, 1, min(max(guess, low), high)
    while good - bad > 1:
        if keeps(value):
            good = value
        else:
            bad = value
        if bad < low:
            value = max(low, good - step)
        elif good > high:
            value = min(high, bad + step)
        else:
            value = (bad + good) // 2
        step *= 2
    return good if good <= high else None


def simulate(board: str, strikes: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Return what a build's simulation finds, as the page keeps it."""
    bench = Bench(board, strikes)
    geometry = bench.geometry
    found: dict[str, Any] = {}
    if Feature.MATCH in geometry.features:
        clocks = {str(count): _clocks(bench, count) for count in channel_counts(geometry)}
        for count, ways in clocks.items():
            say(f"{board}: {count} channels matched: {ways} core clocks, off and live")
        found |= {"strikes": strikes, "clocks": clocks}
        if Feature.BURST in geometry.features:
            for number in BURSTS:
                most = 16 * geometry.samples
                ticks = least(2, most, lambda ticks, n=number: bench.burst(n, ticks), 2)
                say(f"{board}: bursts of {number}: {ticks} ticks apart")
    clocks_a_bit = page.whole_clocks_a_bit(board)
    if Feature.EVENTS in geometry.features and clocks_a_bit <= MOST_CLOCKS_A_BIT:
        link = carried(geometry, clocks_a_bit)
        say(f"{board}: {link.events:,} events in {link.clocks:,} clocks, {clocks_a_bit} a bit")
        found["link"] = asdict(link)
    return found


def _clocks(bench: Bench, channels: int) -> list[int | None]:
    """Return the least clocks between strikes that so many channels answer, for each way."""
    return [
        least(
            LEAST_CLOCKS,
            MOST_CLOCKS,
            lambda clocks, live=live: bench.even(channels, clocks, live),
            sustained_clocks(bench.geometry, channels, live=live) or UNKNOWN_CLOCKS,
        )
        for live in bench.ways
    ]


def main() -> int:
    """Simulate builds, keep their figures and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.sustained", description=__doc__)
    parser.add_argument("--board", choices=boards.names(), help="one build; default: all of them")
    parser.add_argument(
        "--strikes", type=int, default=STRIKES, help="number of strikes in each run"
    )
    parser.add_argument("--page", action="store_true", help="simulate nothing")
    chosen = parser.parse_args()
    names = [chosen.board] if chosen.board else boards.names()
    for name in () if chosen.page else names:
        page.keep(name, simulate(name, chosen.strikes, partial(print, flush=True)))
    page.PAGE.write_text(page.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
