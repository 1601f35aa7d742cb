# SPDX-License-Identifier: Apache-2.0
"""Events as CSV (RFC 4180), with leading lines of `# name: text` about the run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

from plexor.show.export.about import about
from plexor.show.export.rows import rows
from plexor.show.export.source import ExportSource, distinct
from plexor.show.export.target import needed

_FS_DIGITS = 15
_TICKS_DIGITS, _UNIT_DIGITS = 19, 10
"""Digits of the greatest time, and of the longest tick in femtoseconds."""


def write_csv(source: ExportSource, path: Path, name: Path) -> None:
    """Write a row for each event to `path`, times as exact decimals of seconds.

    Raises UsageError, with `name`, if the run kept no events.
    """
    events = source.events(name)
    pa = needed("pyarrow", "pyarrow", name)
    csv = needed("pyarrow.csv", "pyarrow", name)
    text_of = _Texts(pa, needed("pyarrow.compute", "pyarrow", name), source.result.tick_fs)
    batches = map(text_of.batch, rows(source, events, pa, _plain))
    first = next(batches)
    with path.open("wb") as file:
        for key, text in about(source).items():
            file.write(f"# {_remark(f'{key}: {text}')}\n".encode())
        file.write(f"{','.join(first.schema.names)}\n".encode())
        options = csv.WriteOptions(include_header=False, quoting_style="none")
        with csv.CSVWriter(file, first.schema, write_options=options) as writer:
            for batch in chain([first], batches):
                writer.write_batch(batch)


class _Texts:
    """Columns of numbers as texts, by `pa` (pyarrow) and `pc` (pyarrow.compute)."""

    def __init__(self, pa: Any, pc: Any, tick_fs: int) -> None:
        self.pa, self.pc = pa, pc
        self.digits = _FS_DIGITS
        while not tick_fs % 10:
            tick_fs, self.digits = tick_fs // 10, self.digits - 1
        self.unit = pa.scalar(Decimal(tick_fs), pa.decimal128(_UNIT_DIGITS, 0))

    def batch(self, columns: Mapping[str, Any]) -> Any:
        """Return the columns with ticks as seconds."""
        arrays: list[Any] = []
        for key, column in columns.items():
            if key.endswith("_ticks"):
                arrays.append(self._seconds(column))
            elif self.pa.types.is_dictionary(column.type):
                arrays.append(column.cast(self.pa.string()))
            else:
                arrays.append(column)
        return self.pa.record_batch(arrays, [key.replace("_ticks", "_s") for key in columns])

    def _seconds(self, ticks: Any) -> Any:
        pa, pc, digits = self.pa, self.pc, self.digits
        scaled = pc.multiply(pc.abs(ticks).cast(pa.decimal128(_TICKS_DIGITS, 0)), self.unit)
        text = pc.utf8_lpad(scaled.cast(pa.string()), digits + 1, "0")
        sign = pc.if_else(pc.less(ticks, 0), "-", "")
        above = pc.utf8_slice_codeunits(text, 0, -digits)
        below = pc.utf8_slice_codeunits(text, -digits)
        signed = pc.binary_join_element_wise(sign, above, "")
        return pc.binary_join_element_wise(signed, below, ".")


def _plain(names: list[str]) -> list[str]:
    """Return distinct names that need no quotes and begin neither a comment nor a formula."""
    return distinct([re.sub(r'[",;#\r\n]', "_", no_formula(name)) for name in names])


def no_formula(name: str) -> str:
    """Return a name that no spreadsheet takes for a formula."""
    return re.sub(r"^\s*[=+@-]", "_", name)


def _remark(text: str) -> str:
    """Return a text as one line, without quotes, and without formulas at the start of its cells."""
    line = " ".join(text.split()).replace('"', "'")
    return re.sub(r"([,;]\s*)(?=[=+@-])", r"\1'", line)
