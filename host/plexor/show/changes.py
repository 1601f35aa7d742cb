# SPDX-License-Identifier: Apache-2.0
"""What changed from the first result to another: a sentence, and tiles, a channel each."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import PurePath

from plexor.base.short_names import short_names
from plexor.figures.judge.compare import SATURATION, WITHOUT_LAW, Difference, OpenEnd
from plexor.show.table import NOTHING
from plexor.show.terminal.compare import bounded_text, difference_text, interval_text
from plexor.show.tiles import ChannelTiles, Tile

QUANTILES = ("p99", "p90", "p50")
"""The first of these that both results have is told in the sentence and the first tile."""
_TOLD = (*QUANTILES, "mean", SATURATION, "max", "missed")
"""Figures in the order in which they are looked for, where there is no percentile."""
_TILES = 3
_MOST_ROWS = 16
_LARGE = 2
"""Ratio from which on a change is told as a factor."""


def names_of(letters: Sequence[str], places: Sequence[str]) -> list[str]:
    """Return a short name of each result: that of its folder, or its letter if it has none."""
    paths = [
        PurePath(place if _is_path(place) else letter)
        for letter, place in zip(letters, places, strict=True)
    ]
    names = short_names(paths)
    return names if len(set(names)) == len(names) and all(names) else list(letters)


def _is_path(place: str) -> bool:
    return " " not in place and len(place) > 0


def sentences(found: Sequence[Difference], names: dict[str, str]) -> list[str]:
    """Return a sentence for each channel and each other result, by the names of the results.

    `ISR: loaded is 2.9 times idle at p99, 95 % between 2.7 and 3.1.` `names` are by letter.
    """
    told: list[str] = []
    for (side, channel), entries in _by_channel(found).items():
        entry = first_figure(entries)
        if entry is not None:
            before, after = names["A"], names[side or "B"]
            told.append(f"{channel}: {_sentence(entry, before, after)}")
    return told


def first_figure(entries: Sequence[Difference]) -> Difference | None:
    """Return the figure that a sentence tells: the highest percentile that both results have."""
    by_name = {entry.figure: entry for entry in entries}
    known = [entry for name in _TOLD if (entry := by_name.get(name)) is not None]
    return next((entry for entry in known if entry.ratio is not None), next(iter(known), None))


def _sentence(entry: Difference, before: str, after: str) -> str:
    figure = f"at {entry.word}"
    if entry.ratio is None:
        values = (
            bounded_text(entry, value, bound)
            for value, bound in (
                (entry.before, entry.before_bound),
                (entry.after, entry.after_bound),
            )
        )
        return f"{before} has {next(values)} {figure}, {after} has {next(values)}."
    least, most = entry.ratio_interval.least, entry.ratio_interval.most
    factor, behind = factor_text(entry.ratio), ""
    if least is not None and most is not None:
        one = Fraction(1)
        low, high = factor_text(least, (most, one)), factor_text(most, (least, one))
        factor = _within(entry.ratio, factor, low, high)
        behind = f", 95 % between {low} and {high}"
        if entry.ratio == 1:
            behind = "" if low == high else f"{behind} times"
        elif least <= 1 <= most:
            behind = f", which may be no change{behind}"
    if entry.ratio == 1:
        return f"no difference seen between {after} and {before} {figure}{behind}."
    return f"{after} is {factor} times {before} {figure}{behind}."


def _within(ratio: Fraction, text: str, low: str, high: str) -> str:
    """Return a ratio's text, to the digit at which it lies between both as they are shown."""
    texts = (text, *(f"{float(ratio):.{digits}f}" for digits in range(1, 6)))
    return next((each for each in texts if float(low) <= float(each) <= float(high)), text)


def factor_text(ratio: Fraction, apart: Sequence[Fraction] = (Fraction(1),)) -> str:
    """Return a ratio as text, to the digit that tells it from each value of `apart`: `2.9`."""
    value = float(ratio)
    first = 1 if value >= 1 else 2
    return next(
        (
            text
            for digits in range(first, 5)
            if all(
                float(text := f"{value:.{digits}f}") != float(f"{float(other):.{digits}f}")
                or other == ratio
                for other in apart
            )
        ),
        f"{value:.4f}",
    )


def change_tiles(found: Sequence[Difference], names: dict[str, str]) -> tuple[ChannelTiles, ...]:
    """Return tiles for each channel and each other result: what changed, with its interval.

    Of many channels the first are shown; the table has them all.
    """
    letters = list(names)
    rows: list[ChannelTiles] = []
    for (side, channel), entries in list(_by_channel(found).items())[:_MOST_ROWS]:
        letter = side or "B"
        note = f"{names[letter]} against {names['A']}"
        shown = tuple(_tile(entry, names["A"]) for entry in _shown(entries))
        rows.append(ChannelTiles(channel, note, letters.index(letter), shown))
    return tuple(rows)


def _shown(entries: Sequence[Difference]) -> list[Difference]:
    """Return the three figures of a channel that are shown first."""
    first = first_figure(entries)
    by_name = {entry.figure: entry for entry in entries}
    # Where nothing was missed, that is told by the share that was answered.
    classes = "missed" if "missed" in by_name else "answered"
    rest = [by_name[name] for name in ("max", classes) if name in by_name]
    rest += [entry for entry in entries if entry.figure not in (*QUANTILES, "min", "answered")]
    chosen = dict.fromkeys(entry for entry in (first, *rest) if entry is not None)
    return list(chosen)[:_TILES]


def _tile(entry: Difference, before: str) -> Tile:
    """Return one figure's change: what it is now, what it was, and the difference with 95 %."""
    now = _short(entry, entry.after, entry.after_bound)
    was = _short(entry, entry.before, entry.before_bound)
    interval = interval_text(entry)
    note = f"{before} {was}"
    if entry.law is not None and interval != NOTHING:
        note += f"; change, 95 %: {interval}"
    elif entry.figure in WITHOUT_LAW:
        note += "; of single samples, so without an interval"
    change = _change(entry)
    return Tile(entry.word, change or now, f"{now}, {note}" if change else note, _style(entry))


def _short(entry: Difference, value: Fraction | None, bound: OpenEnd | None) -> str:
    """Return a value; of a share no zeros behind its point."""
    if entry.unit == "share" and value is not None and bound is None:
        return f"{float(100 * value):.6g} %"
    return bounded_text(entry, value, bound)


def _change(entry: Difference) -> str:
    """Return a change as `+3.2 %`, a large one as `x13.6`; nothing for none, or if not known."""
    ratio = entry.ratio
    if not ratio or not entry.change:
        bounded = difference_text(entry)
        return bounded if bounded.startswith("at ") else ""
    if ratio >= _LARGE or ratio <= 1 / _LARGE:
        return f"x{factor_text(ratio)}"
    return f"{float(100 * entry.change):+.2g} %"


def _style(entry: Difference) -> str:
    """Return `bad` or `good` where a change is certain, by what is better of the figure."""
    least, most = entry.interval.least, entry.interval.most
    if least is not None and least > 0:
        return "good" if entry.figure == SATURATION else "bad"
    if most is not None and most < 0:
        return "bad" if entry.figure == SATURATION else "good"
    return ""


def _by_channel(found: Sequence[Difference]) -> dict[tuple[str, str], list[Difference]]:
    """Return the differences of each other result and channel, in the order of the table."""
    by: dict[tuple[str, str], list[Difference]] = {}
    for entry in found:
        channel = ": ".join(filter(None, (entry.result, entry.channel)))
        by.setdefault((entry.side, channel), []).append(entry)
    return by
