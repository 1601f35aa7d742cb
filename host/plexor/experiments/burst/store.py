# SPDX-License-Identifier: Apache-2.0
"""The document of a burst scan, and what rejects one that contradicts itself."""

from __future__ import annotations

from collections.abc import Iterator

from plexor.base.documents import Document
from plexor.experiments.burst.model import BurstResult, SpacingLimit


def contradictions_of(result: BurstResult) -> Iterator[str]:
    """Yield each contradiction in a scan, and what would be right."""
    if result.limits and not result.tick_fs:
        yield f"tick_fs: {result.tick_fs}; must be above 0"
    if result.timeout_s > result.period_s:
        yield f"a time-out of {result.timeout_s} s; must be at most the period, {result.period_s} s"
    for limit in result.limits:
        yield from (f"{limit.channel!r} at {limit.spacing_s} s: {text}" for text in _of(limit))


def _of(limit: SpacingLimit) -> Iterator[str]:
    lengths = limit.lengths
    if lengths.passing > limit.most:
        yield f"{lengths.passing} passes; must be 0 to {limit.most}"
    if lengths.failing is not None and not lengths.passing < lengths.failing <= limit.most:
        yield f"fails at {lengths.failing}; must be above {lengths.passing}, at most {limit.most}"
    if any(length > limit.most for length in lengths.undecided):
        yield f"undecided at {lengths.undecided}; must be 1 to {limit.most}"


BURST = Document("burst", 1, BurstResult, contradictions_of)
