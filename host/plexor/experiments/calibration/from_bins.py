# SPDX-License-Identifier: Apache-2.0
"""Takes observations from histograms and statistics, for an instrument that sends no events.

The source: strikes come at one phase of the sampler, and a channel's latency is the time to the
source's first edge after each strike. Nothing ties the two together, so below the source's period
this edge is equally likely at any time. A bin one tick wide, k ticks after the strikes, counts the
edges in the phase k ticks after the strikes' phase. Bins that cover whole turns of the sampler give
each phase the same number of bins.

Loopback: each run strikes at one phase. The bounds of a delay need only the minimum and the maximum
latency at each phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from plexor.base.counts import agreed, counted
from plexor.base.errors import InstrumentError
from plexor.base.units import FEMTOSECONDS, seconds_of
from plexor.experiments.calibration.density import BATCHES
from plexor.experiments.calibration.observation import (
    LOOPED_WIDTH_CLOCKS,
    Behind,
    FreeEdges,
    Looped,
    LoopedEdges,
    Ticks,
    Way,
)
from plexor.experiments.calibration.runs import BIN_SPACES, SPACES, dumped_run
from plexor.model.calibration import ChannelInstants
from plexor.model.results import Kind, RunResult
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import InputSelect
from plexor.wire.device.device import Device

LISTEN_S = Fraction(1, 200)
"""Length of the run that measures the source's period, in seconds."""
LEAST_RUN_S = Fraction(1, 2000)
LEAST_CLOCKS = 32
"""Minimum time between strikes, in core clocks.

The slowest build takes 22 for a strike without a response in time, and 10 for a source's edge.
"""
LEAST_BATCH = 500
"""Minimum number of edges in a run, while there are at most BATCHES runs."""
MOST_ROUNDS = 8
ECHOES = 8
"""Number of strikes at each phase of the sampler."""
ECHO_TICKS = 4096
"""Time between two strikes, in ticks. Any delay that loopback can measure is shorter."""


class BinObserver:
    """Observes edges through the counts and statistics in the chip's memories."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._geometry = device.identity.geometry

    def source(self, edges: int) -> FreeEdges:
        """Return the source's edges. Each channel has its own runs, so a bad one harms no other."""
        geometry = self._geometry
        period_ticks = self._period_ticks()
        counts = {
            (number, polarity): self._counts(number, polarity, edges, period_ticks)
            for number in range(geometry.channels)
            for polarity in (1, 0)
        }
        return FreeEdges(counts, round(period_ticks * geometry.tick_fs))

    def behind(self, channels: Sequence[ChannelInstants]) -> Behind:
        """Return None for every channel: histograms do not tell which edges channels share."""
        return {polarity: [None] * len(channels) for polarity in (1, 0)}

    def looped(self, output: int) -> Looped:
        """Return an output's strikes, looped back, from one run for each phase and direction."""
        return self._struck(output, None)

    def wired(self, output: int, channels: Sequence[int]) -> Looped:
        """Return an output's strikes, through jumpers, from runs as those of `looped`."""
        return self._struck(output, channels)

    def _struck(self, output: int, wired: Sequence[int] | None) -> Looped:
        geometry = self._geometry
        generated: dict[int, int] = {}
        received = 0
        parts: dict[Way, list[LoopedEdges]] = {}
        for polarity in (1, 0):
            for phase in range(geometry.phases):
                settings = echo_settings(geometry, output, polarity, phase, wired)
                result = dumped_run(self.device, settings)
                strike_ticks = result.start_ticks + phase
                if not polarity:
                    strike_ticks += _echo_width_ticks(geometry)
                received += result.accounting.received
                for entry in result.accounting.sources:
                    generated[entry.source] = generated.get(entry.source, 0) + entry.generated
                for number in (channel.number for channel in settings.channels):
                    echo = echo_of(result, number, strike_ticks)
                    parts.setdefault((number, polarity), []).append(echo)
        return Looped(generated, received, {way: _joined(some) for way, some in parts.items()})

    def _period_ticks(self) -> Fraction:
        """Return the source's period by the channel with the fewest edges; 0 if none sees any."""
        settings = Settings(
            channels=tuple(Channel(number) for number in range(self._geometry.channels)),
            time_s=LISTEN_S,
            input_select=InputSelect.ASYNCHRONOUS,
            spaces=SPACES,
        )
        result = dumped_run(self.device, settings)
        seen = [entry.generated for entry in result.accounting.sources if entry.generated]
        # A period has one rising and one falling edge.
        ticks = result.end_ticks - result.start_ticks
        return Fraction(2 * ticks, min(seen)) if seen else Fraction(0)

    def window_ticks(self, period_ticks: Fraction) -> int:
        """Return the number of one-tick bins to use.

        It is a whole number of sampler turns, and below the source's period if a turn is. Raises
        InstrumentError if the build has fewer one-tick bins than phases.
        """
        phases = self._geometry.phases
        exact = 2 << self._geometry.latency_mantissa_bits
        if exact < phases:
            raise InstrumentError(
                f"{self.device.name}: {counted(exact, 'bin')} {agreed(exact, 'is', 'are')} one "
                "tick wide; must be at least"
                f" {phases}, a turn of the sampler"
            )
        below = int(period_ticks * 3 / 4)
        return max(min(exact, below) // phases, 1) * phases

    def _counts(self, number: int, polarity: int, edges: int, period_ticks: Fraction) -> Ticks:
        """Return one channel's counts of one direction: rows are batches, columns are phases."""
        phases, tick_fs = self._geometry.phases, self._geometry.tick_fs
        batches = max(min(edges // LEAST_BATCH, BATCHES), 1)
        counts = np.zeros((batches, phases), np.int64)
        if not period_ticks:
            return counts
        window = self.window_ticks(period_ticks)
        least_ticks = max(LEAST_CLOCKS * self._geometry.samples, 2 * window)
        for _ in range(MOST_ROUNDS):
            before = int(counts.sum())
            for batch in range(batches):
                # Each batch has another strike period, so not all can be in step with the source.
                strike_ticks = least_ticks + phases * batch
                share = Fraction(window, strike_ticks)
                run_ticks = (edges - before) / share * period_ticks * Fraction(11, 10) / batches
                settings = source_settings(
                    Channel(number, invert=not polarity),
                    seconds_of(strike_ticks, tick_fs),
                    seconds_of(window, tick_fs),
                    max(run_ticks * tick_fs / FEMTOSECONDS, LEAST_RUN_S),
                )
                result = dumped_run(self.device, settings)
                counts[batch] += folded(result, window, phases)
            total = int(counts.sum())
            # A channel without an edge so far will not get any.
            if total >= edges or total == before:
                break
        return counts


def source_settings(
    channel: Channel, period_s: Fraction, window_s: Fraction, time_s: Fraction
) -> Settings:
    """Return settings that strike at one phase and time the source's next edge each time."""
    return Settings(
        strikes=(Stimulus(0, period_s, period_s / 2),),
        channels=(channel,),
        timeout_s=window_s,
        time_s=time_s,
        input_select=InputSelect.ASYNCHRONOUS,
        spaces=BIN_SPACES,
    )


def echo_settings(
    geometry: Geometry, output: int, polarity: int, phase: int, wired: Sequence[int] | None = None
) -> Settings:
    """Return settings that loop an output back, with its edges of one direction at one phase.

    With `wired` these channels see their own pins instead, which jumpers connect to the output.
    """
    fall = "" if polarity else ".fall"
    return Settings(
        strikes=(
            Stimulus(
                output,
                seconds_of(ECHO_TICKS, geometry.tick_fs),
                seconds_of(_echo_width_ticks(geometry), geometry.tick_fs),
                phase_s=seconds_of(phase, geometry.tick_fs),
                count=ECHOES,
            ),
        ),
        channels=tuple(
            Channel(number, invert=not polarity, reference=f"strike{output}{fall}")
            for number in (range(geometry.channels) if wired is None else wired)
        ),
        input_select=InputSelect.LOOPBACK if wired is None else InputSelect.PINS,
        loopback_output=output,
        spaces=BIN_SPACES,
    )


def folded(result: RunResult, window_ticks: int, phases: int) -> Ticks:
    """Return how many edges ended in each phase, from a channel's bins below `window_ticks`.

    The run's strikes must all come a whole number of sampler turns after its first tick.
    """
    (channel,) = result.channels
    rise = channel.measurement(Kind.RISE)
    counts = np.zeros(phases, np.int64)
    if rise is not None:
        phase = (result.start_ticks + np.arange(window_ticks)) % phases
        np.add.at(counts, phase, rise.bins.counts[:window_ticks].astype(np.int64))
    return counts


def _echo_width_ticks(geometry: Geometry) -> int:
    return LOOPED_WIDTH_CLOCKS * geometry.samples


def echo_of(result: RunResult, number: int, strike_ticks: int) -> LoopedEdges:
    """Return what a channel saw in a run whose strikes all have the phase of `strike_ticks`."""
    channel = next(entry for entry in result.channels if entry.number == number)
    rise = channel.measurement(Kind.RISE)
    struck, seen = channel.strikes, channel.active_edges
    delays: list[int] = []
    if rise is not None and rise.statistics.count:
        delays = [rise.statistics.min_ticks or 0, rise.statistics.max_ticks or 0]
    if rise is not None and struck == seen:
        # An edge that answers no strike is not one of the looped-back strikes.
        seen = rise.statistics.count
    ticks = np.array(delays, np.int64)
    return LoopedEdges(struck, seen, np.full_like(ticks, strike_ticks), strike_ticks + ticks)


def _joined(parts: Sequence[LoopedEdges]) -> LoopedEdges:
    return LoopedEdges(
        sum(part.struck for part in parts),
        sum(part.seen for part in parts),
        np.concatenate([part.strikes_ticks for part in parts]),
        np.concatenate([part.seen_ticks for part in parts]),
    )
