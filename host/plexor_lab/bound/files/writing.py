# SPDX-License-Identifier: Apache-2.0
"""Files of a bound, written: models, platforms and maps, as TOML or as CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from plexor_lab.bound.files.map_file import COLUMNS as MAP_COLUMNS
from plexor_lab.bound.files.map_file import MAP
from plexor_lab.bound.files.model_file import COLUMNS as MODEL_COLUMNS
from plexor_lab.bound.files.platform_file import COLUMNS as PLATFORM_COLUMNS
from plexor_lab.bound.files.platform_file import NS
from plexor_lab.bound.formula import decimals
from plexor_lab.bound.model import AccessKind, Model, Platform, RegionMap, column_name

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def model_text(model: Model, suffix: str, about: Sequence[str] = ()) -> str:
    """Return a model as a file whose name ends in .toml or .csv. `about` are remarks for TOML."""
    if suffix == ".csv":
        columns = dict.fromkeys(
            (count.region, count.access) for section in model.sections for count in section.counts
        )
        rows: list[list[object]] = []
        for section in model.sections:
            numbers = {(count.region, count.access): count.number for count in section.counts}
            blocking = "yes" if section.blocking else "no"
            row = [section.name, section.repetition, blocking]
            rows.append([*row, *(numbers.get(column, 0) for column in columns)])
        return _csv([*MODEL_COLUMNS, *(column_name(*column) for column in columns)], rows)
    return _toml(model.title, about, _sections(model))


def platform_text(platform: Platform, suffix: str, about: Sequence[str] = ()) -> str:
    """Return a platform as such a file."""
    times = platform.times_ns.items()
    if suffix == ".csv":
        rows = [
            (name, "" if kind == AccessKind.ANY else kind, _number(t)) for (name, kind), t in times
        ]
        return _csv(PLATFORM_COLUMNS, rows)
    lines = [f"{_column(region, kind)} = {_toml_number(time)}" for (region, kind), time in times]
    return _toml(platform.title, about, [f"[{NS}]", *lines])


def map_text(region_map: RegionMap, suffix: str) -> str:
    """Return a map as such a file."""
    if suffix == ".csv":
        return _csv(MAP_COLUMNS, region_map.regions.items())
    lines = [f"{_key(name)} = {json.dumps(region)}" for name, region in region_map.regions.items()]
    return _toml(None, (), [f"[{MAP}]", *lines])


def _sections(model: Model) -> Iterator[str]:
    for number, section in enumerate(model.sections):
        if number:
            yield ""
        yield f"[section.{_key(section.name)}]"
        repetition = str(section.repetition)
        yield f"repetition = {json.dumps(repetition) if section.repetition.of_n else repetition}"
        yield f"blocking = {json.dumps(section.blocking)}"
        for count in section.counts:
            yield f"{_column(count.region, count.access)} = {count.number}"


def _toml(title: str | None, about: Sequence[str], lines: Iterable[str]) -> str:
    head = [f"# {line}" for line in about]
    head += [] if title is None else [f"title = {json.dumps(title, ensure_ascii=False)}", ""]
    return "".join(f"{line}\n" for line in (*head, *lines))


def _column(region: str, access: AccessKind) -> str:
    return _key(region) if access == AccessKind.ANY else f"{_key(region)}.{access}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _number(time_ns: Fraction) -> str:
    digits = decimals(time_ns)
    if digits is None:
        return str(time_ns)
    whole_ns, fraction_ns = divmod(time_ns, 1)
    return f"{whole_ns}.{int(fraction_ns * 10**digits):0{digits}d}" if digits else str(whole_ns)


def _toml_number(time_ns: Fraction) -> str:
    return _number(time_ns) if decimals(time_ns) is not None else json.dumps(str(time_ns))


def _csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()
