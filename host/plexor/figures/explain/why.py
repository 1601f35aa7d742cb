# SPDX-License-Identifier: Apache-2.0
"""The late answers of a run: their clusters, and how each cluster recurs. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plexor.figures.analyse.analyse import samples_of
from plexor.figures.analyse.disagreements import differences
from plexor.figures.analyse.evidence import pairing_of
from plexor.figures.analyse.pairing import AMBIGUOUS
from plexor.figures.analyse.rules import has_rules, is_complete
from plexor.figures.codes.of_run import codes_of
from plexor.figures.explain.blame import Blame, Blamed, Chain
from plexor.figures.explain.clusters import Cluster, Tail, tail_of
from plexor.figures.explain.recurrence import Recurrence, recurrence
from plexor.model.results import ChannelResult, RunResult

MOST_CHAINS = 3


@dataclass(frozen=True, slots=True, eq=False)
class RecurringCluster:
    """A cluster of late answers, and how they recur."""

    cluster: Cluster
    recurrence: Recurrence


@dataclass(frozen=True, slots=True, eq=False)
class Explained:
    """The late answers of one channel."""

    name: str
    tail: Tail | None
    """None if they are not known; `missing` has the reason."""
    groups: tuple[RecurringCluster, ...] = ()
    missing: str = ""
    blamed: tuple[Blamed, ...] = ()
    """All answers by the code in force at their strikes; empty for a device without codes."""
    chains: tuple[Chain, ...] = ()
    """The answers with the longest latencies, longest first, with their codes."""


def explain_late(result: RunResult, over_ticks: int | None = None) -> tuple[Explained, ...]:
    """Explain the late answers of each channel that answers strikes.

    Answers above `over_ticks` are late; if it is None, those beyond a gap above the median.
    """
    blame = None
    if result.settings.codes is not None and result.events is not None:
        blame = Blame(codes_of(result)[1], result.events)
    return tuple(
        _explained(result, channel, over_ticks, blame)
        for channel in result.answering
        if channel.strikes
    )


def _explained(
    result: RunResult, channel: ChannelResult, over_ticks: int | None, blame: Blame | None
) -> Explained:
    if result.events is None:
        counted = _counted(result, channel)
        return Explained(channel.name, None, missing="the run kept no events", blamed=counted)
    if not is_complete(result, channel):
        return Explained(channel.name, None, missing="some of its events were lost")
    samples = samples_of(result, channel)
    if has_rules(result) and differences(channel, samples):
        return Explained(channel.name, None, missing="events and results of the chip disagree")
    pairing = pairing_of(result, channel, samples.rise)
    if pairing is not None and not pairing.known:
        return Explained(channel.name, None, missing=AMBIGUOUS)
    order = np.argsort(samples.rise.start_ticks, kind="stable")
    times, latencies = samples.rise.start_ticks[order], samples.rise.value_ticks[order]
    tail = tail_of(latencies, over_ticks)
    groups = tuple(
        RecurringCluster(cluster, recurrence(cluster.positions, times, latencies))
        for cluster in tail.clusters
    )
    if blame is None:
        return Explained(channel.name, tail, groups)
    positions = [group.cluster.positions for group in groups]
    late = np.sort(order[np.concatenate(positions)]) if positions else np.empty(0, np.int64)
    values, starts = samples.rise.value_ticks, samples.rise.start_ticks
    latest = late[np.argsort(-values[late], kind="stable")][:MOST_CHAINS]
    chains = tuple(blame.chain(int(starts[n]), int(values[n])) for n in latest)
    return Explained(
        channel.name, tail, groups, blamed=blame.by_code(samples.rise, late), chains=chains
    )


def _counted(result: RunResult, channel: ChannelResult) -> tuple[Blamed, ...]:
    """Return the answers by code as the chip counted them, those with the longest latency first."""
    tables = result.code_tables
    if tables is None or tables.channel != channel.number:
        return ()
    blamed = [
        Blamed(
            figures.code,
            figures.count,
            None,
            figures.min_ticks,
            figures.max_ticks,
            figures.sum_ticks,
        )
        for figures in tables.latencies
    ]
    return tuple(sorted(blamed, key=lambda code_blame: (-code_blame.max_ticks, code_blame.code)))
