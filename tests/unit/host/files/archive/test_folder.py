# SPDX-License-Identifier: Apache-2.0
"""An archive's folder: what is in it, and what is not."""

import json
import os

import pyarrow.parquet as pq
import pytest

from plexor.base.disk import aside, atomic
from plexor.base.errors import StoreError
from plexor.figures.analyse.analyse import analyse
from plexor.files.archive import folder as under_test
from plexor.files.archive.folder import (
    MARK,
    Segment,
    check_archive,
    holds,
    of_run,
    open_archive,
    put,
    segment,
    segments,
)
from plexor.files.archive.origin import Origin
from plexor.files.archive.query import Query
from plexor.files.archive.record import record
from plexor.files.archive.schema import table

from .planted import kept, planted


def one_of(run):
    return record(analyse(run), Origin())


def test_a_run_that_is_added_is_there_whole(tmp_path):
    (name,) = kept(tmp_path, planted(1000, names=("ISR", "TASK")))
    (found,) = segments(tmp_path)
    assert found == of_run(name)
    assert pq.read_table(tmp_path / found.name).num_rows == 8
    assert holds(tmp_path, name)


def test_a_run_that_is_there_is_not_added_again(tmp_path):
    kept(tmp_path, planted(1000), planted(1001))
    again = one_of(planted(1000))
    before = sorted(os.listdir(tmp_path))
    assert put(tmp_path, again.run, table(again)) is False
    assert sorted(os.listdir(tmp_path)) == before


def test_a_run_is_found_in_a_file_of_many_whose_name_covers_its_time(tmp_path, monkeypatch):
    names = kept(tmp_path, *(planted(1000, number) for number in range(5)))
    assert [each.level for each in segments(tmp_path)] == [0, 0, 1]
    opened = []
    reading = under_test.reading
    monkeypatch.setattr(under_test, "reading", lambda path: opened.append(path) or reading(path))
    later = one_of(planted(1000, 50)).run
    assert not holds(tmp_path, later)
    assert opened == []
    within = one_of(planted(1001, 1)).run
    assert not holds(tmp_path, within)
    assert len(opened) == 1
    assert all(holds(tmp_path, name) for name in names)


def test_a_folder_becomes_an_archive_once_and_stays_one(tmp_path):
    folder = tmp_path / "a" / "b"
    open_archive(folder)
    text = (folder / MARK).read_text()
    open_archive(folder)
    assert json.loads(text)["schema"] == "plexor.archive-file/2"
    assert (folder / MARK).read_text() == text


def test_a_folder_of_other_files_does_not_become_one(tmp_path):
    (tmp_path / "main.c").touch()
    with pytest.raises(StoreError, match="holds no archive; name a new or an empty folder"):
        open_archive(tmp_path)
    assert os.listdir(tmp_path) == ["main.c"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            '{"format": 2}',
            "format 2; this host reads 1 to 2; read it with the version of Plexor tha",
        ),
        ("[]", "must be an object; there are no runs beside it: name another folder"),
        ("{", "not JSON .*; there are no runs beside it: name another folder"),
        ('{"format": 1, "archive": {"x": 1}}', "unknown; there are no runs beside it: name ano"),
    ],
)
def test_another_format_and_a_foreign_document_are_refused_in_one_line(tmp_path, text, why):
    (tmp_path / MARK).write_text(text)
    (tmp_path / "main.c").touch()
    for asked in (check_archive, open_archive):
        with pytest.raises(StoreError, match=f"{MARK}: cannot read: .*{why}") as caught:
            asked(tmp_path)
        assert "\n" not in str(caught.value)
    assert sorted(os.listdir(tmp_path)) == [MARK, "main.c"]


DAMAGE = [b"", b"\0" * 29, b'{"format": 1, "arch', b"[]", b'{"format": 1}', b'{"format": "x"}']


@pytest.mark.parametrize("content", DAMAGE)
def test_a_damaged_mark_beside_runs_is_kept_and_written_anew(tmp_path, content, caplog):
    (run,) = kept(tmp_path, planted(1000))
    whole_mark = (tmp_path / MARK).read_bytes()
    (tmp_path / MARK).write_bytes(content)
    for _ in range(2):
        assert [each.run for each in Query(tmp_path).runs()] == [run]
    assert (tmp_path / MARK).read_bytes() == whole_mark
    assert (tmp_path / f"{MARK}.damaged").read_bytes() == content
    (told,) = caplog.messages
    assert told.startswith(f"{tmp_path / MARK}: cannot read: ")
    assert told.endswith(f"; written anew, and kept as {MARK}.damaged")


def test_a_damaged_mark_of_an_archive_that_cannot_be_written_is_said(tmp_path, monkeypatch, caplog):
    (run,) = kept(tmp_path, planted(1000))
    (tmp_path / MARK).write_bytes(b"")

    def refused(one, two):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(aside.shutil, "copyfile", refused)
    assert [each.run for each in Query(tmp_path).runs()] == [run]
    (told,) = caplog.messages
    assert told.endswith("; the runs beside it are read")


def test_runs_without_a_mark_are_an_archive_and_get_one(tmp_path):
    (run,) = kept(tmp_path, planted(1000))
    (tmp_path / MARK).unlink()
    assert [each.run for each in Query(tmp_path).runs()] == [run]
    open_archive(tmp_path)
    assert (tmp_path / MARK).is_file()


def test_no_folder_is_no_archive(tmp_path):
    with pytest.raises(StoreError, match="gone: holds no archive; plexor archive add makes one"):
        check_archive(tmp_path / "gone")


def test_what_cannot_be_written_is_told_with_its_path(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"file/a.*: cannot write: Not a directory"):
        open_archive(tmp_path / "file" / "a")


def test_a_writer_that_fails_leaves_nothing(tmp_path, monkeypatch):
    open_archive(tmp_path)
    one = one_of(planted(1000))
    rows = table(one)

    def full(path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic, "sync", full)
    with pytest.raises(StoreError, match="cannot write: No space left on device"):
        put(tmp_path, one.run, rows)
    assert os.listdir(tmp_path) == [MARK]


def test_a_file_and_its_folder_are_on_the_disk_before_an_addition_ends(tmp_path, monkeypatch):
    open_archive(tmp_path)
    one = one_of(planted(1000))
    waited = []

    def keep(path):
        waited.append((path.suffix or "folder", segments(tmp_path) != []))

    monkeypatch.setattr(atomic, "sync", keep)
    put(tmp_path, one.run, table(one))
    assert waited == [(".part", False), ("folder", True)]


def test_files_of_other_names_are_not_read(tmp_path):
    kept(tmp_path, planted(1000))
    for name in ("notes.txt", "0-x.parquet", f".{segments(tmp_path)[0].name}.part"):
        (tmp_path / name).write_text("nothing")
    assert len(segments(tmp_path)) == 1


def test_a_name_says_what_a_file_holds():
    one = Segment(2, "20260101T000000", "20261231T235959", "0123456789abcdef0123")
    assert segment(one.name) == one
    assert segment(f"x{one.name}") is None


DAMAGE = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "no Parquet": lambda data: b"PAR1 nothing PAR1",
    "zeros within": lambda data: data[:4] + bytes(len(data) // 2) + data[4 + len(data) // 2 :],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_set_aside_and_named_and_the_rest_is_asked(tmp_path, damage, caplog):
    names = kept(tmp_path, *(planted(1000, number) for number in range(4)))
    merged, single = segments(tmp_path)[::-1]
    assert (merged.level, single.level) == (1, 0)
    path = tmp_path / merged.name
    content = DAMAGE[damage](path.read_bytes())
    path.write_bytes(content)
    query = Query(tmp_path)
    assert [each.run for each in query.runs()] == [names[3]]
    assert query.count() == 1
    assert (tmp_path / f"{merged.name}.damaged").read_bytes() == content
    (told,) = caplog.messages
    assert f"{path}: damaged: " in told
    assert told.endswith(f"; set aside as {merged.name}.damaged")
    # Its runs can be added again.
    assert kept(tmp_path, planted(1000, 0)) == [names[0]]
    assert {each.run for each in Query(tmp_path).runs()} == {names[0], names[3]}


def test_runs_are_added_and_merged_beside_a_damaged_file(tmp_path, caplog):
    names = kept(tmp_path, *(planted(1000, number) for number in range(3)))
    (merged,) = segments(tmp_path)
    (tmp_path / merged.name).write_bytes(b"PAR1 nothing PAR1")
    assert kept(tmp_path, planted(1000, 1)) == [names[1]]
    (single,) = segments(tmp_path)
    (tmp_path / single.name).write_bytes(b"")
    kept(tmp_path, planted(1000, 7), planted(1000, 8), planted(1000, 9))
    assert [each.level for each in segments(tmp_path)] == [0, 1]
    assert len(Query(tmp_path).runs()) == 3
    assert [line.partition(":")[0] for line in caplog.messages] == [
        str(tmp_path / merged.name),
        str(tmp_path / single.name),
    ]


def test_an_archive_that_cannot_be_written_is_asked_without_its_damaged_files(
    tmp_path, monkeypatch, caplog
):
    names = kept(tmp_path, *(planted(1000, number) for number in range(4)))
    merged = segments(tmp_path)[-1]
    (tmp_path / merged.name).write_bytes(b"")

    def refused(one, two):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "rename", refused)
    query = Query(tmp_path)
    assert [[each.run for each in query.runs()] for _ in range(2)] == [[names[3]]] * 2
    (told,) = caplog.messages
    assert told.endswith("; it is left out")


def test_a_listing_is_taken_again_while_files_go(tmp_path, monkeypatch):
    """A merge between two looks: the first saw neither all inputs nor the output."""
    one = Segment(0, "2" * 8 + "T000000", "2" * 8 + "T000000", "a" * 20)
    merged = Segment(1, one.first, one.last, "c" * 20)
    looks = [[one.name], [], [merged.name]]
    monkeypatch.setattr(under_test.os, "listdir", lambda folder: looks.pop(0))
    assert segments(tmp_path) == [merged]


def test_a_look_is_repeated_while_another_process_merges():
    tries = []

    def look():
        tries.append(1)
        if len(tries) < 3:
            raise FileNotFoundError
        return len(tries)

    assert under_test.again(look) == 3
