# SPDX-License-Identifier: Apache-2.0
"""Merging files of an archive: nothing is lost, torn or twice, wherever a process ends."""

import os
import time
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.files.archive import folder as files
from plexor.files.archive import merge as under_test
from plexor.files.archive.folder import MARK, holds, open_archive, put, segments
from plexor.files.archive.merge import MOST_LEVEL, merge
from plexor.files.archive.origin import Origin
from plexor.files.archive.record import record
from plexor.files.archive.schema import table

from .conftest import FAN_IN
from .planted import kept, planted

RUNS = 8
ROWS = 4
"""Kinds of a run's one channel."""


class KilledError(BaseException):
    """The end of a process, where it happens."""


@pytest.fixture(scope="module")
def tables():
    """Return the tables of some runs by their identities."""
    found = {}
    for number in range(RUNS):
        one = record(analyse(planted(1000 + number, number)), Origin())
        found[one.run] = table(one)
    return found


def read(folder):
    """Return the runs of an archive with the number of files that each is in, by another reader."""
    found = Counter()
    for path in folder.glob("*.parquet"):
        runs = Counter(pq.read_table(path).column("run").to_pylist())
        assert set(runs.values()) == {ROWS}, "a run is torn, or twice in a file"
        found.update(runs.keys())
    return found


def test_a_full_level_becomes_one_file_of_the_next(tmp_path):
    names = kept(tmp_path, *(planted(1000 + n, n) for n in range(FAN_IN)))
    (one,) = segments(tmp_path)
    assert (one.level, one.first, one.last) == (1, names[0][:15], names[-1][:15])
    assert read(tmp_path) == Counter(names)
    rows = pq.read_table(tmp_path / one.name)
    assert rows.column("run").to_pylist() == sorted(rows.column("run").to_pylist())
    kinds = rows.filter(pa.compute.equal(rows.column("run"), names[0])).column("kind").to_pylist()
    assert kinds == ["rise", "fall", "width", "period"]


def test_levels_grow_and_the_highest_stays_as_it_is(tmp_path, tables, monkeypatch):
    monkeypatch.setattr(under_test, "FAN_IN", 2)
    open_archive(tmp_path)
    for name, rows in tables.items():
        put(tmp_path, name, rows)
        merge(tmp_path)
        merge(tmp_path)
    levels = [each.level for each in segments(tmp_path)]
    assert levels == [MOST_LEVEL] * (RUNS // 4)
    assert read(tmp_path) == Counter(tables.keys())


def add_all(folder, tables):
    open_archive(folder)
    for name, rows in tables.items():
        put(folder, name, rows)


def calls(monkeypatch, hook):
    """Have `hook` called at each read, write and removal of a merge, with its number."""
    count = [0]
    write, unlink, reading = files.write, Path.unlink, files.reading

    def step(name):
        count[0] += 1
        hook(count[0], name)

    def stepped(name, work):
        def wrapped(path, *arguments, **options):
            if name != "unlink" or path.suffix == ".parquet":
                step(name)
            return work(path, *arguments, **options)

        return wrapped

    monkeypatch.setattr(under_test, "write", stepped("write", write))
    monkeypatch.setattr(under_test, "reading", stepped("read", reading))
    monkeypatch.setattr(Path, "unlink", stepped("unlink", unlink))
    return count


def test_a_merge_may_end_anywhere(tmp_path, tables, monkeypatch):
    some = dict(list(tables.items())[:FAN_IN])
    steps = 2 * FAN_IN + 1
    for last in range(1, steps + 2):
        folder = tmp_path / str(last)
        add_all(folder, some)
        with monkeypatch.context() as patch:

            def end(number, name, last=last):
                if number == last:
                    raise KilledError

            calls(patch, end)
            if last <= steps:
                with pytest.raises(KilledError):
                    merge(folder)
            else:
                merge(folder)
        assert set(read(folder)) == set(some)
        assert all(holds(folder, name) for name in some)
        # The next process merges what is left, once the claim is old.
        monkeypatch.setattr(under_test, "STALE_S", -1.0)
        add_all(folder, tables)
        merge(folder)
        merge(folder)
        assert set(read(folder)) == set(tables)


def test_another_process_may_add_and_merge_at_any_moment_of_a_merge(tmp_path, tables, monkeypatch):
    monkeypatch.setattr(under_test, "STALE_S", -1.0)
    names = list(tables)
    first, later = names[:FAN_IN], names[FAN_IN:]
    for at in range(1, 2 * FAN_IN + 2):
        folder = tmp_path / str(at)
        add_all(folder, {name: tables[name] for name in first})
        with monkeypatch.context() as patch:
            within = []

            def other(number, name, at=at, folder=folder, within=within):
                if number == at and not within:
                    within.append(name)
                    assert set(read(folder)) == set(first)
                    for each in later:
                        put(folder, each, tables[each])
                        merge(folder)

            calls(patch, other)
            merge(folder)
        assert within
        assert set(read(folder)) == set(tables)
        # What two processes have merged is in two files, for some time: readers take it once.
        assert max(read(folder).values()) <= 2


def test_of_two_processes_one_merges(tmp_path, tables):
    add_all(tmp_path, tables)
    (tmp_path / ".merging").touch()
    merge(tmp_path)
    assert {each.level for each in segments(tmp_path)} == {0}
    (tmp_path / ".merging").unlink()
    merge(tmp_path)
    assert {each.level for each in segments(tmp_path)} == {1}
    assert sorted(os.listdir(tmp_path)) == sorted([MARK, segments(tmp_path)[0].name])


def test_a_claim_of_a_process_that_ended_holds_for_seconds_only(tmp_path, tables):
    add_all(tmp_path, tables)
    claim = tmp_path / ".merging"
    claim.touch()
    long_ago = time.time() - under_test.STALE_S - 1
    os.utime(claim, (long_ago, long_ago))
    merge(tmp_path)
    assert {each.level for each in segments(tmp_path)} == {1}
    assert not claim.exists()


def test_what_a_killed_writer_began_is_removed_after_a_day(tmp_path, tables):
    add_all(tmp_path, tables)
    old, new = tmp_path / ".a.part", tmp_path / ".b.part"
    for path, age_s in ((old, 90_000), (new, 80_000)):
        path.touch()
        os.utime(path, (time.time() - age_s, time.time() - age_s))
    merge(tmp_path)
    assert not old.exists()
    assert new.exists()


def test_what_a_killed_writer_began_may_be_gone_by_then(tmp_path, tables, monkeypatch):
    """Another process that merges removes it, too."""
    add_all(tmp_path, tables)
    left = tmp_path / ".a.part"
    left.touch()
    age_s = under_test._age_s

    def seen(path):
        if path != left:
            return age_s(path)
        left.unlink()
        return 2 * under_test.LEFT_S

    monkeypatch.setattr(under_test, "_age_s", seen)
    merge(tmp_path)
    assert not left.exists()


def test_files_of_an_earlier_version_have_columns_that_are_not_known(tmp_path, tables):
    names = list(tables)[:FAN_IN]
    add_all(tmp_path, {name: tables[name] for name in names})
    oldest = segments(tmp_path)[0]
    rows = pq.read_table(tmp_path / oldest.name).drop_columns(["p99_ticks"])
    pq.write_table(rows, tmp_path / oldest.name)
    merge(tmp_path)
    (merged,) = segments(tmp_path)
    found = pq.read_table(tmp_path / merged.name)
    assert found.column("p99_ticks").null_count == ROWS
    assert read(tmp_path) == Counter(names)


def test_a_damaged_file_is_set_aside_by_its_name_and_the_others_are_merged(
    tmp_path, tables, caplog
):
    add_all(tmp_path, tables)
    broken = segments(tmp_path)[1]
    (tmp_path / broken.name).write_bytes(b"PAR1")
    merge(tmp_path)
    assert (tmp_path / f"{broken.name}.damaged").read_bytes() == b"PAR1"
    assert f"{tmp_path / broken.name}: damaged: " in caplog.text
    assert read(tmp_path) == Counter([run for run in tables if files.of_run(run) != broken])
    assert [each.level for each in segments(tmp_path)] == [1]
    assert not (tmp_path / ".merging").exists()
