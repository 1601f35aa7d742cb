# SPDX-License-Identifier: Apache-2.0
"""Questions to an archive: the right runs, each once, and clear lines where there are none."""

import sys
from datetime import timedelta

import pyarrow.parquet as pq
import pytest

from plexor.base.errors import StoreError, UsageError
from plexor.files.archive.folder import Segment, open_archive, segments, write
from plexor.files.archive.merge import merge
from plexor.files.archive.query import Query, RunFilter, parse_where

from .planted import BEGAN, SAMPLES, commit, history, kept, loaded, planted


@pytest.fixture(scope="module")
def some(tmp_path_factory):
    """Return an archive of eight runs, in files of each level, and their identities."""
    folder = tmp_path_factory.mktemp("some") / "archive"
    names = kept(
        folder,
        planted(1000),
        planted(1000, 1, invalid_reasons=("a bin is full",)),
        planted(1000, 2, interrupted=True),
        loaded(planted(1000, 3)),
        origins=[commit(0), commit(1)],
    )
    return folder, names + history(folder, [1000] * 4, first=4)


def where(*texts):
    return [parse_where(text) for text in texts]


def test_runs_are_listed_newest_first(some):
    folder, names = some
    query = Query(folder)
    assert [each.run for each in query.runs()] == names[::-1]
    assert [each.run for each in query.runs(last=3)] == names[:-4:-1]
    assert query.count() == len(names)


def test_a_run_has_what_it_was_kept_with(some):
    folder, names = some
    found = {each.run: each for each in Query(folder).runs()}
    one = found[names[0]]
    assert one.started == BEGAN
    assert one.origin == commit(0)
    assert (one.simulated, one.valid, one.interrupted, one.invalid_reasons) == (
        *(True, True, False, ""),
    )
    assert (one.tick_fs, one.strikes) == (10**6, SAMPLES)
    assert one.configuration["rate"] == "20 kHz"
    assert found[names[1]].invalid_reasons == "a bin is full"
    assert found[names[2]].interrupted
    assert found[names[3]].started == BEGAN + timedelta(minutes=30)


@pytest.mark.parametrize(
    ("texts", "chosen"),
    [
        (["load=on"], [3]),
        (["load=none"], [0, 1, 2, 4, 5, 6, 7]),
        (["valid=no"], [1]),
        (["interrupted=yes"], [2]),
        (["valid=yes", "interrupted=no", "load=none"], [0, 4, 5, 6, 7]),
        ([f"commit={commit(1).commit}"], [1, 5, 6, 7]),
        (["commit=001a"], [1, 5, 6, 7]),
        (["branch=main"], [0, 1, 4, 5, 6, 7]),
        (["branch=mai"], []),
        (["rate=20 kHz"], list(range(8))),
        (["rate=20 kHz", "os=FreeRTOS 11.2.0", "load=on"], [3]),
        (["os=Zephyr"], []),
        (["dirty=no"], [0, 1, 4, 5, 6, 7]),
        (["dirty=yes"], []),
    ],
)
def test_runs_are_chosen_by_what_they_have(some, texts, chosen):
    folder, names = some
    query = Query(folder)
    assert [each.run for each in query.runs(where(*texts))] == [names[n] for n in chosen[::-1]]
    assert query.count(where(*texts)) == len(chosen)


def test_a_run_is_chosen_by_its_own_name(some):
    folder, names = some
    assert [each.run for each in Query(folder).runs([RunFilter("run", names[2])])] == [names[2]]


def test_a_key_that_no_run_has_is_an_error_with_those_that_they_have(some):
    with pytest.raises(UsageError, match="color=red: no run has this key; runs have board, branch"):
        Query(some[0]).runs(where("color=red"))


@pytest.mark.parametrize("text", ["", "valid", "=yes", "valid=maybe", "dirty="])
def test_a_choice_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="must be"):
        parse_where(text)


def test_a_value_is_never_part_of_a_question(some):
    hostile = "x') OR true --"
    assert Query(some[0]).runs([RunFilter("commit", hostile), RunFilter("load", hostile)]) == []


def test_a_run_that_is_in_two_files_counts_once(tmp_path):
    names = kept(tmp_path, planted(1000), planted(1001, 1))
    loose = [pq.read_table(tmp_path / each.name) for each in segments(tmp_path)]
    write(tmp_path / Segment(1, names[0][:15], names[0][:15], "0" * 20).name, loose[0])
    query = Query(tmp_path)
    assert query.count() == 2
    assert [each.run for each in query.runs()] == names[::-1]


def test_a_question_is_asked_of_what_is_there_now(tmp_path):
    kept(tmp_path, planted(1000))
    query = Query(tmp_path)
    assert query.count() == 1
    names = kept(tmp_path, planted(1001, 1), planted(1002, 2))
    assert [each.level for each in segments(tmp_path)] == [1]
    assert query.count() == 3
    assert query.runs(last=1)[0].run == names[-1]


def test_files_that_go_while_they_are_asked_are_looked_for_again(tmp_path, monkeypatch):
    kept(tmp_path, planted(1000), planted(1001, 1))
    query = Query(tmp_path)
    opened = query._open

    def gone_at_first(names):
        monkeypatch.setattr(query, "_open", opened)
        kept(tmp_path, planted(1002, 2))  # merges, and removes what was listed
        opened(names)

    monkeypatch.setattr(query, "_open", gone_at_first)
    assert query.count() == 3


def test_an_empty_archive_has_no_runs(tmp_path):
    open_archive(tmp_path)
    query = Query(tmp_path)
    assert (query.runs(), query.count()) == ([], 0)


def test_an_archive_of_one_damaged_file_has_no_run_and_says_so_in_one_line(tmp_path, caplog):
    kept(tmp_path, planted(1000))
    (only,) = segments(tmp_path)
    (tmp_path / only.name).write_bytes(b"PAR1 nothing PAR1")
    assert Query(tmp_path).runs() == []
    (told,) = caplog.messages
    assert only.name in told
    assert "\n" not in told


def test_a_file_of_other_columns_is_told_in_one_line(tmp_path):
    kept(tmp_path, planted(1000))
    (only,) = segments(tmp_path)
    table = pq.read_table(tmp_path / only.name).drop_columns(["configuration"])
    pq.write_table(table, tmp_path / only.name)
    with pytest.raises(StoreError, match=r"cannot read: .*configuration") as caught:
        Query(tmp_path).runs()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[1]", "{", '"text"', "[" * 5000])
def test_a_configuration_that_is_none_is_told_in_one_line(tmp_path, text):
    history(tmp_path, [1000] * 2)
    (only,) = segments(tmp_path)
    table = pq.read_table(tmp_path / only.name)
    place = table.column_names.index("configuration")
    table = table.set_column(place, "configuration", [[text] * table.num_rows])
    pq.write_table(table, tmp_path / only.name)
    with pytest.raises(StoreError, match="a configuration that is none"):
        Query(tmp_path).runs()


def test_without_duckdb_one_line_says_what_to_install(tmp_path, monkeypatch):
    open_archive(tmp_path)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UsageError, match=r"DuckDB is not installed.*pip install '\.\[archive\]'"):
        Query(tmp_path)


def test_adding_and_merging_need_no_duckdb(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    kept(tmp_path, *(planted(1000, n) for n in range(3)))
    merge(tmp_path)
    assert [each.level for each in segments(tmp_path)] == [1]


def test_a_folder_that_is_no_archive_cannot_be_asked(tmp_path):
    with pytest.raises(StoreError, match="holds no archive"):
        Query(tmp_path)
