# SPDX-License-Identifier: Apache-2.0
"""Corrected figures as cells of text, for both the terminal and the page: always in ps or ns.

A figure ends where its stated error has its second digit (JCGM 100:2008, 7.2.6: two at most).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from plexor.base.figure_words import MAX_SEEN
from plexor.figures.analyse.analyse import Report
from plexor.figures.analyse.corrected_figures import Corrected, CorrectedChannel, CorrectedQuantile
from plexor.figures.analyse.percentiles import least_count, quantile_name
from plexor.model.results import Kind
from plexor.show.pictures.scale import grouped
from plexor.show.table import NOTHING, Cell, asked, shown

_PS_PER_NS = 1000


def corrected_rows(report: Report) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each channel whose latencies were corrected."""
    qs = shown(report)
    head = ["corrected", "n", "mean", "RMS", "variance", "min"]
    head += [*(quantile_name(q) for q in qs), MAX_SEEN]
    rows: list[list[Cell]] = []
    for channel in report.corrected:
        rise = channel.kinds.get(Kind.RISE)
        if rise is None:
            continue
        edge = f"edge ± {channel.edge_rms_ps:.0f} ps" if channel.edge_rms_ps is not None else ""
        row: list[Cell] = [(channel.name, edge), (grouped(len(rise.values_ps)), "")]
        row += [_figure(rise, rise.mean_ps), (picoseconds(rise.rms_ps, _clock(rise)), "")]
        row += [(_variance(rise), ""), _figure(rise, rise.min_ps)]
        for q in qs:
            found = rise.quantile(q)
            row.append((NOTHING, "") if found is None else _quantile(rise, found))
        rows.append([*row, _figure(rise, rise.max_ps)])
    return asked(report, head, rows)


def calibration_lines(report: Report) -> list[str]:
    """Return which calibration corrected the run, how well, and what it did not correct."""
    calibration = report.result.calibration
    if calibration is None:
        return []
    lines = [
        f"corrected with the calibration of {calibration.serial} made {calibration.made}: "
        "the table above is in ns, all other figures are whole ticks"
    ]
    if not any(Kind.RISE in channel.kinds for channel in report.corrected):
        lines = [f"nothing corrected with the calibration of {calibration.serial}"]
    lines += [
        f"{channel.name} is not corrected: {channel.reason}"
        for channel in report.corrected
        if channel.reason
    ]
    return lines + [line for channel in report.corrected for line in _ways(channel)]


def _ways(channel: CorrectedChannel) -> Iterator[str]:
    """Yield how well the ways over the pads are known, and what ticks have of them."""
    delay = channel.delay
    if delay is None:
        return
    by = "a jumper" if delay.by_jumper else "loopback, whose own way differs within bounds"
    late = picoseconds(delay.value_ps, delay.error_ps)
    yield (
        f"{channel.name}: the ways over its pads take {late} {bound(delay.error_ps)}, by {by}; "
        f"latencies in ticks are late by that, {channel.late_ticks} ± {channel.late_error_ticks} "
        "ticks"
    )


def picoseconds(value: float | Fraction, error_ps: float | Fraction = 0) -> str:
    """Return ps as text: `850 ps`, `12.345 ns`, `1,234,567.890 ns`.

    No digit is beyond the second one of the error.
    """
    place = place_of(error_ps)
    rounded = round(Fraction(value) / place) * place
    if abs(rounded) < _PS_PER_NS:
        return f"{rounded} ps"
    sign, whole = "-" if rounded < 0 else "", abs(rounded)
    digits = max(3 - len(str(place)) + 1, 0)
    behind = f".{whole % _PS_PER_NS:03}"[: digits + 1] if digits else ""
    return f"{sign}{grouped(whole // _PS_PER_NS)}{behind} ns"


def place_of(error_ps: float | Fraction) -> int:
    """Return the place of an error's second digit, a power of ten in ps; 1 at least."""
    return 10 ** max(len(str(int(error_ps))) - 2, 0)


def bound(error_ps: float | Fraction) -> str:
    """Return an error as text, rounded up such that it holds for the rounded value too."""
    place = place_of(error_ps)
    up_ps = math.ceil(Fraction(error_ps) / place + Fraction(1, 2)) * place
    return f"± {picoseconds(up_ps, up_ps)}"


def _clock(found: Corrected) -> int:
    """Return the oscillator's part of the error of a deviation."""
    return found.clock_ps(found.rms_ps)


def _figure(found: Corrected, value_ps: float | Fraction) -> Cell:
    error_ps = found.error_ps(value_ps)
    return picoseconds(value_ps, error_ps), bound(error_ps)


def _variance(found: Corrected) -> str:
    """Return a variance as text, in the square of its root's unit: `722,500 ps²`, `152.399 ns²`.

    It has no digit beyond those that the oscillator's error leaves.
    """
    ps2 = found.variance_ps2
    # Twice the relative error of its root.
    place = place_of(float(ps2) * 2 * found.clock_error_ppb / 10**9)
    rounded = round(ps2 / place) * place
    ns2 = rounded / _PS_PER_NS**2
    digits = min(max(6 - len(str(place)) + 1, 0), 3)
    return f"{rounded:,} ps²" if ns2 < 1 else f"{ns2:,.{digits}f} ns²"


def _quantile(rise: Corrected, found: CorrectedQuantile) -> Cell:
    if not found.enough:
        return "too few", f"needs {grouped(least_count(found.q))}"
    return _figure(rise, found.value_ps)
