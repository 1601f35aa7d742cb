# SPDX-License-Identifier: Apache-2.0
"""Witness of a self-test for an instrument that sends no events."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction

from plexor.base.units import seconds_of
from plexor.experiments.calibration.from_bins import (
    LEAST_CLOCKS,
    BinObserver,
    echo_settings,
    source_settings,
)
from plexor.experiments.calibration.runs import SPACES, dumped_run
from plexor.experiments.selftest import memory
from plexor.experiments.selftest.model import Finding
from plexor.experiments.selftest.witness import MEMORY_STRIKES, LinkLoad, Recount
from plexor.model.results import Kind, RunResult
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import WORD_BYTES
from plexor.protocol.memory import Space, entries, entry_words
from plexor.protocol.registers import Action, InputSelect
from plexor.wire.decode.collect import Collector

LOADED_BYTES = 1 << 17
MOST_DUMPS = 64
SILENCE_S = 1.0
"""Silence after which a dump counts as ended, in seconds: its last frame was lost."""
LISTEN_S = Fraction(1, 500)
MOST_WIDTH_TICKS = 1 << 16


class BinWitness(BinObserver):
    """Loads the link with dumps; checks memories by strikes whose latency is their own width."""

    def load(self, nominal_bytes_s: Fraction | None) -> LinkLoad:
        """Request the memories repeatedly, and return the link's rate without the commands' time.

        The fastest dump counts, because delays in the host are not the link's fault.
        """
        spaces = [space for space in Space if entries(self._geometry, space)]
        words = sum(entries(self._geometry, space) * entry_words(space) for space in spaces)
        _ = dumped_run(self.device, self._listening())
        collector = Collector(self._geometry, keep_events=False)
        self.device.consumer = collector
        try:
            if self.asked(collector, spaces)[0] < words * WORD_BYTES:
                # This build leaves zeros out, and searching for them takes time. SPACES are short.
                spaces = [space for space in spaces if space in SPACES]
            dumped, idle = [self.asked(collector, spaces)], [self.asked(collector, [])]
            for _ in range(min(LOADED_BYTES // dumped[0][0], MOST_DUMPS)):
                dumped.append(self.asked(collector, spaces))
                idle.append(self.asked(collector, []))
        finally:
            self.device.consumer = None
        sent = dumped[0][0] - idle[0][0]
        ticks = min(ticks for _, ticks in dumped) - min(ticks for _, ticks in idle)
        return LinkLoad(sent / seconds_of(max(ticks, 1), self._geometry.tick_fs), more=True)

    def recount(self, channels: Sequence[int]) -> Recount:
        """Compare strikes of known latency and edges of the source with the chip's counts."""
        compared, used = 0, 0
        found: list[Finding] = []

        def judge(result: RunResult, wrong: list[Finding]) -> None:
            nonlocal compared, used
            for channel in result.channels:
                for entry in channel.measurements:
                    compared += len(entry.bins.counts)
                    used += int((entry.bins.counts > 0).sum())
            found.extend(wrong)
            found.extend(Finding("memory", text) for text in result.invalid_reasons)

        for number in channels:
            result = dumped_run(self.device, self._scattered(number))
            judge(result, memory.inconsistent(result.channels))
        if channels:
            delays = self._delays(channels)
            width_ticks = self._geometry.phases
            while width_ticks <= MOST_WIDTH_TICKS:
                result = dumped_run(self.device, self._foretold(channels, width_ticks))
                judge(result, memory.unforeseen(result, width_ticks, delays))
                width_ticks *= 2
        return Recount("their expected values", compared, used, found)

    def _listening(self) -> Settings:
        channels = tuple(Channel(number) for number in range(self._geometry.channels))
        return Settings(
            channels=channels,
            time_s=LISTEN_S,
            input_select=InputSelect.ASYNCHRONOUS,
            spaces=SPACES,
        )

    def asked(self, collector: Collector, spaces: Sequence[Space]) -> tuple[int, int]:
        """Return bytes received and ticks passed during a dump of `spaces`.

        Without spaces nothing is dumped, but the same commands are sent.
        """
        device = self.device
        device.write("control", "dump_spaces", sum(1 << space for space in spaces))
        before, dumps = device.decoder.bytes_received, collector.dumps
        began = device.read("status", "time_ticks")
        device.write("control", "action", Action.DUMP if spaces else 0)
        moved = time.monotonic()
        # Frames are an eighth longer than their words. Anything beyond is not part of the dump.
        most = before + 2 * WORD_BYTES * collector.memories.words + LOADED_BYTES
        while spaces and collector.dumps == dumps and device.decoder.bytes_received < most:
            if device.pump(0.05):
                moved = time.monotonic()
            elif time.monotonic() - moved > SILENCE_S * device.patience:
                break
        ended = device.read("status", "time_ticks")
        return device.decoder.bytes_received - before, ended - began

    def _scattered(self, number: int) -> Settings:
        """Return settings that time the source's edges after unrelated strikes."""
        period_s = seconds_of(16 * LEAST_CLOCKS * self._geometry.samples, self._geometry.tick_fs)
        return source_settings(Channel(number), period_s, period_s, MEMORY_STRIKES * period_s)

    def _foretold(self, channels: Sequence[int], width_ticks: int) -> Settings:
        """Return settings in which each strike's own end is its response."""
        tick_fs = self._geometry.tick_fs
        # The matcher needs this long to match all channels' edges in turn.
        period_ticks = 2 * width_ticks + 16 * LEAST_CLOCKS * self._geometry.samples
        return Settings(
            strikes=(
                Stimulus(
                    0,
                    seconds_of(period_ticks, tick_fs),
                    seconds_of(width_ticks, tick_fs),
                    count=MEMORY_STRIKES,
                ),
            ),
            channels=tuple(Channel(number, invert=True) for number in channels),
            input_select=InputSelect.LOOPBACK,
            spaces=None,
        )

    def _delays(self, channels: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Return the minimum and maximum ticks from an output's falling edge to each channel's."""
        result = dumped_run(self.device, echo_settings(self._geometry, 0, 0, 0))
        found: dict[int, tuple[int, int]] = {}
        for channel in result.channels:
            rise = channel.measurement(Kind.RISE)
            if channel.number in channels and rise is not None:
                known = rise.statistics
                found[channel.number] = (known.min_ticks or 0, known.max_ticks or 0)
        return found
