# SPDX-License-Identifier: Apache-2.0
"""Draw one edge's way through the gateware: a wave of each stage, as it is simulated.

    make waves

Simulates a ULX3S-12F's instrument in Amaranth: one strike, and one answer on channel 0. Writes
docs/understand/waves.json, which WaveDrom reads, and a picture of each wave. A test draws them
again. Takes 10 seconds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from amaranth.hdl import Module
from amaranth.sim import Simulator

from plexor.protocol.frames import OPERATION, Frame, FrameType, OpCode, to_stream
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Action, StopOn, Stream, address
from plexor.show.pictures.canvas import Canvas, Stroke, text_width
from plexor.show.pictures.svg import svg_picture
from plexor_hdl.build import boards
from plexor_hdl.instrument import Instrument

FOLDER = Path(__file__).parent.parent / "docs" / "understand"
WAVES = FOLDER / "waves.json"
BOARD = "ulx3s-12f"
CLOCK_S = 8e-9
ANSWER_CLOCKS = 60
"""From the word with the strike to the word with the answer: nothing else is under way then."""
ANSWER_PLACE = 5
"""The sample of its word at which the answer's edge is."""
WIDTH_CLOCKS = 5
MOST_CLOCKS = 20_000
"""More than the run needs to start, most of it to clear memories."""
REGISTERS = (
    ("channel", "enable", 1),
    ("stimulus", "enable", 1),
    ("stimulus", "interval_ticks", 4000),
    ("stimulus", "spacing_ticks", 4000),
    ("stimulus", "width_ticks", 40),
    ("stimulus", "strike_count", 1),
    ("matcher", "timeout_ticks", 2000),
    ("control", "settle_ticks", 4000),
    ("control", "stop_on", StopOn.STRIKES),
    ("control", "stream", Stream.LIVE),
)

Read = Callable[[Any, Any], int | None]
"""Returns a row's value in a clock, from the stages and a simulator's context; None: no meaning."""


@dataclass(frozen=True)
class Row:
    """A signal: a bit, or a value that is shown by `show` where it has a meaning."""

    name: str
    read: Read
    show: Callable[[int], str] | None = None


@dataclass(frozen=True)
class Wave:
    """The signals of a stage, from clock `first` to `last`; 0: the answer's word is at the pins."""

    title: str
    first: int
    last: int
    rows: tuple[Row, ...]


def _hex(digits: int) -> Callable[[int], str]:
    return lambda value: f"{value:0{digits}x}"


def _bit(name: str, path: str) -> Row:
    return Row(name, lambda stages, ctx: ctx.get(_signal(stages, path)))


def _value(name: str, path: str, show: Callable[[int], str] = str, when: str = "") -> Row:
    def read(stages: Any, ctx: Any) -> int | None:
        return None if when and not ctx.get(_signal(stages, when)) else _int(ctx, stages, path)

    return Row(name, read, show)


def _int(ctx: Any, stages: Any, path: str) -> int:
    value = ctx.get(_signal(stages, path))
    return value if isinstance(value, int) else value.as_bits()


def _signal(stages: Any, path: str) -> Any:
    """Return the signal of a path, such as `capture.stamp.o_valid`: stages, then ports."""
    found = stages
    for name in path.split("."):
        inside = getattr(found, "inside", None)
        found = (
            getattr(inside, name) if inside is not None and name in inside else _port(found, name)
        )
    return found


def _port(found: Any, name: str) -> Any:
    return found[int(name)] if name.isdigit() else getattr(found, name)


class _Inside(dict[str, Any]):
    """Submodules by name."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


PINS = Wave(
    "From the pin to edges: samples in order, without glitches",
    *(0, 12),
    (
        _value("pins.words[1]", "pins.words.1", _hex(4)),
        _value("mend0.o_word", "capture.mend0.o_word", _hex(4)),
        _value("filter0.o_word", "capture.filter0.o_word", _hex(4)),
        _bit("edges0.o_valid", "capture.edges0.o_valid"),
        _value(
            "edges0.o_edges",
            "capture.edges0.o_edges.edges",
            _hex(4),
            "capture.edges0.o_valid",
        ),
    ),
)
MERGE = Wave(
    "From edges to events: what all sources saw, in order of time",
    *(9, 24),
    (
        _bit("queues.i_valid[1]", "capture.queues.i_valid.1"),
        _bit("queues.o_valid", "capture.queues.o_valid"),
        _bit("columns.take_words[1]", "capture.columns.take_words.1"),
        _value("columns.o_column.edges", "capture.columns.o_column.edges", _hex(2)),
        _bit("rows.o_valid", "capture.rows.o_valid"),
        _value("rows.o_event.fine", "capture.rows.o_event.fine", when="capture.rows.o_valid"),
    ),
)
STAMP = Wave(
    "From events to beats: the whole time, and a number",
    *(17, 28),
    (
        _bit("stamp.i_valid", "capture.stamp.i_valid"),
        _bit("capture.event_stb", "capture.event_stb"),
        _value("capture.event.index", "capture.event.index", when="capture.event_stb"),
        _value("capture.event.time_ticks", "capture.event.time_ticks", when="capture.event_stb"),
        _bit("capture.o_valid", "capture.o_valid"),
        _bit("matcher.i_ready", "matcher.i_ready"),
    ),
)
MATCH = Wave(
    "From a beat to a latency: which strike it answers",
    *(22, 37),
    (
        _bit("matcher.i_valid", "matcher.i_valid"),
        _bit("matcher.taken", "matcher.taken"),
        _bit("matcher.o_decision_valid", "matcher.o_decision_valid"),
        _value(
            "o_decision.response_class",
            "matcher.o_decision.response_class",
            lambda value: ResponseClass(value).name,
            "matcher.o_decision_valid",
        ),
        _bit("matcher.o_measured.valid", "matcher.o_measured.valid"),
        _value(
            "o_measured.value_ticks",
            "matcher.o_measured.payload.value_ticks",
            when="matcher.o_measured.valid",
        ),
    ),
)
COUNT = Wave(
    "From a latency to a bin",
    *(33, 48),
    (
        _bit("results.i_measured.valid", "results.i_measured.valid"),
        _bit("results.bins.i_pair.valid", "results.bins.i_pair.valid"),
        _value(
            "bins.i_pair.first",
            "results.bins.i_pair.payload.first",
            when="results.bins.i_pair.valid",
        ),
        _bit("results.records.idle", "results.records.idle"),
        _bit("results.bins.idle", "results.bins.idle"),
    ),
)
ALL = {"pins": PINS, "merge": MERGE, "stamp": STAMP, "match": MATCH, "count": COUNT}


@dataclass
class Simulated:
    """What the rows of each wave had in each clock, by name of the wave and number of the row."""

    values: dict[tuple[str, int], list[int | None]] = field(
        default_factory=dict[tuple[str, int], list[int | None]]
    )
    strike_ticks: int = 0
    answer_ticks: int = 0


def simulate() -> Simulated:
    """Simulate the run. Raises RuntimeError if no strike comes."""
    dut: Any = Instrument(boards.simulated(BOARD), 0)
    _open(dut)
    found = Simulated()
    simulator: Any = Simulator(dut)
    simulator.add_clock(CLOCK_S)

    async def host(ctx: Any) -> None:
        for byte in _commands():
            await ctx.tick().repeat(8)
            ctx.set(dut.rx.payload, byte)
            ctx.set(dut.rx.valid, 1)
            await ctx.tick().until(dut.rx.ready)
            ctx.set(dut.rx.valid, 0)

    async def device(ctx: Any) -> None:
        ctx.set(dut.tx.ready, 1)
        for _ in range(MOST_CLOCKS):
            if ctx.get(dut.strikes):
                break
            await ctx.tick()
        else:
            raise RuntimeError(f"no strike in {MOST_CLOCKS} clocks")
        samples = boards.simulated(BOARD).samples
        whole = (1 << samples) - 1
        last = max(wave.last for wave in ALL.values())
        for clock in range(-ANSWER_CLOCKS, last + 1):
            first = whole & ~((1 << ANSWER_PLACE) - 1)
            high = 0 < clock < WIDTH_CLOCKS
            ctx.set(dut.samples, first if clock == 0 else whole if high else 0)
            if ctx.get(_signal(dut, "capture.event_stb")):
                ticks = ctx.get(_signal(dut, "capture.event.time_ticks"))
                found.strike_ticks = found.strike_ticks or ticks
                found.answer_ticks = found.answer_ticks or (ticks if clock > 0 else 0)
            for name, wave in ALL.items():
                for number, row in enumerate(wave.rows):
                    if wave.first <= clock <= wave.last:
                        values = found.values.setdefault((name, number), [])
                        values.append(row.read(dut, ctx))
            await ctx.tick()

    simulator.add_testbench(host, background=True)
    simulator.add_testbench(device)
    simulator.run()
    return found


def _commands() -> bytes:
    """Return what the host says to measure one strike."""
    writes = [(address(block, name), int(value)) for block, name, value in REGISTERS]
    start = [(address("control", "action"), int(Action.START))]
    return b"".join(_command(number, one) for number, one in enumerate((writes, start)))


def _command(number: int, writes: list[tuple[int, int]]) -> bytes:
    payload = b"".join(
        OPERATION.pack({"address": place, "code": OpCode.WRITE, "status": 0, "value": value})
        for place, value in writes
    )
    return to_stream(Frame(FrameType.COMMAND, 0, 0, number, 0, 0, payload))


def _open(component: Any) -> None:
    """Have a component, and those in it, keep their submodules by name in `inside`."""
    elaborate = component.elaborate

    def opened(platform: object) -> Any:
        m = elaborate(platform)
        if isinstance(m, Module):
            made: Any = m
            component.inside = _Inside(
                {name: getattr(made.submodules, name) for name in made._named_submodules}
            )
            for part in component.inside.values():
                if hasattr(part, "elaborate"):
                    _open(part)
        return m

    component.elaborate = opened


def wave_json(wave: Wave, columns: list[list[int | None]]) -> dict[str, Any]:
    """Return a wave as WaveDrom reads it (its WaveJSON)."""
    signals: list[dict[str, Any]] = []
    for row, values in zip(wave.rows, columns, strict=True):
        data: list[str] = []
        marks, before = "", object()
        for value in values:
            same = value == before
            before = value
            if same:
                marks += "."
            elif row.show is None:
                marks += str(value)
            elif value is None:
                marks += "x"
            else:
                marks += "="
                data.append(row.show(value))
        signals.append({"name": row.name, "wave": marks, **({"data": data} if row.show else {})})
    return {"head": {"text": wave.title, "tick": wave.first}, "signal": signals}


def all_waves(found: Simulated) -> dict[str, Any]:
    """Return all waves by name, as WaveDrom reads them."""
    return {
        name: wave_json(wave, [found.values[name, number] for number in range(len(wave.rows))])
        for name, wave in ALL.items()
    }


_LEFT, _STEP, _HIGH, _PITCH, _TOP, _RIGHT = 218.0, 40.0, 20.0, 34.0, 62.0, 18.0
_SIZE, _SLOPE = 12.0, 3.0


def draw(wave: dict[str, Any]) -> Canvas:
    """Return the picture of a wave, each clock with its number.

    A value that is wider than its place stands behind it.
    """
    signals, first = wave["signal"], wave["head"]["tick"]
    clocks = len(signals[0]["wave"])
    width = _LEFT + clocks * _STEP + _RIGHT
    height = _TOP + len(signals) * _PITCH + 10
    canvas = Canvas(width, height, wave["head"]["text"])
    canvas.rect(0, 0, width, height, "paper")
    canvas.text(16, 26, wave["head"]["text"], size=15, bold=True)
    canvas.text(16, _TOP - 10, "clock", size=_SIZE, style="muted")
    for clock in range(clocks + 1):
        x = _LEFT + clock * _STEP
        canvas.line(x, _TOP - 4, x, height - 8, "grid")
        if clock < clocks:
            text = f"{first + clock}"
            canvas.text(x + _STEP / 2, _TOP - 10, text, size=_SIZE, style="muted", anchor="middle")
    for number, signal in enumerate(signals):
        y = _TOP + number * _PITCH + 8
        canvas.text(16, y + _HIGH - 5, signal["name"], size=_SIZE)
        _line(canvas, y, signal)
    return canvas


def _spans(signal: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Return marks with the clocks from and to which they stand."""
    marks = signal["wave"]
    starts = [clock for clock, mark in enumerate(marks) if mark != "."]
    ends = [*starts[1:], len(marks)]
    return [(marks[start], start, end) for start, end in zip(starts, ends, strict=True)]


def _line(canvas: Canvas, y: float, signal: dict[str, Any]) -> None:
    data = iter(signal.get("data", ()))
    spans = [(mark, _LEFT + a * _STEP, _LEFT + b * _STEP) for mark, a, b in _spans(signal)]
    if "data" not in signal:
        heights = {"0": y + _HIGH, "1": y}
        path = " ".join(
            f"{'M' if number == 0 else 'L'}{x:.1f} {heights[mark]:.1f}H{end:.1f}"
            for number, (mark, x, end) in enumerate(spans)
        )
        canvas.path(path, "s0", Stroke(1.8))
        return
    behind: list[tuple[float, str]] = []
    for mark, x, end in spans:
        middle = y + _HIGH / 2
        if mark == "x":
            canvas.line(x, middle, end, middle, "rule")
            continue
        shape = (
            f"M{x:.1f} {middle:.1f}L{x + _SLOPE:.1f} {y:.1f}H{end - _SLOPE:.1f}L{end:.1f} "
            f"{middle:.1f}L{end - _SLOPE:.1f} {y + _HIGH:.1f}H{x + _SLOPE:.1f}Z"
        )
        canvas.path(shape, "s0", Stroke(1.4))
        text, size = next(data), _SIZE - 1
        if text_width(text, size) <= end - x - 2 * _SLOPE:
            canvas.text((x + end) / 2, y + _HIGH - 6, text, size=size, anchor="middle")
        else:
            behind.append((end, text))
    for end, text in behind:
        wide = text_width(text, _SIZE - 1) + 8
        canvas.rect(end + 2, y, wide, _HIGH, "paper")
        canvas.text(end + 5, y + _HIGH - 6, text, size=_SIZE - 1)


def picture_of(name: str) -> Path:
    """Return the file of a wave's picture."""
    return FOLDER / f"wave-{name}.svg"


def main() -> int:
    """Write the waves and their pictures."""
    waves = all_waves(simulate())
    WAVES.write_text(json.dumps(waves, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for name, wave in waves.items():
        picture_of(name).write_text(svg_picture(draw(wave)) + "\n", encoding="utf-8")
        print(picture_of(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
