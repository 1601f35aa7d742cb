# SPDX-License-Identifier: Apache-2.0
"""What a log and a trend say, in the same words on the terminal and on the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import PurePath

from plexor.base.counts import agreed, counted
from plexor.base.short_names import short_names
from plexor.base.units import format_seconds
from plexor.figures.judge.verdict import Outcome
from plexor.files.archive.changes import BEHIND, ERROR, LEAST
from plexor.files.archive.query import ArchivedRun
from plexor.files.archive.trend import Course, GroupedBy, Histories, History, LevelStep, Point
from plexor.model.results import Kind
from plexor.show.pictures.scale import grouped
from plexor.show.table import NOTHING, Cell


def percent(share: float) -> str:
    """Return a part as `0.1 %`."""
    return f"{share * 100:.3g} %"


DEVICE = "dut"
"""The entry of a configuration that names a simulated device."""
_SUFFIX = re.compile(r"\.toml(?=:|$)")
"""Where the path of a manifest ends, and a device's options begin."""
_MOST_NOTES = 3
"""Histories that are named one by one."""
METHOD = (
    "A change is marked where the ranks of the runs before it and after it differ more than in all "
    f"but {percent(ERROR)} of random orders. So a history that does not change is marked with a "
    f"probability of at most {percent(ERROR)}, whatever its law, if its runs are independent. A "
    f"change shows from {BEHIND} runs behind it on, and in {LEAST} runs or more. Runs of different "
    "configurations are different histories."
)


def started_text(started: datetime | None) -> str:
    """Return when a run began, to the minute, in UTC."""
    return NOTHING if started is None else f"{started:%Y-%m-%d %H:%M}"


def log_rows(runs: list[ArchivedRun]) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each run."""
    head = ["began, UTC", "run", "commit", "branch", "device", "load", "rate", "strikes", "state"]
    short = short_devices(run.configuration.get(DEVICE, "") for run in runs)
    return head, [_log_row(run, short) for run in runs]


def _log_row(run: ArchivedRun, short: Mapping[str, str]) -> list[Cell]:
    known = run.configuration
    texts = (
        started_text(run.started),
        short_name(run),
        Point(run.run, run.started, run.origin).commit or NOTHING,
        run.origin.branch or NOTHING,
        device_text(run, short),
        known.get("load", NOTHING),
        known.get("rate", NOTHING),
        grouped(run.strikes),
        state(run),
    )
    return [(text, "") for text in texts]


def short_name(run: ArchivedRun) -> str:
    """Return the part of a run's identity by which people tell it from others."""
    return run.run.rpartition("-")[2][:9]


def device_text(run: ArchivedRun, short: Mapping[str, str] | None = None) -> str:
    """Return what was measured: its system and its board, or the simulated device.

    `short` has the names of devices by what they are in full.
    """
    known = run.configuration
    system = " on ".join(filter(None, (known.get("os"), known.get("board"))))
    device = known.get(DEVICE, NOTHING)
    return system or (short or {}).get(device, device)


def short_devices(devices: Iterable[str]) -> dict[str, str]:
    """Return names that tell simulated devices apart: of a manifest no more folders than needed."""
    parted = {device: _SUFFIX.split(device, maxsplit=1) for device in dict.fromkeys(devices)}
    manifests = {
        device: parts for device, parts in parted.items() if parts[1:] and "=" not in parts[0]
    }
    names = short_names([PurePath(f"{path}.toml") for path, _ in manifests.values()])
    return {
        device: f"{name}{rest}"
        for (device, (_, rest)), name in zip(manifests.items(), names, strict=True)
    }


def key_word(key: str) -> str:
    """Return what people read for an entry of a configuration."""
    return "device" if key == DEVICE else key


def state(run: ArchivedRun) -> str:
    """Return whether a run is simulated, and whether it proves anything."""
    words = [run.source]
    words += ["interrupted"] * run.interrupted + ["INVALID"] * (not run.valid)
    return ", ".join(words)


def run_text(run: ArchivedRun) -> str:
    """Return a run in words."""
    texts = [f"{run.run}, begun {started_text(run.started)}"]
    commit = Point(run.run, run.started, run.origin).commit
    if commit:
        texts.append(f"commit {commit}")
    if run.origin.branch:
        texts.append(f"branch {run.origin.branch}")
    return ", ".join((*texts, state(run)))


def title(trend: Histories) -> str:
    """Return the heading of a trend."""
    names = " and ".join(course.figure.word for course in trend.histories[0].courses)
    of_kind = "" if trend.kind == Kind.RISE else f" of the {trend.kind}"
    return f"{names}{of_kind} of {trend.channel} by {trend.by}"


def source(known: Iterable[ArchivedRun | History]) -> str:
    """Return where the figures of runs or histories come from."""
    return " and ".join(sorted({each.source for each in known}))


def extent(trend: Histories) -> str:
    """Return how many runs a trend is of."""
    texts = [f"{counted(trend.runs, 'run')} in {counted(len(trend.histories), 'history')}"]
    older = sum(history.total - len(history.points) for history in trend.histories)
    if older:
        texts.append(f"{counted(older, 'older run')} not shown")
    if trend.left_out:
        texts.append(f"{grouped(trend.left_out)} left out, invalid or interrupted")
    return ", ".join(texts)


def label(trend: Histories, *histories: History) -> str:
    """Return what tells a history from the others; of several what these have in common."""
    known = [history.configuration for history in histories]
    keys = [key for key in trend.differing() if len({history.get(key) for history in known}) == 1]
    short = short_devices(each.configuration.get(DEVICE, "") for each in trend.histories)
    texts = {key: known[0].get(key, "unknown") for key in keys}
    return ", ".join(f"{key_word(key)} {short.get(text, text)}" for key, text in texts.items())


def value(course: Course, number: float) -> str:
    """Return a figure with its unit."""
    return format_seconds(number) if course.figure.unit == "s" else f"{number:.4%}"


def change(step: LevelStep) -> str:
    """Return by how much a history changed."""
    return "from 0" if step.change is None else f"{step.change * 100:+.1f} %"


def position_text(trend: Histories, history: History, step: LevelStep) -> str:
    """Return where a history changed."""
    point = history.points[step.place]
    if trend.by == GroupedBy.COMMIT and point.commit:
        return f"at {point.commit}"
    return f"from {started_text(point.started)}"


def step_text(trend: Histories, history: History, course: Course, step: LevelStep) -> str:
    """Return a change in a sentence."""
    name, point = label(trend, history), history.points[step.place]
    prefix = f"{name}: " if name else ""
    position = position_text(trend, history, step)
    on = f" ({started_text(point.started)})" if position.startswith("at") else ""
    return (
        f"{prefix}{course.figure.word} {change(step)} {position}{on}: "
        f"{value(course, step.before)} to {value(course, step.after)}, error {percent(step.error)}"
    )


def history_rows(trend: Histories) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each figure of each history."""
    head = ["history", "figure", "runs", "min", f"median of newest {BEHIND}", "max", "changes"]
    rows: list[list[Cell]] = []
    for number, history in enumerate(trend.histories, 1):
        name = label(trend, history) or str(number)
        for course in history.courses:
            known = course.values[course.known]
            shown = [NOTHING] * 3
            current = course.now
            if current is not None:
                shown = [value(course, float(v)) for v in (known.min(), current, known.max())]
            number_of = str(len(course.steps))
            verdict = course.verdict
            if verdict.outcome == Outcome.TOO_FEW:
                number_of += f"; {verdict.reason}, {verdict.settles}"
            texts = (name, course.figure.word, grouped(len(known)), *shown, number_of)
            rows.append([(text, "") for text in texts])
    return head, rows


def too_few(trend: Histories) -> list[str]:
    """Return a sentence for each figure that not all runs know."""
    notes: list[str] = []
    for place_of, course in enumerate(trend.histories[0].courses):
        unknown = sum(
            len(each.points) - len(each.courses[place_of].known) for each in trend.histories
        )
        if unknown:
            notes.append(
                f"{course.figure.word}: {counted(unknown, 'run')} "
                f"{agreed(unknown, 'has', 'have')} too few samples for it"
            )
    return notes


def undecided(trend: Histories) -> list[str]:
    """Return a sentence for each figure of a history of too few runs to tell; of many one."""
    if sum(any(own.needs is not None for own in each.courses) for each in trend.histories) > (
        _MOST_NOTES
    ):
        return _together(trend)
    notes: list[str] = []
    for history in trend.histories:
        name = label(trend, history)
        for course in history.courses:
            if course.needs is not None:
                since = " since its last change" if course.steps else ""
                notes.append(
                    f"{f'{name}: ' if name else ''}{course.figure.word}: too few runs to tell "
                    f"whether it changed{since}: {grouped(len(course.known))}, needs "
                    f"{grouped(course.needs)}"
                )
    return notes


def _together(trend: Histories) -> list[str]:
    """Return a sentence for each figure: how many histories have too few runs to tell."""
    notes: list[str] = []
    for courses in zip(*(history.courses for history in trend.histories), strict=True):
        few = [course for course in courses if course.needs is not None]
        if not few:
            continue
        have = _from_to([len(course.known) for course in few])
        needs = _from_to([course.needs for course in few if course.needs is not None])
        notes.append(
            f"{few[0].figure.word}: {grouped(len(few))} of {grouped(len(courses))} histories have "
            f"too few runs to tell whether they changed: {have}, needs {needs}"
        )
    return notes


def _from_to(numbers: list[int]) -> str:
    least, most = min(numbers), max(numbers)
    return grouped(most) if least == most else f"{grouped(least)} to {grouped(most)}"
