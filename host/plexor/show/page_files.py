# SPDX-License-Identifier: Apache-2.0
"""What a page carries as files to save, by links that need neither a script nor a server."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from html import escape
from typing import Any

from plexor.show.export.csv import no_formula
from plexor.show.table import Cell

_TYPES = {"csv": "text/csv", "json": "application/json"}


def html_files(name: str, as_json: str, as_csv: str) -> str:
    """Return two buttons, each of which saves a text as a file: `name.json` and `name.csv`."""
    links = "".join(
        f'<a class="button" download="{escape(name)}.{suffix}" '
        f'href="data:{_TYPES[suffix]};base64,{_base64(text)}">{suffix.upper()}</a>'
        for suffix, text in (("csv", as_csv), ("json", as_json))
        if text
    )
    return f'<p class="files"><span>Save the data:</span>{links}</p>' if links else ""


def page_files(
    name: str,
    document: Mapping[str, Any] | None,
    table: tuple[Sequence[str], Sequence[Sequence[Cell]]],
) -> str:
    """Return the buttons of a page: its document as JSON, and its table as CSV.

    Without a document there is the table alone.
    """
    return html_files(name, "" if document is None else json_text(document), table_csv(table))


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def json_text(document: Mapping[str, Any]) -> str:
    """Return a document as JSON in one line."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def histogram_csv(data: Mapping[str, Any]) -> str:
    """Return the histograms of a run's channels, as its pictures have them; times in seconds.

    `data` is that of `run_data`. A row is one cell: `from_s` lies in it, `to_s` does not.
    """
    tick_s = Decimal(data["tick_fs"]).scaleb(-15)
    rows = [
        (no_formula(channel["name"]), _plain(low * tick_s), _plain((low + width) * tick_s), count)
        for channel in data["channels"]
        for low, width, count in _cells(*channel["rise"])
    ]
    return _csv(("channel", "from_s", "to_s", "responses"), rows)


def table_csv(table: tuple[Sequence[str], Sequence[Sequence[Cell]]]) -> str:
    """Return a table of a page as CSV: texts with their notes behind them."""
    head, rows = table
    return _csv(
        head,
        (
            [
                _cell(text if place else no_formula(text), note)
                for place, (text, note) in enumerate(row)
            ]
            for row in rows
        ),
    )


def _cell(text: str, note: str) -> str:
    return f"{text} ({note})" if note else text


def _cells(
    low: Sequence[int], widths: Sequence[int], counts: Sequence[int]
) -> Iterable[tuple[int, int, int]]:
    return zip(low, widths or [1] * len(low), counts, strict=True)


def _plain(seconds: Decimal) -> str:
    return f"{seconds.normalize():f}"


def _csv(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()
