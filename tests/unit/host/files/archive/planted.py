# SPDX-License-Identifier: Apache-2.0
"""Runs of a device whose latencies are planted, and archives of them."""

import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pyarrow as pa

from plexor.figures.analyse.analyse import analyse
from plexor.files.archive.folder import Segment, open_archive, put, write
from plexor.files.archive.merge import merge
from plexor.files.archive.origin import Origin
from plexor.files.archive.record import record, time_part
from plexor.files.archive.schema import table

from ...conftest import make_run

BEGAN = datetime(2026, 11, 1, 8, 0, tzinfo=UTC)
SAMPLES = 400
"""Strikes of a run: enough for a p99."""


def latencies(level, most=None):
    """Return latencies of median `level`, p99 `level` + 4 and maximum `most`, or `level` + 9."""
    tail = [level + 4] * 5 + [level + 9 if most is None else most]
    return [level] * (SAMPLES - len(tail)) + tail


def planted(level, number=0, *, names=("ISR",), most=None, minutes=10, **other):
    """Return run `number` of a device that answers after `level` ticks, without its events."""
    began = BEGAN + timedelta(minutes=minutes * number)
    values = [latencies(level + 1000 * n, most) for n in range(len(names))]
    fields = {"started": began.isoformat(), "keep_events": False} | other
    return make_run(values, names=list(names), **fields)


def kept(folder, *runs, origins=()):
    """Add runs to an archive; return their identities."""
    open_archive(folder)
    found = []
    for number, run in enumerate(runs):
        origin = origins[number] if number < len(origins) else Origin()
        one = record(analyse(run), origin)
        assert put(folder, one.run, table(one))
        merge(folder)
        found.append(one.run)
    return found


def history(folder, levels, *, of=None, first=0, origin=None, **other):
    """Put runs with these p99 into an archive as one file, as if they had been merged.

    Run n begins 10 minutes after the one before. `origin` gives that of a run by its number; by
    default five runs are of the same commit. `of` is the run that they are like, and `other` are
    entries of their records. Returns their identities.
    """
    origin = origin or (lambda n: commit(n // 5))
    open_archive(folder)
    one = record(analyse(planted(1000) if of is None else of), Origin())
    records = []
    for n, level in enumerate(levels, first):
        began = BEGAN + timedelta(minutes=10 * n)
        digest = sha256(f"{n} {level} {other} {one.run}".encode()).hexdigest()[:20]
        rows = tuple(
            replace(row, percentiles={**row.percentiles, "p99": level}, max_ticks=(level or 0) + 50)
            for row in one.rows
        )
        changed = {"rows": rows, "started": began, "origin": origin(n)} | other
        records.append(replace(one, run=f"{time_part(began)}-{digest}", **changed))
    tables = pa.concat_tables([table(each) for each in records])
    ends = [each.run[:15] for each in (records[0], records[-1])]
    name = Segment(1, *ends, sha256(repr(records).encode()).hexdigest()[:20]).name
    write(folder / name, tables)
    return [each.run for each in records]


def loaded(run):
    """Return the same run under load."""
    return replace(run, settings=replace(run.settings, load=True))


def commit(number):
    """Return a commit's name, as long as git's."""
    return Origin(f"{number:03x}".ljust(40, "a"), "main", False)


def git(folder, *arguments):
    """Have git do something in a folder; return what it prints."""
    own = ("-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", "-C", str(folder), *own, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()
