# SPDX-License-Identifier: Apache-2.0
"""A sweep as pictures: latency and misses of each channel over the rate, with loads in colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from plexor.base.counts import counted
from plexor.base.figure_words import MAX_SEEN
from plexor.base.units import plot_seconds
from plexor.experiments.criterion import CriterionSubject, parse_criterion
from plexor.experiments.step import DOWN, UP, RateStep
from plexor.experiments.sweep.model import Bracket, Knee, SweepResult
from plexor.figures.judge.verdict import Outcome
from plexor.show.facts import load_word
from plexor.show.pictures.canvas import Canvas, Stroke, stack, text_width
from plexor.show.pictures.colours import CHANNEL_LIGHT
from plexor.show.pictures.frame import (
    LABEL_GAP,
    LABEL_SIZE,
    LEFT,
    RIGHT,
    SUBTITLE_SIZE,
    TOP,
    WIDTH,
    Label,
    framed,
    in_rows,
    panel,
    spread,
    x_axis,
    y_line,
    y_name,
)
from plexor.show.pictures.names import cut_letters, cut_middle
from plexor.show.pictures.scale import Axis, number, rate_unit, time_unit
from plexor.show.sweep_rows import own_steps
from plexor.show.terminal.sweep import bracket_text

LATENCY_HEIGHT, MISSED_HEIGHT, BETWEEN = 230.0, 150.0, 26.0
LABEL_LINE = 18.0
_LOAD_LETTERS = 16
LEAST_SHARE = 1e-4
"""Lowest share of missed strikes in the logarithmic part of the plot."""
SAMPLE = 20.0
"""Width of a line or mark in the legend."""
ZERO = 30.0
"""Height of the part below it, where none is missed."""
_P99 = Stroke(2, round_joins=True)
_SCAN = Stroke(1.4, dash=(7, 3), round_joins=True)
_LIMIT = Stroke(dash=(4, 3))
_MARK = Stroke(1.4)
_MAX_SEEN = Stroke(1.4, dash=(1.5, 3))


@dataclass(frozen=True, slots=True)
class _Plot:
    """A canvas with its rate axis, and the steps of each load."""

    canvas: Canvas
    channel: str
    rates: Axis
    steps: dict[str, list[RateStep]]

    def runs(self) -> list[tuple[int, str, list[RateStep]]]:
        """Return the place of each load and its steps, those of the scans up and down apart."""
        found: list[tuple[int, str, list[RateStep]]] = []
        for place, own in enumerate(self.steps.values()):
            for way in ("", UP, DOWN):
                steps = [step for step in own if step.direction == way]
                if steps:
                    found.append((place % len(CHANNEL_LIGHT), way, steps))
        return found


def channels_of(result: SweepResult) -> list[str]:
    """Return the channels that were swept, each of which has a picture."""
    return list(dict.fromkeys(knee.channel for knee in result.knees))


def sweep_picture(result: SweepResult) -> Canvas:
    """Return the pictures of all channels below each other."""
    return stack("Saturation", [frontier(result, name) for name in channels_of(result)], gap=18)


def frontier(result: SweepResult, channel: str, width: float = WIDTH) -> Canvas:
    """Return one channel's latency and missed strikes over the rate, its brackets marked."""
    knees = [knee for knee in result.knees if knee.channel == channel]
    rates = Axis(float(result.low_hz), float(result.high_hz), LEFT + 12, width - RIGHT - 12, True)
    loads = [load_word(knee.load) for knee in knees]
    labels = [_label(n, knee, rates, result.steps, loads) for n, knee in enumerate(knees)]
    rows = in_rows(labels, width - LEFT - RIGHT)
    top = TOP + LABEL_LINE * len(rows)
    middle = top + LATENCY_HEIGHT
    bottom = middle + BETWEEN + MISSED_HEIGHT
    steps = {
        knee.load: [
            step
            for step in own_steps(result.steps, knee)
            if step.of(channel).verdict != Outcome.NOT_COMPARABLE
        ]
        for knee in knees
    }
    limit = _limit(result)
    keys = _keys(steps, limit is not None, width)
    source = "simulated" if result.simulated else "measured"
    subtitle = f"A rate is sustained with {', '.join(result.criteria)}"
    if text_width(subtitle, SUBTITLE_SIZE) > width:
        subtitle = f"A rate is sustained within {counted(len(result.criteria), 'limit')}"
    height = bottom + 44 + LABEL_LINE * len(keys)
    canvas = framed(
        f"{cut_middle(channel, 40)} over the strike rate", subtitle, height, source, width
    )
    plot = _Plot(canvas, channel, rates, steps)
    for line, labels in enumerate(rows):
        y = TOP + LABEL_LINE * (line + 1) - 7
        for label, x in zip(labels, spread(labels, LEFT, width - RIGHT, True), strict=True):
            canvas.text(x, y, label.content, style=label.style, anchor="middle", bold=True)
    panel(canvas, top, middle)
    panel(canvas, middle + BETWEEN, bottom)
    x_axis(canvas, rates, top, bottom, rate_unit(rates.high))
    for place, knee in enumerate(knees):
        for low, high in ((top, middle), (middle + BETWEEN, bottom)):
            _bracket(plot, knee.bracket, (low, high), place)
    y_name(canvas, "latency", log=True)
    y_name(canvas, "missed", log=True, y=middle + BETWEEN - 8)
    canvas.text(LEFT, bottom + 36, "strike rate", style="muted")
    _latencies(plot, result, (top + 16, middle - 12))
    _missed(plot, limit, (middle + BETWEEN + 14, bottom - ZERO))
    for line, entries in enumerate(keys):
        _legend(canvas, entries, bottom + 56 + LABEL_LINE * line)
    return canvas


def _label(
    place: int, knee: Knee, rates: Axis, steps: Sequence[RateStep], loads: Sequence[str]
) -> Label:
    """Return what a bracket says, above its middle."""
    low, high = _ends(knee.bracket, rates)
    style = f"f{place % len(CHANNEL_LIGHT)}"
    load = cut_letters(load_word(knee.load), loads, _LOAD_LETTERS)
    return Label((low + high) / 2, f"{load}: {_said(knee, steps)}", style)


def _said(knee: Knee, steps: Sequence[RateStep]) -> str:
    """Return what a bracket says; an arrow points to where it may lie if only one end is known."""
    bracket, own = knee.bracket, own_steps(steps, knee)
    if own and all(step.of(knee.channel).missed_share == 1 for step in own):
        return "starves, answers no strike"
    text = bracket_text(bracket)
    if bracket.passing_hz is None and bracket.failing_hz is not None:
        return f"\N{LEFTWARDS ARROW} {text}"
    if bracket.failing_hz is None and bracket.passing_hz is not None:
        return f"{text} \N{RIGHTWARDS ARROW}"
    return text


def _ends(bracket: Bracket, rates: Axis) -> tuple[float, float]:
    low, high = bracket.passing_hz, bracket.failing_hz
    return (
        rates.at(rates.low if low is None else float(low)),
        rates.at(rates.high if high is None else float(high)),
    )


def _bracket(plot: _Plot, bracket: Bracket, height: tuple[float, float], place: int) -> None:
    """Shade what is between the rates that pass and fail; all that is not known, where one is."""
    low, high = _ends(bracket, plot.rates)
    if bracket.passing_hz is None and bracket.failing_hz is None:
        return
    style = f"f{place % len(CHANNEL_LIGHT)}"
    size = max(high - low, 2), height[1] - height[0]
    plot.canvas.rect(low, height[0], *size, style, opacity=0.28)


def _latencies(plot: _Plot, result: SweepResult, height: tuple[float, float]) -> None:
    """Draw p99 as lines and the maximum latency dotted, of answered strikes."""
    top, bottom = height
    canvas = plot.canvas
    times = [
        plot_seconds(ticks, result.tick_fs)
        for _, _, own in plot.runs()
        for step in own
        for ticks in (step.of(plot.channel).p99_ticks, step.of(plot.channel).max_ticks)
        if ticks is not None and ticks > 0
    ]
    if not times:
        canvas.text(
            canvas.width / 2, (top + bottom) / 2, "no latency", style="muted", anchor="middle"
        )
        return
    axis = Axis(min(times) / 1.25, max(times) * 1.1, bottom, top, log=True)
    for value in axis.ticks(5):
        scale, unit = time_unit(value)
        y_line(canvas, axis.at(value), f"{number(value / scale)} {unit}")
    for place, way, own in plot.runs():
        picks = (("p99_ticks", _SCAN),) if way else (("max_ticks", _MAX_SEEN), ("p99_ticks", _P99))
        for pick, line in picks:
            for points in _known((step, getattr(step.of(plot.channel), pick)) for step in own):
                at = [(s, axis.at(plot_seconds(ticks, result.tick_fs))) for s, ticks in points]
                _line(plot, at, f"s{place}", line)
                if pick == "p99_ticks":
                    _marks(plot, at, place)


def _known(
    steps: Iterable[tuple[RateStep, int | None]],
) -> Iterator[list[tuple[RateStep, int]]]:
    """Yield the steps between those without a latency, which leave a gap."""
    together: list[tuple[RateStep, int]] = []
    for step, ticks in steps:
        if ticks is not None and ticks > 0:
            together.append((step, ticks))
        elif together:
            yield together
            together = []
    if together:
        yield together


def _missed(plot: _Plot, limit: float | None, height: tuple[float, float]) -> None:
    """Draw the share of missed strikes, by logarithm; none at the foot."""
    top, bottom = height
    canvas = plot.canvas
    axis = Axis(LEAST_SHARE, 1.0, bottom, top, log=True)
    foot = bottom + 0.6 * ZERO
    for share in axis.ticks(5):
        y_line(canvas, axis.at(share), f"{number(share * 100)} %")
    y_line(canvas, foot, "0")
    if limit is not None:
        y = axis.at(limit)
        canvas.line(LEFT, y, canvas.width - RIGHT, y, "rule", _LIMIT)
    apart = min(5.0, 0.6 * ZERO / len(plot.steps))
    for place, way, own in plot.runs():
        # Loads that miss nothing lie beside each other, not on each other.
        level = foot + apart * (place - (len(plot.steps) - 1) / 2)
        points = [
            (step, axis.at(share) if share else level)
            for step in own
            for share in (step.of(plot.channel).missed_share,)
        ]
        _line(plot, points, f"s{place}", _SCAN if way else Stroke(1.5))
        _marks(plot, points, place)


def _limit(result: SweepResult) -> float | None:
    """Return the share of missed strikes that a criterion allows, where one does."""
    for text in result.criteria:
        criterion = parse_criterion(text)
        if criterion.what == CriterionSubject.MISSED and criterion.share >= Fraction(LEAST_SHARE):
            return float(criterion.share)
    return None


def _line(
    plot: _Plot, points: Sequence[tuple[RateStep, float]], style: str, stroke: Stroke
) -> None:
    """Join steps, paler where a rate is not sustained."""
    at = [(plot.rates.at(float(step.rate_hz)), y) for step, y in points]
    full = [step.of(plot.channel).verdict == Outcome.PASS for step, _ in points]
    first = 0
    for last in range(1, len(at)):
        pale = not (full[last - 1] and full[last])
        if last + 1 < len(at) and pale != (full[last] and full[last + 1]):
            continue
        data = "L".join(f"{x:.1f} {y:.1f}" for x, y in at[first : last + 1])
        plot.canvas.path(f"M{data}", style, stroke._replace(opacity=0.45) if pale else stroke)
        first = last


def _marks(plot: _Plot, points: Sequence[tuple[RateStep, float]], place: int) -> None:
    """Mark each step, full where its rate is sustained."""
    for step, y in points:
        full = step.of(plot.channel).verdict == Outcome.PASS
        fill = f"f{place}" if full else "paper"
        _mark(
            plot.canvas, plot.rates.at(float(step.rate_hz)), y, f"{fill} s{place}", step.direction
        )


def _mark(canvas: Canvas, x: float, y: float, style: str, direction: str) -> None:
    """Put a dot, or a triangle that points up or down the rates."""
    if direction:
        way = 1 if direction == UP else -1
        shape = f"M{x - 3.5 * way:.1f} {y - 4:.1f}l{7.5 * way:g} 4l{-7.5 * way:g} 4z"
        canvas.shape(shape, style, _MARK)
    else:
        canvas.dot(x, y, 3.2, style, _MARK)


@dataclass(frozen=True, slots=True)
class _Key:
    """An entry of the legend: a name, a line or a mark."""

    name: str
    style: str
    line: Stroke | None = None
    direction: str = ""

    @property
    def width(self) -> float:
        return SAMPLE + 6 + text_width(self.name, LABEL_SIZE) + LABEL_GAP


def _keys(steps: dict[str, list[RateStep]], limited: bool, width: float) -> list[list[_Key]]:
    """Return the legend in as few lines as hold it."""
    loads = [load_word(load) for load in steps]
    entries = [
        _Key(cut_letters(load, loads, _LOAD_LETTERS), f"s{n % len(CHANNEL_LIGHT)}", Stroke(3))
        for n, load in enumerate(loads)
    ]
    entries += [_Key("p99", "average", _P99), _Key(MAX_SEEN, "average", _MAX_SEEN)]
    entries += [_Key("sustained", "ink average"), _Key("not", "paper average")]
    entries += [_Key("limit", "rule", _LIMIT)] if limited else []
    ways = {step.direction for own in steps.values() for step in own}
    named = ((UP, "rate rises"), (DOWN, "rate falls"))
    entries += [_Key(name, "ink average", None, way) for way, name in named if way in ways]
    rows: list[list[_Key]] = [[]]
    for entry in entries:
        if sum(each.width for each in rows[-1]) + entry.width > width - LEFT - RIGHT + LABEL_GAP:
            rows.append([])
        rows[-1].append(entry)
    return rows


def _legend(canvas: Canvas, entries: list[_Key], y: float) -> None:
    x = LEFT
    for entry in entries:
        if entry.line is not None:
            canvas.line(x, y - 4, x + SAMPLE, y - 4, entry.style, entry.line)
        else:
            _mark(canvas, x + SAMPLE / 2, y - 4, entry.style, entry.direction)
        canvas.text(x + SAMPLE + 6, y, entry.name, style="muted")
        x += entry.width
