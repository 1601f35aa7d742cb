"""The late answers of a run: in which clusters they lie, and how each cluster recurs. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plexor.analyse.analyse import differences, samples_of
from plexor.analyse.rules import has_rules, is_complete
from plexor.explain.clusters import Cluster, Tail, tail_of
from plexor.explain.recurrence import Recurrence, recurrence
from plexor.model.results import ChannelResult, RunResult


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A cluster of late answers, and how they recur."""

    cluster: Cluster
    recurrence: Recurrence


@dataclass(frozen=True, slots=True, eq=False)
class Explained:
    """The late answers of one channel."""

    name: str
    tail: Tail | None
    """None: they are not known, for the reason in `missing`."""
    groups: tuple[Group, ...] = ()
    missing: str = ""


def why(result: RunResult, over_ticks: int | None = None) -> tuple[Explained, ...]:
    """Explain the late answers of each channel that answers strikes.

    Late are those above `over_ticks`, or if it is None those beyond a gap above the median.
    """
    return tuple(
        _explained(result, channel, over_ticks) for channel in result.answering if channel.strikes
    )


def _explained(result: RunResult, channel: ChannelResult, over_ticks: int | None) -> Explained:
    if result.events is None:
        return Explained(channel.name, None, missing="the run kept no events")
    if not is_complete(result, channel):
        return Explained(channel.name, None, missing="some of its events were lost")
    samples = samples_of(result, channel)
    if has_rules(result) and differences(channel, samples):
        return Explained(channel.name, None, missing="events and results of the chip disagree")
    order = np.argsort(samples.rise.start_ticks, kind="stable")
    tail = tail_of(samples.rise.value_ticks[order], over_ticks)
    times = samples.rise.start_ticks[order]
    groups = tuple(Group(each, recurrence(each.places, times)) for each in tail.clusters)
    return Explained(channel.name, tail, groups)
