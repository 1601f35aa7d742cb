# SPDX-License-Identifier: Apache-2.0
"""Draws random measurements: a device, and settings that the instrument can take."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from plexor.model.settings import Channel, Settings, Stimulus, TableStep
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import InputSelect, Policy, Stream, Trigger
from plexor_hdl.build import boards

BOARDS = ("hx8k-evn", "icebreaker", "ulx3s-25f")


@dataclass(frozen=True)
class Measurement:
    """What is measured: the device with its options, the settings, and the board."""

    board: str
    dut: str
    settings: Settings


def drawn(seed: int, names: Sequence[str] = BOARDS) -> Measurement:
    """Return the measurement of a seed, always the same."""
    rng = random.Random(seed)
    board = rng.choice(names)
    geometry = boards.simulated(board)
    draw = _Draw(rng, geometry, random.Random(-1 - seed))
    device, settings = draw.device(), draw.settings()
    if Feature.SNAPSHOT in geometry.features and rng.random() < 0.3:
        settings = replace(settings, report_s=Fraction(rng.randint(30, 200), 10**6))
    return Measurement(board, device, settings)


class _Draw:
    def __init__(self, rng: random.Random, geometry: Geometry, either: random.Random) -> None:
        self._rng, self._geometry, self._either = rng, geometry, either
        self._tick_s = Fraction(geometry.tick_fs, 10**15)

    def _has(self, feature: Feature) -> bool:
        return feature in self._geometry.features

    def _ticks(self, low: int, high: int) -> Fraction:
        return self._rng.randint(low, high) * self._tick_s

    def device(self) -> str:
        """Return a synthetic device: eight channels that strikes and each other cause."""
        rng = self._rng
        sources = ["strike0", "strike0-fall", *(["strike1"] if self._geometry.strikes > 1 else [])]
        options = [f"seed={rng.randint(1, 10**6)}"]
        if rng.random() < 0.3:
            options.append(f"clock={rng.choice(('13ns', '20ns'))}")
        for number in range(8):
            after = rng.choice([*sources, *([f"ch{number + 1}"] if 0 < number < 7 else [])])
            latency = rng.choice(("300ns", "normal:500ns:100ns", "uniform:10ns:2us"))
            width = rng.choice(("100ns", "uniform:2ns:300ns", "40ns"))
            values = {"after": after if number else "strike0", "latency": latency, "width": width}
            for name, value in (("drop", "0.2"), ("duplicate", "0.2"), ("spurious", "20kHz")):
                if rng.random() < 0.2:
                    values[name] = value
            options += [f"ch{number}.{name}={value}" for name, value in values.items()]
        return f"synthetic:{','.join(options)}"

    def _stimulus(self, output: int) -> Stimulus:
        rng, samples = self._rng, self._geometry.samples
        made = Stimulus(
            output=output,
            period_s=rng.choice((self._ticks(2500, 4000), self._ticks(3000, 20000))),
            phase_s=rng.choice((Fraction(0), self._ticks(16, 5000))),
            invert=rng.random() < 0.2,
            seed=rng.randint(1, 1 << 40),
        )
        kind = rng.choice(("plain", "fraction", "burst", "dither", "poisson", "strike", "width"))
        if kind == "fraction" and self._has(Feature.DITHER):
            return replace(made, period_s=self._ticks(20000, 90000) / 7)
        if kind == "burst" and self._has(Feature.BURST):
            spacing_s = rng.choice((self._ticks(3, samples - 1), self._ticks(200, 400)))
            return replace(made, burst=rng.randint(2, 4), spacing_s=spacing_s)
        if kind == "dither" and self._has(Feature.DITHER):
            return replace(made, dither_s=(1 << rng.randint(1, 10)) * self._tick_s)
        if kind == "poisson" and self._has(Feature.POISSON):
            return replace(made, poisson=True, width_s=self._ticks(5, 100))
        if kind == "strike" and output == 1:
            return replace(made, trigger=Trigger.STRIKE, trigger_source=0, count=rng.randint(1, 2))
        return replace(made, width_s=self._ticks(1, 300)) if kind == "width" else made

    def _channels(self, outputs: int) -> tuple[Channel, ...]:
        rng, made = self._rng, [Channel(0)]
        for number in range(self._geometry.channels):
            if rng.random() < 0.5:
                continue
            references = ["strike0", "strike0.fall"]
            references += ["strike1"] * (outputs > 1) + ["ch0", "ch0.fall"] * (number > 0)
            reference = rng.choice(references)
            channel = Channel(number, reference=reference, invert=rng.random() < 0.2)
            if rng.random() < 0.4:
                channel = replace(channel, deadline_s=self._ticks(100, 4000))
            if self._has(Feature.FILTER) and rng.random() < 0.4:
                channel = replace(channel, filter_s=self._ticks(2, self._geometry.samples))
            if self._has(Feature.ZOOM) and rng.random() < 0.4:
                channel = replace(channel, zoom_rise_s=self._ticks(0, 3000))
            made = [each for each in made if each.number != number] + [channel]
        # Drawn behind all others, so that a seed's other settings do not depend on it.
        chosen = {channel.number for channel in made if self._either.random() < 0.2}
        return tuple(
            channel if channel.number not in chosen else replace(channel, invert=False, either=True)
            for channel in made
            if channel.reference != "ch0.fall" or 0 not in chosen
        )

    def settings(self) -> Settings:
        """Return settings of any policy, stop condition and feature."""
        rng = self._rng
        outputs = rng.randint(1, self._geometry.strikes)
        policy = rng.choice(list(Policy))
        streams = (Stream.LIVE, Stream.OFF) if self._has(Feature.EVENTS) else (Stream.OFF,)
        made = Settings(
            strikes=tuple(self._stimulus(output) for output in range(outputs)),
            channels=self._channels(outputs),
            policy=policy,
            window_min_s=self._ticks(50, 1500) if policy == Policy.WINDOW else Fraction(0),
            timeout_s=self._ticks(500, 30000),
            stream=rng.choice(streams),
        )
        if rng.random() < 0.5:
            made = replace(made, count=rng.randint(20, 150))
        else:
            made = replace(made, time_s=self._ticks(20_000, 400_000))
        return self._widened(made)

    def _widened(self, made: Settings) -> Settings:
        rng = self._rng
        kind = rng.choice(("plain", "early", "latency", "missed", "table", "load", "input"))
        if kind == "early" and self._has(Feature.EARLY):
            return replace(made, early_s=self._ticks(100, 3000))
        if kind == "latency":
            return replace(made, latency_over_s=self._ticks(200, 4000))
        if kind == "missed":
            return replace(made, stop_on_missed=True)
        if kind == "table" and self._has(Feature.SWEEP):
            first = Stimulus(output=0, period_s=self._ticks(3000, 4000))
            steps = tuple(
                TableStep(period_s=self._ticks(2500, 8000), count=rng.randint(1, 60))
                for _ in range(rng.randint(1, 8))
            )
            return replace(made, strikes=(first, *made.strikes[1:]), count=None, table=steps)
        if kind == "load":
            return replace(made, load=True)
        if kind == "input":
            selected = rng.choice((InputSelect.LOOPBACK, InputSelect.LOW, InputSelect.ASYNCHRONOUS))
            return replace(made, input_select=selected)
        return made
