# SPDX-License-Identifier: Apache-2.0
"""`plexor lab table`: systems side by side, idle and loaded, beside a published study."""

from __future__ import annotations

from pathlib import Path

from plexor.cli.conclude import show
from plexor.cli.options import AsJson
from plexor_lab.study.spec import TableSpec
from plexor_lab.study.table import table as side_by_side


def table(paths: tuple[Path, ...], asked: TableSpec, shown: AsJson) -> None:
    """Print systems side by side."""
    show(side_by_side(paths, **asked.keywords()), shown.as_json)
