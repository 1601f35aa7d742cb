"""Why answers of a run were late: their clusters, and how each recurs."""

from __future__ import annotations

from typing import Any

from plexor.explain.recurrence import Law, Recurrence
from plexor.explain.why import Explained, Group, why
from plexor.model.results import RunResult

SCHEMA = "plexor.why/1"


class Why:
    """The late answers of a run, from `Run.why`."""

    def __init__(self, result: RunResult, over_ticks: int | None) -> None:
        self.result = result
        self.over_ticks = over_ticks
        """Latency above which an answer is late, in ticks; None: beyond a gap above the median."""
        self.channels: tuple[Explained, ...] = why(result, over_ticks)
        """Each channel that answers strikes."""

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        from plexor.render.terminal.why import why_text  # noqa: PLC0415

        return why_text(self.result, self.channels, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor why --json` prints."""
        return {
            "schema": SCHEMA,
            "simulated": self.result.simulated,
            "valid": self.result.valid,
            "tick_fs": self.result.tick_fs,
            "over_ticks": self.over_ticks,
            "channels": [_channel(entry) for entry in self.channels],
        }


def _channel(entry: Explained) -> dict[str, Any]:
    if entry.tail is None:
        return {"name": entry.name, "missing": entry.missing}
    usual = entry.tail.usual_ticks
    return {
        "name": entry.name,
        "answers": entry.tail.count,
        "usual": entry.tail.usual,
        "usual_min_ticks": None if usual is None else usual[0],
        "usual_max_ticks": None if usual is None else usual[1],
        "clusters": [_group(group) for group in entry.groups],
    }


def _group(group: Group) -> dict[str, Any]:
    return {
        "answers": group.cluster.count,
        "min_ticks": group.cluster.low_ticks,
        "max_ticks": group.cluster.high_ticks,
        "recurrence": _recurrence(group.recurrence),
    }


def _recurrence(found: Recurrence) -> dict[str, Any]:
    entries: dict[str, Any] = {"law": found.law.value}
    if found.law == Law.COUNT:
        entries |= {"every": found.every, "exact": found.exact}
    if found.period_ticks is not None:
        entries["period_ticks"] = found.period_ticks
    return entries
