# SPDX-License-Identifier: Apache-2.0
"""The figures of a schedule as a document: exact, as text where they are fractions. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plexor.library.parts.files import to_json
from plexor_lab.mixed.compare import Ratio, least_safe, ratio_of
from plexor_lab.mixed.model import MixedResult, Mode
from plexor_lab.mixed.summary import Summary, summary_of


def summaries(result: MixedResult) -> dict[str, Summary]:
    """Return the figures of each run, by its name."""
    return {run.name: summary_of(run, result.spike_sds) for run in result.runs}


def by_distance(result: MixedResult, found: Mapping[str, Summary]) -> dict[int, Summary]:
    """Return the figures of the runs in mode mixed, by their distances in steps."""
    return {
        run.distance_steps: found[run.name]
        for run in result.runs
        if run.mode is Mode.MIXED and run.distance_steps is not None
    }


def normal_to_mixed(result: MixedResult, found: Mapping[str, Summary]) -> tuple[int, Ratio] | None:
    """Return a distance, and the normal run's mean and variance as multiples of that run's.

    Of several distances it is the least that is safe, or else the greatest. None: one of the two
    modes is missing.
    """
    normal, distances = found.get(str(Mode.NORMAL)), by_distance(result, found)
    if normal is None or not distances:
        return None
    safe = least_safe(distances)
    distance = max(distances) if safe is None else safe
    return distance, ratio_of(distances[distance].moments, normal.moments)


def figures(result: MixedResult) -> dict[str, Any]:
    """Return the figures of all runs, made of JSON's types only."""
    found = summaries(result)
    ratio = normal_to_mixed(result, found)
    return {
        "runs": {name: to_json(summary) for name, summary in found.items()},
        "least_safe_steps": least_safe(by_distance(result, found)),
        "normal_to_mixed": None
        if ratio is None
        else {"distance_steps": ratio[0], **to_json(ratio[1])},
    }
