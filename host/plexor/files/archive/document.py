# SPDX-License-Identifier: Apache-2.0
"""A log and a trend as JSON documents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from plexor.files.archive.query import ArchivedRun
from plexor.files.archive.trend import Course, Histories, History

LOG_SCHEMA = "plexor.archive.log/1"
TREND_SCHEMA = "plexor.archive.trend/2"


def log_document(runs: Sequence[ArchivedRun], total: int) -> dict[str, Any]:
    """Return runs as `plexor archive log --json` prints them; `total` counts all runs."""
    return {"schema": LOG_SCHEMA, "total": total, "runs": [run_document(run) for run in runs]}


def run_document(run: ArchivedRun) -> dict[str, Any]:
    """Return one run."""
    return {
        "run": run.run,
        "started": _time(run.started),
        "commit": run.origin.commit,
        "branch": run.origin.branch,
        "dirty": run.origin.dirty,
        "simulated": run.simulated,
        "valid": run.valid,
        "invalid_reasons": run.invalid_reasons,
        "interrupted": run.interrupted,
        "tick_fs": run.tick_fs,
        "duration_ticks": run.duration_ticks,
        "strikes": run.strikes,
        "configuration": dict(run.configuration),
    }


def trend_document(trend: Histories) -> dict[str, Any]:
    """Return a trend as `plexor archive trend --json` prints it: times in seconds."""
    return {
        "schema": TREND_SCHEMA,
        "channel": trend.channel,
        "kind": trend.kind.value,
        "by": trend.by.value,
        "left_out": trend.left_out,
        "histories": [_history(history) for history in trend.histories],
    }


def _history(history: History) -> dict[str, Any]:
    return {
        "configuration": history.configuration,
        "simulated": history.simulated,
        "total": history.total,
        "runs": [
            {"run": p.run, "started": _time(p.started), "commit": p.origin.commit}
            for p in history.points
        ],
        "figures": {own.figure.name: _course(own) for own in history.courses},
    }


def _course(own: Course) -> dict[str, Any]:
    unknown = set(range(len(own.values))) - set(own.known.tolist())
    return {
        "unit": own.figure.unit,
        "values": [None if n in unknown else float(v) for n, v in enumerate(own.values)],
        "now": own.now,
        **own.verdict.document(),
        "needs": own.needs,
        "changes": [
            {
                "place": step.place,
                "before": step.before,
                "after": step.after,
                "change": step.change,
                "error": step.error,
            }
            for step in own.steps
        ],
    }


def _time(started: datetime | None) -> str | None:
    return None if started is None else started.isoformat()
