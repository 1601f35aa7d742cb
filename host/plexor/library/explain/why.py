# SPDX-License-Identifier: Apache-2.0
"""Why answers of a run were late: their clusters, and how each recurs."""

from __future__ import annotations

from functools import partial
from typing import Any

from plexor.figures.codes.names import Names
from plexor.figures.explain.blame import NOT_KNOWN, Blamed
from plexor.figures.explain.recurrence import Recurrence
from plexor.figures.explain.why import Explained, RecurringCluster, explain_late
from plexor.model.results import RunResult
from plexor.show.explain_page import WhyView
from plexor.show.terminal.why import Says, code_text, why_text

SCHEMA = "plexor.why/1"


class Why:
    """The late answers of a run, from `Run.why`."""

    def __init__(self, result: RunResult, over_ticks: int | None) -> None:
        self.result = result
        self.over_ticks = over_ticks
        """Latency above which an answer is late, in ticks; None: beyond a gap above the median."""
        codes = result.settings.codes
        names = Names(() if codes is None else codes.names)
        bits = result.identity.geometry.code_bits if codes is None else codes.bits
        self._says: Says = partial(code_text, names, bits)
        self.channels: tuple[Explained, ...] = explain_late(result, over_ticks)
        """Each channel that answers strikes."""

    @property
    def view(self) -> WhyView:
        """What a page shows of it."""
        return WhyView(self.channels, self._says)

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return why_text(self.result, self.channels, self._says, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor explain --json` prints."""
        return {
            "schema": SCHEMA,
            "simulated": self.result.simulated,
            "valid": self.result.valid,
            "tick_fs": self.result.tick_fs,
            "over_ticks": self.over_ticks,
            "channels": [
                _channel(channel, self._says, self.result.start_ticks) for channel in self.channels
            ],
        }


def _channel(explained: Explained, says: Says, start_ticks: int) -> dict[str, Any]:
    if explained.tail is None:
        by_code = [_blamed(code_blame, says) for code_blame in explained.blamed]
        return {"name": explained.name, "missing": explained.missing, "by_code": by_code}
    usual = explained.tail.usual_ticks
    return {
        "name": explained.name,
        "answers": explained.tail.count,
        "usual": explained.tail.usual,
        "usual_min_ticks": None if usual is None else usual[0],
        "usual_max_ticks": None if usual is None else usual[1],
        "clusters": [_group(group) for group in explained.groups],
        "by_code": [_blamed(code_blame, says) for code_blame in explained.blamed],
        "latest": [
            {
                "strike_ticks": chain.strike_ticks - start_ticks,
                "latency_ticks": chain.latency_ticks,
                "code": _code(chain.code),
                "links": [
                    {
                        "from": "strike" if link.code is None else says(link.code),
                        "ticks": link.ticks,
                    }
                    for link in chain.links
                ],
            }
            for chain in explained.chains
        ],
    }


def _blamed(code_blame: Blamed, says: Says) -> dict[str, Any]:
    return {
        "code": _code(code_blame.code),
        "says": says(code_blame.code),
        "answers": code_blame.answers,
        "late": code_blame.late,
        "min_ticks": code_blame.min_ticks,
        "max_ticks": code_blame.max_ticks,
        "sum_ticks": code_blame.sum_ticks,
    }


def _code(code: int) -> int | None:
    return None if code == NOT_KNOWN else code


def _group(group: RecurringCluster) -> dict[str, Any]:
    return {
        "answers": group.cluster.count,
        "min_ticks": group.cluster.low_ticks,
        "max_ticks": group.cluster.high_ticks,
        "recurrence": _recurrence(group.recurrence),
    }


def _recurrence(recurrence: Recurrence) -> dict[str, Any]:
    document: dict[str, Any] = {"law": recurrence.law.value}
    if recurrence.every is not None:
        document |= {"every": recurrence.every, "exact": recurrence.exact}
    if recurrence.period_ticks is not None:
        document["period_ticks"] = recurrence.period_ticks
    if recurrence.error_ticks is not None:
        document["period_error_ticks"] = recurrence.error_ticks
    return document
