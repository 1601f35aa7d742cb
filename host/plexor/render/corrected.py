"""Corrected figures as cells of text, for both the terminal and the page: always in ps or ns."""

from __future__ import annotations

from fractions import Fraction

from plexor.analyse.analyse import Report
from plexor.analyse.corrected_figures import CorrectedQuantile
from plexor.analyse.percentiles import least_count, quantile_name
from plexor.model.results import Kind
from plexor.render.pictures.scale import grouped
from plexor.render.table import NOTHING, Cell, shown

_PS_PER_NS = 1000


def corrected_rows(report: Report) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each channel whose latencies were corrected."""
    qs = shown(report)
    head = ["corrected", "n", "mean", "RMS", "variance", "min"]
    head += [*(quantile_name(q) for q in qs), "max"]
    rows: list[list[Cell]] = []
    for channel in report.corrected:
        rise = channel.kinds.get(Kind.RISE)
        if rise is None:
            continue
        edge = f"edge ± {channel.edge_rms_ps:.0f} ps" if channel.edge_rms_ps is not None else ""
        row: list[Cell] = [(channel.name, edge), (grouped(len(rise.values_ps)), "")]
        row += [(picoseconds(value), "") for value in (rise.mean_ps, rise.rms_ps)]
        row += [(_variance(rise.variance_ps2), ""), (picoseconds(rise.min_ps), "")]
        for q in qs:
            found = rise.quantile(q)
            row.append((NOTHING, "") if found is None else _quantile(found))
        rows.append([*row, (picoseconds(rise.max_ps), "")])
    return head, rows


def calibration_lines(report: Report) -> list[str]:
    """Return which calibration corrected the run, and the channels that it did not correct."""
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
    return lines


def picoseconds(value: float | Fraction) -> str:
    """Return ps as text: `850 ps`, `12.345 ns`, `1,234,567.890 ns`."""
    if abs(value) < _PS_PER_NS:
        return f"{float(value):.0f} ps"
    sign, whole = "-" if value < 0 else "", round(abs(value))
    return f"{sign}{grouped(whole // _PS_PER_NS)}.{whole % _PS_PER_NS:03} ns"


def _variance(ps2: Fraction) -> str:
    """Return a variance as text, in the square of its root's unit: `722,500 ps²`, `152.399 ns²`."""
    ns2 = float(ps2 / _PS_PER_NS**2)
    return f"{float(ps2):,.0f} ps²" if ns2 < 1 else f"{ns2:,.3f} ns²"


def _quantile(found: CorrectedQuantile) -> Cell:
    if not found.enough:
        return "too few", f"needs {grouped(least_count(found.q))}"
    return picoseconds(found.value_ps), ""
