# SPDX-License-Identifier: Apache-2.0
"""The figures of each channel as cells of text, for both the terminal and the page."""

from __future__ import annotations

from fractions import Fraction

from plexor.base.counts import counted
from plexor.base.figure_words import MAX_SEEN, PEAK_TO_PEAK
from plexor.base.units import (
    format_mean,
    format_metres,
    format_over,
    format_seconds,
    format_tick_range,
    format_ticks,
    format_variance,
    seconds_of,
)
from plexor.figures.analyse.analyse import ChannelFigures, Figures, Report
from plexor.figures.analyse.bounds import AT_LIMIT, KNOWN, FigureBounds, extreme
from plexor.figures.analyse.peaks import peaks
from plexor.figures.analyse.percentiles import Quantile, least_count, quantile_name
from plexor.figures.analyse.tail import earliest, latest
from plexor.figures.judge.budget import Check
from plexor.model.columns import COLUMNS
from plexor.model.results import Kind
from plexor.show.facts import CLASS_COLUMNS
from plexor.show.pictures.scale import grouped, number

_SHOWN = (Fraction(50, 100), Fraction(99, 100), Fraction(999, 1000))
_WHERE_KNOWN = Fraction(9999, 10_000)
NOTHING = "-"
PULSE_WIDTH = "pulse width"
Cell = tuple[str, str]
"""A text and a smaller note below it."""


def shown(report: Report) -> tuple[Fraction, ...]:
    """Return the percentiles to show: p99.99 is one of them where a channel has enough samples."""
    for channel in report.channels:
        found = None if channel.rise is None else channel.rise.quantile(_WHERE_KNOWN)
        if found is not None and found.enough:
            return (*_SHOWN, _WHERE_KNOWN)
    return _SHOWN


def latency_rows(report: Report) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row of cells for each channel: counts and percentiles."""
    head = ["channel", "n", *(name for name, _ in CLASS_COLUMNS), "min"]
    qs = shown(report)
    head += [quantile_name(q) for q in qs]
    head += [MAX_SEEN]
    return head, [_latency_row(report, channel, qs) for channel in report.channels]


def classes_last(
    table: tuple[list[str], list[list[Cell]]],
) -> tuple[list[str], list[list[Cell]]]:
    """Return a table of latencies with its counts last: a narrow screen shows what comes first."""
    head, rows = table
    last = ["n", *(name for name, _ in CLASS_COLUMNS)]
    order = [n for n, name in enumerate(head) if name not in last]
    order += [head.index(name) for name in last]
    return [head[n] for n in order], [[row[n] for n in order] for row in rows]


def _latency_row(report: Report, channel: ChannelFigures, qs: tuple[Fraction, ...]) -> list[Cell]:
    tick_fs = report.result.tick_fs
    rise = channel.rise
    row: list[Cell] = [
        (channel.name, f"from {channel.result.reference}"),
        (grouped(_answers(channel)), ""),
    ]
    row += [(grouped(channel.result.classes[of]), "") for _, of in CLASS_COLUMNS]
    if rise is None:
        return row + [(NOTHING, "")] * (len(qs) + 2)
    row.append((time_text(rise.min_ticks, tick_fs), ""))
    for q in qs:
        found = rise.quantile(q)
        row.append((NOTHING, "") if found is None else quantile_cell(found, tick_fs))
    at = rise.max_time_ticks
    most = known_time(extreme(rise, False), tick_fs)
    row.append((most, "" if at is None else f"at {time_text(at, tick_fs)}"))
    return row


def _answers(channel: ChannelFigures) -> int:
    measured = channel.kinds.get(Kind.RISE)
    return 0 if measured is None else measured.count


def distance_rows(report: Report) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each channel: how far something moves during the latency.

    Without a velocity there is no row.
    """
    velocity = report.velocity_m_s
    head = [
        "distance" if velocity is None else f"distance at {number(float(velocity))} m/s",
        "mean",
        "min",
    ]
    qs = shown(report)
    head += [*(quantile_name(q) for q in qs), MAX_SEEN]
    rows: list[list[Cell]] = []
    for channel in report.channels:
        rise = channel.rise
        if velocity is None or rise is None:
            continue
        quantiles = [rise.quantile(q) for q in qs]
        middle = [q.value_ticks if q is not None and q.enough else None for q in quantiles]
        ticks = [rise.mean_ticks, rise.min_ticks, *middle, rise.max_ticks]
        cells = [NOTHING if at is None else format_metres(report.metres(at)) for at in ticks]
        rows.append([(channel.name, ""), *((cell, "") for cell in cells)])
    return head, rows


def jitter_rows(report: Report) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each channel: jitters, mean, first response, widths."""
    head = ["channel", "mean", PEAK_TO_PEAK, "RMS", "variance", "jitter128", "first", "peaks"]
    head += [PULSE_WIDTH, "period"]
    return asked(report, head, [_jitter_row(report, channel) for channel in report.channels])


def asked(
    report: Report, head: list[str], rows: list[list[Cell]]
) -> tuple[list[str], list[list[Cell]]]:
    """Return a table without the columns that are shown only when they are asked for."""
    kept = [n for n, name in enumerate(head) if name not in COLUMNS or name in report.columns]
    return [head[n] for n in kept], [[row[n] for n in kept] for row in rows]


def _jitter_row(report: Report, channel: ChannelFigures) -> list[Cell]:
    tick_fs = report.result.tick_fs
    rise = channel.rise
    row: list[Cell] = [(channel.name, "")]
    if rise is None:
        row += [(NOTHING, "")] * 7
    else:
        row.append((mean_text(rise, tick_fs), ""))
        row += [
            (time_text(value, tick_fs), "") for value in (rise.peak_to_peak_ticks, rise.rms_ticks)
        ]
        row.append((_variance(rise.variance_ticks2, tick_fs), ""))
        if rise.span is None:
            # Without events nothing is known of it but that all samples span as much or more.
            most = KNOWN["jitter128"](rise).most
            text = NOTHING if most is None else f"≤ {time_text(float(most), tick_fs)}"
            row.append((text, "needs events"))
        else:
            greatest = f"maximum {time_text(rise.span.greatest_ticks, tick_fs)}"
            note = greatest if rise.span.full else f"only {counted(rise.count, 'sample')}"
            row.append((time_text(rise.span.current_ticks, tick_fs), note))
        row.append((NOTHING if rise.cold is None else time_text(rise.cold.cold_ticks, tick_fs), ""))
        found = [time_text(peak.value_ticks, tick_fs) for peak in peaks(rise.distribution, 3)]
        row.append((", ".join(found) or NOTHING, ""))
    for kind in (Kind.WIDTH, Kind.PERIOD):
        figures = channel.kinds.get(kind)
        if figures is None or not figures.count:
            row.append((NOTHING, ""))
        else:
            row.append((_between(extreme(figures, True), extreme(figures, False), tick_fs), ""))
    return row


def _between(low: FigureBounds, high: FigureBounds, tick_fs: int) -> str:
    """Return where figures lie: `49.7 µs to 50.2 µs`, or one text where both are the same."""
    least, most = known_time(low, tick_fs), known_time(high, tick_fs)
    if low.figure is not None and high.figure is not None:
        least, most = format_tick_range(float(low.figure), float(high.figure), tick_fs)
    return most if least == most else f"{least} to {most}"


def known_time(known: FigureBounds, tick_fs: int) -> str:
    """Return a figure, or `over 1.07 s` if no more is known."""
    if known.figure is None and known.unknown == AT_LIMIT and known.least:
        return format_over(float(known.least), tick_fs)
    return time_text(None if known.figure is None else float(known.figure), tick_fs)


def share_rows(report: Report) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each two channels: where the second one's latency goes.

    Each part is measured between its own two edges, over the strikes that both pins answered.
    """
    head = ["where it goes", "n", "strike to rise", "rise to fall", "fall to the next", "in all"]
    rows: list[list[Cell]] = []
    for entry in report.shares:
        parts = entry.shares
        row: list[Cell] = [
            (entry.second, f"by {entry.first}"),
            (grouped(len(parts.total_ticks)), ""),
        ]
        for ticks in (parts.rise_ticks, parts.width_ticks, parts.gap_ticks, parts.total_ticks):
            ends = int(ticks.min()), int(ticks.max())
            least, most = format_tick_range(*ends, report.result.tick_fs)
            spread = float(ticks.var())
            mean = format_mean(float(ticks.mean()), spread, len(ticks), report.result.tick_fs)
            row.append((mean, least if least == most else f"{least} to {most}"))
        rows.append(row)
    return head, rows


def period_rows(report: Report) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each channel that nothing strikes: its period's jitters."""
    head = ["channel", "periods", "mean", "min", MAX_SEEN, PEAK_TO_PEAK, "RMS", "variance"]
    behind = ["cycle-to-cycle", "cycle-to-cycle RMS", "TIE peak-to-peak", "TIE RMS"]
    rows: list[list[Cell]] = []
    for channel in report.channels:
        period = channel.kinds.get(Kind.PERIOD)
        if channel.result.strikes or period is None or not period.count:
            continue
        found = [extreme(period, True), extreme(period, False), KNOWN["peak_to_peak"](period)]
        more: list[float | None] = [None] * len(behind)
        if channel.periods is not None:
            own = channel.periods
            more = [own.cycle_to_cycle_max_ticks, own.cycle_to_cycle_rms_ticks]
            more += [float(own.tie_peak_to_peak_ticks), own.tie_rms_ticks]
        tick_fs = report.result.tick_fs
        mean = mean_text(period, tick_fs)
        if period.mean_ticks is None:
            mean = known_time(KNOWN["mean"](period), tick_fs)
        texts = [channel.name, grouped(period.count), mean]
        texts += [known_time(each, tick_fs) for each in found]
        texts += [time_text(period.rms_ticks, tick_fs), _variance(period.variance_ticks2, tick_fs)]
        texts += [time_text(ticks, tick_fs) for ticks in more]
        rows.append([(text, "") for text in texts])
    return asked(report, head + behind, rows)


def outlier_rows(
    report: Report, each: int = 3, least_sds: int = 0
) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and rows of the earliest and the latest responses of each channel.

    Without the samples in order only the extremes are known, with their events. The earliest is
    left out if a base result was subtracted, because clamped responses look alike. Responses are
    left out that differ from the mean by `least_sds` standard deviations or less, if any are given.
    """
    head = ["channel", "which", "latency", "sample", "event", "time in the run"]
    rows: list[list[Cell]] = []
    for channel in report.channels:
        rise = channel.rise
        if rise is None:
            continue
        if rise.samples is None:
            event = NOTHING if rise.max_index is None else grouped(rise.max_index)
            at, value = rise.max_time_ticks, rise.max_ticks
            if _is_apart(rise, value, least_sds):
                rows.append(_outlier(report, channel.name, "latest", value, NOTHING, event, at))
            rise_of = channel.result.measurement(Kind.RISE)
            known = None if rise_of is None or report.base_ticks else rise_of.statistics
            if known is not None and _is_apart(rise, known.min_ticks, least_sds):
                event = NOTHING if known.min_index is None else grouped(known.min_index)
                at = known.min_time_ticks
                at = None if at is None else at - report.result.start_ticks
                rows.append(
                    _outlier(report, channel.name, "earliest", known.min_ticks, NOTHING, event, at)
                )
            continue
        values = rise.samples.value_ticks
        for which, chosen in (
            ("latest", latest(values, each)),
            ("earliest", earliest(values, each)),
        ):
            for entry in chosen:
                if not _is_apart(rise, entry.value_ticks, least_sds):
                    continue
                own = rise.samples.cut(slice(entry.position, entry.position + 1))
                time = int(own.time_ticks[0]) - report.result.start_ticks
                event = grouped(int(own.index[0]))
                sample = grouped(entry.position)
                rows.append(
                    _outlier(report, channel.name, which, entry.value_ticks, sample, event, time)
                )
    return head, rows


def _is_apart(figures: Figures, value_ticks: int | None, sds: int) -> bool:
    """Return whether a value differs from the mean by more than so many standard deviations."""
    mean, variance = figures.mean_ticks, figures.variance_ticks2
    if not sds:
        return True
    if value_ticks is None or mean is None or variance is None:
        return False
    return (value_ticks - mean) ** 2 > sds**2 * variance


def _outlier(
    report: Report,
    name: str,
    which: str,
    value: int | None,
    sample: str,
    event: str,
    time: int | None,
) -> list[Cell]:
    tick_fs = report.result.tick_fs
    texts = (name, which, time_text(value, tick_fs), sample, event, time_text(time, tick_fs))
    return [(text, "") for text in texts]


def mean_text(figures: Figures, tick_fs: int) -> str:
    """Return a mean to the digit that its standard error reaches; a dash if it is not known."""
    mean, variance = figures.mean_ticks, figures.variance_ticks2
    if mean is None:
        return NOTHING
    if variance is None:
        return format_ticks(float(mean), tick_fs)
    return format_mean(float(mean), float(variance), figures.count, tick_fs)


def time_text(ticks: float | None, tick_fs: int) -> str:
    """Return a time in ticks as text; a dash for None."""
    return NOTHING if ticks is None else format_ticks(ticks, tick_fs)


def _variance(ticks2: Fraction | None, tick_fs: int) -> str:
    return NOTHING if ticks2 is None else format_variance(ticks2, tick_fs)


def quantile_cell(found: Quantile, tick_fs: int) -> Cell:
    """Return a quantile with its interval, or how many samples it lacks."""
    if not found.enough:
        return "too few", f"needs {grouped(least_count(found.q))}"
    if found.limit_ticks is not None:
        return format_over(found.limit_ticks, tick_fs), ""
    return time_text(found.value_ticks, tick_fs), interval(
        found.lower_ticks, found.upper_ticks, tick_fs
    )


def interval(lower_ticks: int | None, upper_ticks: int | None, tick_fs: int) -> str:
    """Return `9.44 to 9.51 µs`, one unit for both, with as many digits as tell them apart."""
    if upper_ticks is None:
        return ""
    if lower_ticks is None:
        return f"≤ {format_ticks(upper_ticks, tick_fs)}"
    low, high = format_tick_range(lower_ticks, upper_ticks, tick_fs)
    unit = high.partition(" ")[2]
    return f"{low.removesuffix(f' {unit}')} to {high}"


def found_text(check: Check, tick_fs: int) -> tuple[str, str, str]:
    """Return what a check found, its violations, and where the first was."""
    if check.found is None:
        over = check.over_ticks
        return NOTHING if over is None else format_over(float(over), tick_fs, 6), NOTHING, ""
    if check.limit.is_count:
        found = grouped(int(check.found))
    else:
        seconds = seconds_of(check.found, tick_fs)
        # What lies a tick beyond its limit must not read like the limit.
        digits = next(
            (
                n
                for n in (6, 9)
                if format_seconds(seconds, n) != format_seconds(check.limit.most, n)
            ),
            12 if seconds != check.limit.most else 6,
        )
        found = format_seconds(seconds, digits)
    violations = NOTHING
    if check.violations is not None and not check.limit.is_count:
        least, most = check.violations
        violations = grouped(least) if least == most else f"{grouped(least)} to {grouped(most)}"
    first = ""
    if check.first_sample is not None:
        first = (
            f"first: sample {grouped(check.first_sample)}, event {grouped(check.first_index or 0)}"
        )
    return found, violations, first
