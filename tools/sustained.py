# SPDX-License-Identifier: Apache-2.0
"""How fast strikes may come: the minimum core clocks between answered strikes without a loss.

    .venv/bin/python -m tools.sustained [--board BOARD] [--strikes N]

One output of a board's simulated instrument strikes at an even rate. A device answers each strike
with one pulse on 1, 2, 4 and all channels, and every edge is matched. A rate holds if nothing was
dropped before the merge and every strike was answered. Bursts have 2 to 32 strikes and start far
apart, so each is like the first; one run has BURSTS_A_RUN of them. The figures are simulated, clock
for clock: first with the link off, then live, if the board sends events. In a live run most events
find the link busy, and are counted as dropped after the merge. A board with snapshots takes one
each REPORT_S.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

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

BURSTS = (2, 4, 8, 16, 32)
BURST_PERIOD_CLOCKS = 8192
BURSTS_A_RUN = 16
LEAST_CLOCKS, MOST_CLOCKS = 8, 512
REPORT_S = Fraction(1, 1000)
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


def main() -> int:
    """Print both tables; return 1 if the first one lacks a rate."""
    parser = argparse.ArgumentParser(prog="python -m tools.sustained", description=__doc__)
    parser.add_argument("--board", default="ulx3s-25f", choices=boards.names())
    parser.add_argument(
        "--strikes", type=int, default=STRIKES, help="number of strikes in each run"
    )
    chosen = parser.parse_args()
    bench = Bench(chosen.board, chosen.strikes)
    print(f"{chosen.board}, simulated, {chosen.strikes} strikes a run: {bench.geometry.features!r}")
    missing = False
    for channels in channel_counts(bench.geometry):
        found: list[int | None] = []
        for live in bench.ways:
            guess = sustained_clocks(bench.geometry, channels, live=live) or UNKNOWN_CLOCKS
            clocks = least(
                LEAST_CLOCKS,
                MOST_CLOCKS,
                lambda clocks, n=channels, live=live: bench.even(n, clocks, live),
                guess,
            )
            found.append(clocks)
        missing = missing or None in found
        line = f"  {channels} channels matched: {found[0]} core clocks"
        print(line + "".join(f", {clocks} live" for clocks in found[1:]), flush=True)
    if Feature.BURST in bench.geometry.features:
        for strikes in BURSTS:
            most = 16 * bench.geometry.samples
            ticks = least(2, most, lambda ticks, n=strikes: bench.burst(n, ticks), 2)
            print(f"  bursts of {strikes}: {ticks} ticks apart", flush=True)
    return int(missing)


if __name__ == "__main__":
    sys.exit(main())
