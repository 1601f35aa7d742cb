# SPDX-License-Identifier: Apache-2.0
"""A run of a log and trends for what shows them: made up, without an archive."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np

from plexor.files.archive.figures import parse_figure
from plexor.files.archive.origin import Origin
from plexor.files.archive.query import ArchivedRun
from plexor.files.archive.trend import Course, GroupedBy, Histories, History, LevelStep, Point
from plexor.model.results import Kind

from .planted import BEGAN

KEPT = ArchivedRun(
    run="20261101T080000-0123456789abcdef0123",
    started=datetime(2026, 11, 1, 8, 0, 30, tzinfo=UTC),
    origin=Origin("f" * 40, "main", True),
    simulated=True,
    valid=True,
    invalid_reasons="",
    interrupted=False,
    tick_fs=10**6,
    duration_ticks=10**9,
    strikes=12_000,
    configuration={"os": "FreeRTOS", "board": "VexRiscv", "load": "none", "rate": "20 kHz"},
)


def points(count, *, commits=True, first=0, minutes=10):
    return tuple(
        Point(
            f"run {n}",
            BEGAN + timedelta(minutes=minutes * n),
            Origin(f"{n // 5:03x}".ljust(40, "f"), "main", n % 5 == 4) if commits else Origin(),
        )
        for n in range(first, first + count)
    )


def course(figure, values, *steps):
    """Return a course whose steps are (place, error); medians are worked out here."""
    values = np.array(values, dtype=float)
    ends = [0, *(place for place, _ in steps), len(values)]
    parts = (values[a:b] for a, b in pairwise(ends))
    medians = [np.median(part[~np.isnan(part)]) for part in parts if steps]
    found = [
        LevelStep(place, float(medians[n]), float(medians[n + 1]), error)
        for n, (place, error) in enumerate(steps)
    ]
    return Course(parse_figure(figure), values, tuple(found))


def history(configuration, *courses, series="", simulated=True, total=None, **options):
    count = len(courses[0].values)
    own = points(count, **options)
    return History(configuration, series, simulated, own, total or count, courses)


def trend(*histories, by=GroupedBy.COMMIT, kind=Kind.RISE, left_out=0, channel="ISR"):
    return Histories(channel, kind, by, histories, left_out)


def level(microseconds, count, spread=0.01, seed=1):
    random = np.random.default_rng(seed)
    return (microseconds * 1e-6 * np.exp(random.normal(0, spread, count))).tolist()


STEPPED = course("p99", level(3.2, 30) + level(3.4, 20), (30, 0.001))
FLAT = course("max", level(9.0, 50, 0.3, 2))


def trends():
    """Return trends of every kind that must be shown, by name."""
    idle, busy = {"load": "none", "os": "FreeRTOS"}, {"load": "stress-ng", "os": "FreeRTOS"}
    many = course("p99", level(3, 1000), *((n, 0.002) for n in range(40, 1000, 40)))
    gaps = course("p99", [np.nan if n % 3 else v for n, v in enumerate(level(3.0, 30))])
    unknown = course("p99.9", [np.nan] * 30)
    missed = course("missed", [0.0] * 20 + [0.004] * 10, (20, 0.001))
    named = {"load": "x" * 60, "board": "a board of a name that is far too long for a legend"}
    return {
        "one history": trend(history(idle, STEPPED, FLAT)),
        "two loads by commit": trend(history(idle, STEPPED, FLAT), history(busy, FLAT, STEPPED)),
        "two loads by load": trend(
            history(idle, STEPPED, FLAT, series="none"),
            history(busy, FLAT, STEPPED, series="stress-ng"),
            by=GroupedBy.LOAD,
        ),
        "nine boards": trend(
            *(
                history(
                    {"board": f"board {n}"}, course("p99", level(2 + n, 12)), series=f"board {n}"
                )
                for n in range(9)
            ),
            by=GroupedBy.BOARD,
        ),
        "many changes": trend(history(idle, many, total=4000), left_out=3),
        "no commits": trend(history(idle, STEPPED, commits=False)),
        "days apart": trend(history(idle, STEPPED, minutes=1440), by=GroupedBy.LOAD),
        "one run": trend(history(idle, course("p99", [3e-6]))),
        "one run by load": trend(
            history(idle, course("p99", [3e-6]), series="none"), by=GroupedBy.LOAD
        ),
        "gaps": trend(history(idle, gaps, unknown)),
        "a share": trend(history(idle, missed)),
        "all the same": trend(history(idle, course("max", [1e-6] * 20))),
        "zeros": trend(history(idle, course("missed", [0.0] * 20))),
        "measured too": trend(
            history(idle, STEPPED), history(busy, STEPPED, simulated=False), left_out=1
        ),
        "long names": trend(
            history(named, STEPPED, series="b" * 80),
            history({**named, "os": "o" * 50}, STEPPED, series="b" * 81),
            by=GroupedBy.BOARD,
            channel="<a channel & its very long name>" * 3,
        ),
        "periods": trend(history(idle, course("mean", level(50, 12))), kind=Kind.PERIOD),
        "early": trend(history(idle, course("min", [-1e-6, 2e-6] * 10))),
    }


TRENDS = trends()
