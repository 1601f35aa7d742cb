# SPDX-License-Identifier: Apache-2.0
"""Four processes add runs to one archive at once, and one is killed: nothing is lost or torn."""

from collections import Counter

import pyarrow.parquet as pq
import pytest
from tools import bench_archive

from plexor.library.archive import Archive

ROWS = 8
"""Kinds of a made-up run's two channels."""


def kept(folder):
    """Return the keys of the runs in an archive, by another reader; each run's rows are checked."""
    rows = {}
    for path in folder.glob("*.parquet"):
        table = pq.read_table(path, columns=["run", "versions", "channel", "kind", "max_ticks"])
        own = Counter(table.column("run").to_pylist())
        assert set(own.values()) == {ROWS}, f"{path.name}: a run is torn, or twice"
        for row in table.to_pylist():
            place = row["run"], row["channel"], row["kind"]
            assert rows.setdefault(place, row) == row
    return {run: row["versions"] for (run, _, _), row in rows.items()}


def check(folder, runs):
    """Have about so many runs added; return what writers said."""
    said = bench_archive.fill(folder, runs)
    found = kept(folder)
    for each in said:
        for entry in each:
            assert found.get(entry.run) == f'{{"planted": "{entry.key}"}}', "an addition is lost"
    # The killed writer may have added one more than it came to say.
    number = sum(map(len, said))
    assert len(found) in (number, number + 1)
    assert len(set(found.values())) == len(found), "a run is twice"
    assert len(said[-1]) < len(said[0])
    log = Archive(folder).log()
    assert log.total == len(found)
    assert {each.run for each in log.runs} == set(found)
    return said


@pytest.mark.parametrize("runs", [16, *(pytest.param(n, marks=pytest.mark.full) for n in (24, 56))])
def test_nothing_is_lost_torn_or_twice_although_a_writer_is_killed(tmp_path, runs):
    check(tmp_path, runs)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_ten_thousand_runs_are_added_as_fast_at_last_as_at_first_and_asked_in_a_second(tmp_path):
    figures = bench_archive.figures(tmp_path, check(tmp_path, 10_000))
    print(bench_archive.text(figures))
    assert figures.runs >= 10_000
    assert figures.last_add_cpu_s < 1.5 * figures.first_add_cpu_s
    assert max(figures.log_s, figures.trend_s, figures.last_good_s) <= 1
