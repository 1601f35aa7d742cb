# SPDX-License-Identifier: Apache-2.0
"""Systems side by side, idle and loaded, beside a published study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from plexor.library.load import load, load_run
from plexor.library.parts.files import to_json
from plexor.library.parts.results import SweepResult
from plexor.library.run import Run
from plexor.library.scans.sweep import Sweep
from plexor.library.specs.spec import takes
from plexor.library.specs.values import path_of
from plexor_lab.study.reference import SOURCE, STATEMENTS
from plexor_lab.study.spec import Jitter, TableSpec
from plexor_lab.study.systems import (
    Inequality,
    LoadChange,
    SystemRow,
    Systems,
    changes,
    guideline,
    inequalities,
)
from plexor_lab.study.text import systems_text

SCHEMA = "plexor.table/1"
Source = str | Path | Run | Sweep


@dataclass(frozen=True, slots=True)
class Table:
    """Latency, jitter and saturation frequency of systems, idle and loaded."""

    rows: tuple[SystemRow, ...]
    changes: tuple[LoadChange, ...]
    """How loads change saturation frequencies."""
    inequalities: tuple[Inequality, ...]
    """Whether each task's jitter under load is smaller than others."""
    sweeps: tuple[tuple[str, SweepResult], ...]
    jitter: Jitter
    reference: bool
    """Whether it shows what a published study says."""
    interval_s: Fraction | None

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return systems_text(
            self.rows,
            self.changes,
            self.inequalities,
            self.sweeps,
            self.jitter,
            reference=self.reference,
            interval_s=self.interval_s,
            width=width,
            colour=colour,
        )

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor lab table --json` prints."""
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "jitter": self.jitter.value,
            "rows": to_json(self.rows),
            "changes": to_json(self.changes),
            "inequalities": [
                {**to_json(inequality), "holds": inequality.holds}
                for inequality in self.inequalities
            ],
        }
        if self.reference:
            document["reference"] = {"source": SOURCE, "statements": to_json(STATEMENTS)}
        if self.interval_s is not None:
            document["advice"] = guideline(self.interval_s)
        return document


@takes(TableSpec)
def table(sources: Iterable[Source], options: TableSpec) -> Table:
    """Put systems side by side: latency, jitter and saturation frequency, idle and loaded.

    `sources` are runs and sweeps, or their paths. Latency and jitter come from the run, or from the
    lowest rate of the sweep if there is no run. `jitter` is `jitter128`, `peak-to-peak` or `rms`.
    `reference` adds what a published study says. `interval` adds its advice for a system that must
    react at this interval.

    Raises UsageError for a system without a name and for a cell that is given twice,
    InvalidRunError for a run that proves nothing, and StoreError for a path without a readable
    result.
    """
    systems = Systems(options.jitter)
    sweeps: list[tuple[str, SweepResult]] = []
    for name, result in _results(sources):
        if isinstance(result, Run):
            systems.add_run(name, result.report)
        else:
            systems.add_sweep(name, result)
            sweeps.append((name, result))
    rows = systems.rows()
    return Table(
        rows,
        changes(rows),
        inequalities(rows),
        tuple(sweeps),
        options.jitter,
        options.reference,
        options.interval,
    )


def _results(sources: Iterable[Source]) -> Sequence[tuple[str, Run | SweepResult]]:
    """Return runs and sweeps with their paths, or with their numbers from 1 on."""
    results: list[tuple[str, Run | SweepResult]] = []
    for number, source in enumerate(sources, 1):
        if isinstance(source, Run):
            results.append((f"run {number}", source))
        elif isinstance(source, Sweep):
            results.append((f"sweep {number}", source.result))
        else:
            loaded = load(source)
            results.append(
                (
                    str(source),
                    loaded.result if isinstance(loaded, Sweep) else load_run(path_of(source)),
                )
            )
    return results
