# SPDX-License-Identifier: Apache-2.0
"""Draws random measurements: a device, and settings that the instrument can take."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from plexor.model.codes import Codes, Port
from plexor.model.settings import Channel, RegisterWrite, Settings, Stimulus, TableStep
from plexor.protocol.geometry import LONG_FILTER_CLOCKS, Feature, Geometry
from plexor.protocol.registers import InputSelect, Policy, Stream, Trigger, entry_word
from plexor_hdl.build import boards

BOARDS = ("hx8k-evn", "icebreaker", "ulx3s-25f")
"""Three that differ most."""
ALL_BOARDS = (
    *BOARDS,
    *("hx8k-evn-counts", "icebreaker-counts"),
    *("colorlight-i5", "ecpix-5", "orangecrab", "ulx3s-12f", "ulx3s-85f"),
)


@dataclass(frozen=True)
class Measurement:
    """What is measured: the device with its options, the settings, and the board."""

    board: str
    dut: str
    settings: Settings
    front_end: str = ""
    """Options of the simulated front-end."""
    codes: tuple[tuple[int, int], ...] = ()
    """Times in ps and values that the synthetic device shows the code port."""
    writes: tuple[RegisterWrite, ...] = ()
    """What the settings cannot say: written behind them, before the run starts."""
    before: tuple[Settings, ...] = ()
    """Runs before it, in the same session."""
    words: tuple[bytes, ...] = ()
    """What the host says before all that, as bytes of the link."""
    simulation: tuple[str, ...] = ()
    """Arguments of the simulator."""

    @property
    def is_later(self) -> bool:
        """Whether the run begins when the host has it begin: only its results are compared."""
        return bool(self.before or self.words)


def drawn(seed: int, names: Sequence[str] = BOARDS) -> Measurement:
    """Return the measurement of a seed, always the same."""
    rng = random.Random(seed)
    board = rng.choice(names)
    geometry = boards.simulated(board)
    draw = _Draw(rng, geometry, random.Random(-1 - seed))
    device, settings = draw.device(), draw.settings()
    if Feature.SNAPSHOT in geometry.features and rng.random() < 0.3:
        settings = replace(settings, report_s=Fraction(rng.randint(30, 200), 10**6))
    # Drawn behind all others, so that a seed's settings do not depend on it.
    return _Wider(random.Random(-(10**9) - seed), geometry).widened(
        Measurement(board, device, settings)
    )


class _Wider:
    """Widens a measurement by what is around the settings."""

    def __init__(self, rng: random.Random, geometry: Geometry) -> None:
        self._rng, self._geometry = rng, geometry
        # Apart, so that a seed's other settings do not depend on it.
        self._long = random.Random(str(rng.getstate()[1][:4]))
        self._tick_s = Fraction(geometry.tick_fs, 10**15)

    def widened(self, made: Measurement) -> Measurement:
        """Return it with a front-end, codes, a schedule, more strikes, or a stalled link."""
        rng, features = self._rng, self._geometry.features
        if rng.random() < 0.15:
            made = self._dense(made)
        if Feature.LONG_FILTER in features and self._long.random() < 0.35:
            made = self._filtered(made)
        if rng.random() < 0.3:
            made = replace(made, front_end=self._front_end())
        if Feature.CODES in features and rng.random() < 0.4:
            made = self._coded(made)
        if Feature.SCHEDULE in features and not made.settings.table and rng.random() < 0.25:
            made = self._scheduled(made)
        if rng.random() < 0.05:
            made = replace(
                made, simulation=("--stall", f"0.{rng.randint(1, 3)},{rng.randint(1, 99)}")
            )
        return made

    def _dense(self, made: Measurement) -> Measurement:
        """Return it over the sustained rate."""
        period_s = self._rng.randint(6, 10) * self._geometry.samples * self._tick_s
        dense = Stimulus(period_s=period_s, width_s=self._rng.randint(3, 30) * self._tick_s)
        strikes = tuple(each for each in made.settings.strikes if each.output)
        settings = replace(
            made.settings, strikes=(dense, *strikes), table=(), count=None, time_s=period_s * 3000
        )
        return replace(made, settings=settings)

    def _filtered(self, made: Measurement) -> Measurement:
        """Return it with long filters on some channels, and with answers that bounce."""
        rng, samples = self._long, self._geometry.samples
        most_ticks = LONG_FILTER_CLOCKS * samples - 1
        channels = tuple(
            channel
            if rng.random() < 0.3
            else replace(
                channel,
                filter_s=self._tick_s
                * rng.choice((samples + 1, rng.randint(samples, 300), rng.randint(1, most_ticks))),
            )
            for channel in made.settings.channels
        )
        dut = made.dut
        for channel in channels:
            own = f"ch{channel.number}"
            busy = {
                "spurious": rng.choice(("1MHz", "3MHz")),
                "duplicate": "0.7",
                "duplicate_delay": "uniform:20ns:1500ns",
                "gap": rng.choice(("1ns", "30ns", "400ns")),
            }
            for name, value in busy.items():
                if rng.random() < 0.5 and f",{own}.{name}=" not in dut:
                    dut += f",{own}.{name}={value}"
        return replace(made, dut=dut, settings=replace(made.settings, channels=channels))

    def _front_end(self) -> str:
        rng, geometry = self._rng, self._geometry
        options = [f"output_ps.0={rng.randint(0, 5000)}", f"loop_ps.0={rng.randint(0, 3000)}"]
        options += [f"input_ps.{number}={rng.randint(0, 5000)}" for number in range(2)]
        kinds = ["none", "sampler", "jumper", "exchange", "dead", "stuck"]
        kind = rng.choice(kinds)
        if kind == "sampler":
            options.append(f"sampler=seed:{rng.randint(1, 99)}")
        if kind == "jumper":
            options.append(f"jumper.1=0,wire_ps.1={rng.randint(0, 9000)}")
        if kind in {"exchange", "dead"}:
            options.append(f"{kind}.{rng.randint(0, 1)}={rng.randint(0, geometry.phases - 2)}")
        if kind == "stuck":
            options.append(f"stuck.1={rng.randint(0, 1)}")
        return ",".join(options)

    def _coded(self, made: Measurement) -> Measurement:
        """Return it with codes, at any distance from each other, and what they start and stop."""
        rng, samples = self._rng, self._geometry.samples
        strobed = rng.random() < 0.3
        port = Port(
            7 if strobed else None,
            rng.randint(1, 8) * samples * self._tick_s,
            rng.randint(0, 3) * samples * self._tick_s,
            tuple(number for number in range(16) if rng.random() < 0.2),
        )
        bits, skew_ps = rng.randint(6, self._geometry.code_bits), rng.choice((0, 3000, 30_000))
        codes: list[tuple[int, int]] = []
        time_ps = 100_000_000
        while time_ps < 800_000_000:
            codes.append((time_ps, rng.randint(0, 255)))
            time_ps += skew_ps + 1001 + int(rng.expovariate(1 / rng.choice((20e3, 2e6, 2e6))))
        strikes = made.settings.strikes
        if len(strikes) > 1 and rng.random() < 0.5:
            coded: dict[str, Any] = {
                "trigger": Trigger.CODE,
                # One that never comes, as the port has fewer bits, would never end the run.
                "trigger_code": codes[-9][1] & (1 << bits) - 1,
                "count": 1,
            }
            strikes = tuple(replace(each, **coded) if each.output else each for each in strikes)
        channels = tuple(each for each in made.settings.channels if each.number != 7 or not strobed)
        settings = replace(
            made.settings, codes=Codes(port=port, bits=bits), strikes=strikes, channels=channels,
            stop_code=codes[-5][1] & (1 << bits) - 1 if rng.random() < 0.1 else None,
        )  # fmt: skip
        dut = f"{made.dut},code_skew={skew_ps}ps,code_strobe={int(strobed)}"
        return replace(made, dut=dut, settings=settings, codes=tuple(codes))

    def _scheduled(self, made: Measurement) -> Measurement:
        """Return it with due times that the last output strikes at."""
        rng = self._rng
        due = Stimulus(output=self._geometry.strikes - 1, trigger=Trigger.DUE, count=1)
        due = replace(due, width_s=rng.randint(5, 900) * self._tick_s)
        strikes = tuple(each for each in made.settings.strikes if each.output != due.output)
        ticks = 0
        writes: list[RegisterWrite] = []
        for number in range(rng.choice((5, 40, 140))):
            ticks += rng.randint(2300, 9000)
            writes.append(RegisterWrite("schedule", 0, "due_ticks", ticks))
            word = entry_word(number, rng.randint(0, 255))
            writes.append(RegisterWrite("schedule", 0, "entry", word))
        if self._geometry.timecode_bits and rng.random() < 0.5:
            gray = rng.randint(0, 1)
            writes.append(RegisterWrite("schedule", 0, "timecode_on", 1))
            writes.append(RegisterWrite("schedule", 0, "timecode_gray", gray))
        settings = replace(made.settings, strikes=(*strikes, due))
        return replace(made, settings=settings, writes=tuple(writes))


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
        streams = (Stream.LIVE,) if self._has(Feature.EVENTS) else ()
        streams += (Stream.OFF,) if self._has(Feature.MATCH) else ()
        made = Settings(
            strikes=tuple(self._stimulus(output) for output in range(outputs)),
            channels=self._channels(outputs),
            policy=policy,
            window_min_s=self._ticks(50, 1500) if policy == Policy.WINDOW else Fraction(0),
            timeout_s=self._ticks(500, 30000),
            stream=rng.choice(streams),
            active_only=not self._has(Feature.MATCH) and self._either.random() < 0.3,
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
        if kind in ("latency", "missed") and not self._has(Feature.MATCH):
            return made  # The host would end it, after a time that is its own.
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
