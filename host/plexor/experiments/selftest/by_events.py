# SPDX-License-Identifier: Apache-2.0
"""Witness of a self-test for an instrument that sends events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from plexor.base.counts import counted
from plexor.base.units import seconds_of
from plexor.experiments.calibration.from_events import EventObserver, loopback_settings
from plexor.experiments.calibration.runs import SPACES, complete_run, whole_run
from plexor.experiments.selftest import memory
from plexor.experiments.selftest.model import Finding
from plexor.experiments.selftest.witness import MEMORY_STRIKES, LinkLoad, Recount
from plexor.model.results import RunResult
from plexor.model.settings import Channel, Settings
from plexor.protocol.frames import CRC_BYTES, HEADER, WORD_BYTES
from plexor.protocol.geometry import Feature
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import InputSelect
from plexor.run.plan.strikes import dither_at_most

LOADED_BYTES = 1 << 16
LEAST_LOADED_S, MOST_LOADED_S = Fraction(1, 500), Fraction(1)
"""Bounds, in seconds, of the time for which the link is loaded with LOADED_BYTES."""
MEMORY_ROUNDS = 3
FRAME_BYTES = HEADER.size_bytes + CRC_BYTES + 2
"""Size of a frame without its words, in bytes, with COBS overhead and delimiter."""


class EventWitness(EventObserver):
    """Loads the link with the source's events; counts memories a second time from events."""

    def load(self, nominal_bytes_s: Fraction | None) -> LinkLoad:
        """Load the link with events of the source; return its rate."""
        loaded_s = Fraction(1, 10)
        if nominal_bytes_s is not None:
            loaded_s = LOADED_BYTES / nominal_bytes_s
        settings = Settings(
            channels=tuple(Channel(n) for n in range(self.device.identity.geometry.channels)),
            time_s=min(max(loaded_s, LEAST_LOADED_S), MOST_LOADED_S),
            input_select=InputSelect.ASYNCHRONOUS,
            spaces=SPACES,
        )
        result = whole_run(self.device, settings)
        books = result.accounting
        ticks = max(result.end_ticks - result.start_ticks, 1)
        carried = WORD_BYTES * books.received + FRAME_BYTES * books.frames_received
        overrun = any(entry.upload_dropped for entry in books.sources)
        return LinkLoad(carried / seconds_of(ticks, result.tick_fs), overrun)

    def recount(self, channels: Sequence[int]) -> Recount:
        """Compare the chip's counts of known strikes with counts from their events."""
        geometry = self.device.identity.geometry
        compared, used = 0, 0
        found: list[Finding] = []
        results: list[RunResult] = []
        for number in range(MEMORY_ROUNDS):
            settings = loopback_settings(geometry, 0)
            (stimulus,) = settings.strikes
            assert stimulus.period_s is not None
            dithers = Feature.DITHER in geometry.features
            strikes = replace(
                stimulus,
                width_s=stimulus.period_s / 16**number / 4,
                dither_s=dither_at_most(stimulus.period_s, geometry.tick_fs)
                if dithers
                else Fraction(0),
                seed=number + 1,
                count=MEMORY_STRIKES,
            )
            enabled = tuple(Channel(n) for n in channels)
            settings = replace(settings, strikes=(strikes,), channels=enabled, spaces=None)
            result = complete_run(self.device, settings)
            results.append(result)
            books = result.accounting
            if result.whole_events is None or books.received != books.generated:
                continue
            own, wrong = memory.recounted(result)
            compared += own
            found += wrong
            used += sum(
                int((entry.bins.counts > 0).sum())
                for channel in result.channels
                for entry in channel.measurements
            )
            found += [
                Finding(
                    channel.name,
                    f"{channel.strikes} of {counted(result.strikes, 'strike')} counted",
                )
                for channel in result.channels
                if channel.classes[ResponseClass.STRIKES] != result.strikes
            ]
        lost = sum(result.accounting.lost_on_link for result in results)
        return Recount("their events", compared, used, found, lost)
