"""A sweep as pictures: of each channel latency and misses over the rate, loads in colours."""

from __future__ import annotations

from collections.abc import Sequence

from plexor.render.frame import LEFT, RIGHT, TOP, WIDTH, framed, legend, panel, x_axis, y_line
from plexor.render.scale import Axis, number, power_of_ten, time_unit
from plexor.render.svg import Canvas, stack
from plexor.render.sweep_text import bracket_text
from plexor.sweep.decide import Verdict
from plexor.sweep.model import Figures, Knee, Step, SweepResult
from plexor.units import plot_seconds

HEIGHT = 430.0
SPLIT = 0.64
"""The part of a plot's height that latency has."""
LEAST_SHARE = 1e-4
"""Of missed strikes, at the foot of the plot."""
RATE_UNITS = ((1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz"))


def sweep_picture(result: SweepResult) -> Canvas:
    """Return the pictures of all channels below each other."""
    names = list(dict.fromkeys(knee.channel for knee in result.knees))
    return stack("Saturation", [frontier(result, name) for name in names], gap=18)


def frontier(result: SweepResult, channel: str) -> Canvas:
    """Return one channel's latency and missed strikes over the rate, its brackets marked."""
    knees = [knee for knee in result.knees if knee.channel == channel]
    said = "; ".join(f"{knee.load}: {bracket_text(knee.bracket)}" for knee in knees)
    source = "simulated" if result.simulated else "measured"
    canvas = framed(f"{channel} over the strike rate", said, HEIGHT, source)
    bottom = HEIGHT - 50
    middle = TOP + (bottom - TOP) * SPLIT
    rates = Axis(float(result.low_hz), float(result.high_hz), LEFT + 12, WIDTH - RIGHT - 12, True)
    panel(canvas, TOP, middle - 8)
    panel(canvas, middle + 8, bottom)
    unit = next((u for u in RATE_UNITS if rates.high >= u[0]), RATE_UNITS[-1])
    x_axis(canvas, rates, TOP, bottom, unit)
    for place, knee in enumerate(knees):
        _bracket(canvas, knee, rates, (TOP, bottom), place)
    steps = {knee.load: _steps(result.steps, knee) for knee in knees}
    _latencies(canvas, result, steps, channel, rates, (TOP + 8, middle - 16))
    _missed(canvas, steps, channel, rates, (middle + 16, bottom - 8))
    entries = [(load, f"s{place}", 'stroke-width="3"') for place, load in enumerate(steps)]
    entries.append(("greatest", "last", 'stroke-width="1.5" stroke-dasharray="2 3"'))
    legend(canvas, entries, WIDTH - RIGHT - 60, bottom + 36)
    return canvas


def _steps(steps: Sequence[Step], knee: Knee) -> list[Step]:
    own = [s for s in steps if s.load == knee.load and s.for_channel in ("", knee.channel)]
    return sorted(own, key=lambda step: step.rate_hz)


def _bracket(
    canvas: Canvas, knee: Knee, rates: Axis, height: tuple[float, float], place: int
) -> None:
    top, bottom = height
    low, high = knee.bracket.passing_hz, knee.bracket.failing_hz
    x = rates.at(rates.low if low is None else float(low))
    x2 = rates.at(rates.high if high is None else float(high))
    canvas.rect(x, top, max(x2 - x, 1.5), bottom - top, f"f{place}", 'fill-opacity="0.3"')


def _latencies(
    canvas: Canvas,
    result: SweepResult,
    steps: dict[str, list[Step]],
    channel: str,
    rates: Axis,
    height: tuple[float, float],
) -> None:
    """Draw p99 as lines and the greatest latency dashed, of what was answered."""
    top, bottom = height
    every = [step.of(channel) for each in steps.values() for step in each]
    known = [f for f in every if f.p99_ticks and f.max_ticks and f.p99_ticks > 0]
    if not known:
        canvas.text(WIDTH / 2, (top + bottom) / 2, "no latency", style="muted", anchor="middle")
        return
    values = [
        plot_seconds(t, result.tick_fs) for f in known for t in (f.p99_ticks, f.max_ticks) if t
    ]
    axis = Axis(min(values) / 1.3, max(values) * 1.3, bottom, top, log=True)
    scale, name = time_unit(axis.high / 4)
    for value in Axis(axis.low / scale, axis.high / scale, bottom, top, log=True).ticks(5):
        y_line(canvas, axis.at(value * scale), number(value))
    canvas.text(LEFT - 9, top - 10, name, style="muted", anchor="end", bold=True)
    for place, own in enumerate(steps.values()):
        shown = [(step, step.of(channel)) for step in own]
        for pick, extra in (
            ("p99_ticks", 'stroke-width="2.2" stroke-linejoin="round"'),
            ("max_ticks", 'stroke-width="1.2" stroke-dasharray="2 3"'),
        ):
            points = [
                (rates.at(float(step.rate_hz)), axis.at(plot_seconds(ticks, result.tick_fs)))
                for step, figures in shown
                for ticks in (getattr(figures, pick),)
                if ticks is not None and ticks > 0
            ]
            _polyline(canvas, points, f"s{place}", extra)
    canvas.text(LEFT + 12, top + 6, "p99, and the greatest dashed", size=11.5, style="muted")


def _missed(
    canvas: Canvas,
    steps: dict[str, list[Step]],
    channel: str,
    rates: Axis,
    height: tuple[float, float],
) -> None:
    """Draw the share of missed strikes, a dot for each rate: hollow where it failed."""
    top, bottom = height
    axis = Axis(LEAST_SHARE, 1.0, bottom, top, log=True)
    for share in axis.ticks(4):
        y_line(canvas, axis.at(share), power_of_ten(share) if share < 1 else "1")
    canvas.text(LEFT + 12, top + 6, "missed", size=11.5, style="muted")
    for place, own in enumerate(steps.values()):
        points = [
            (rates.at(float(step.rate_hz)), axis.at(max(share, LEAST_SHARE)), step.of(channel))
            for step in own
            for share in (step.of(channel).missed_share,)
        ]
        _polyline(canvas, [(x, y) for x, y, _ in points], f"s{place}", 'stroke-width="1.5"')
        for x, y, figures in points:
            _dot(canvas, x, y, figures, place)


def _dot(canvas: Canvas, x: float, y: float, figures: Figures, place: int) -> None:
    fill = f"f{place}" if figures.verdict == Verdict.PASS else "paper"
    shape = f"M{x - 3.5:.1f} {y:.1f}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z"
    canvas.parts.append(f'<path class="{fill} s{place}" d="{shape}" stroke-width="1.5"/>')


def _polyline(
    canvas: Canvas, points: Sequence[tuple[float, float]], style: str, extra: str
) -> None:
    if len(points) > 1:
        canvas.path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), style, extra)
