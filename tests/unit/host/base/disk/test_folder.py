# SPDX-License-Identifier: Apache-2.0
"""Folders of results: whole, beside what is there, and on the disk before they have a name."""

import os
import shutil
import stat

import pytest

from plexor.base.disk import exchange as exchanges
from plexor.base.disk import folder as under_test
from plexor.base.disk.folder import FolderKind, FolderPlace, find_left, place_of, put
from plexor.base.disk.lock import lock
from plexor.base.errors import StoreError

KIND = FolderKind("run.json", frozenset({"a.bin"}))


def fill(text):
    def write(folder):
        (folder / "a.bin").write_text(text)
        (folder / "run.json").write_text(text)

    return write


def texts(folder):
    """Return the texts of a folder's files, by their paths in it."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def test_a_taken_name_gets_a_free_one_beside_it_and_says_so(tmp_path, caplog):
    out = tmp_path / "run"
    places = [place_of(out) for _ in range(3)]
    for number, place in enumerate(places, 1):
        put(place, KIND, fill(str(number)))
    assert texts(tmp_path) == {
        f"{name}/{file}": text
        for name, text in (("run", "1"), ("run-2", "2"), ("run-3", "3"))
        for file in ("a.bin", "run.json")
    }
    assert caplog.messages == [
        f"{out}: was taken meanwhile; kept in {out}-{number}" for number in (2, 3)
    ]


def test_only_what_was_there_at_the_start_is_replaced(tmp_path):
    out = tmp_path / "run"
    put(place_of(out), KIND, fill("old"))
    first, second = place_of(out, replace=True), place_of(out, replace=True)
    assert put(first, KIND, fill("first")) == out
    assert put(second, KIND, fill("second")) == tmp_path / "run-2"
    assert {name: text for name, text in texts(tmp_path).items() if "json" in name} == {
        "run/run.json": "first",
        "run-2/run.json": "second",
    }


def test_what_another_process_puts_there_within_the_exchange_stays(tmp_path, monkeypatch, caplog):
    out = tmp_path / "run"
    put(place_of(out), KIND, fill("old"))
    place, other = place_of(out, replace=True), place_of(out, replace=True)

    def late(one, two):
        monkeypatch.undo()
        put(other, KIND, fill("other"))
        return exchanges.exchange(one, two)

    monkeypatch.setattr(under_test, "exchange", late)
    assert put(place, KIND, fill("mine")) == out
    found = {name: text for name, text in texts(tmp_path).items() if "json" in name}
    assert found == {"run/run.json": "mine", "run-2/run.json": "other"}
    assert "was put to" in caplog.text


def test_a_link_stays_one_and_what_it_points_to_is_replaced(tmp_path):
    put(place_of(tmp_path / "disk" / "real"), KIND, fill("old"))
    (tmp_path / "run").symlink_to(tmp_path / "disk" / "real")
    put(place_of(tmp_path / "run", replace=True), KIND, fill("new"))
    assert (tmp_path / "run").is_symlink()
    assert texts(tmp_path / "disk") == {"real/a.bin": "new", "real/run.json": "new"}


def test_what_is_left_of_another_replacement_is_in_nobodys_way(tmp_path):
    out = tmp_path / "run"
    put(place_of(out), KIND, fill("old"))
    (tmp_path / ".run.old").mkdir()
    (tmp_path / ".run.old" / "x").touch()
    assert put(place_of(out, replace=True), KIND, fill("new")) == out
    assert (tmp_path / ".run.old" / "x").exists()


@pytest.mark.parametrize("by_exchange", [True, False])
def test_foreign_files_stay(tmp_path, monkeypatch, by_exchange):
    if not by_exchange:
        monkeypatch.setattr(under_test, "exchange", lambda one, other: False)
    out = tmp_path / "run"
    put(place_of(out), KIND, fill("old"))
    (out / "notes.txt").write_text("mine")
    (out / "deep").mkdir()
    (out / "deep" / "run.json").write_text("mine too")
    put(place_of(out, replace=True), KIND, fill("new"))
    assert texts(tmp_path) == {
        "run/a.bin": "new",
        "run/run.json": "new",
        "run/notes.txt": "mine",
        "run/deep/run.json": "mine too",
    }


def test_a_folder_is_left_alone_while_its_process_writes_it(tmp_path, caplog):
    out = tmp_path / "run"

    def write(folder):
        fill("whole")(folder)
        find_left(place_of(out), KIND)

    assert put(place_of(out), KIND, write) == out
    assert caplog.messages == []


@pytest.fixture
def locks(monkeypatch):
    """Return the locks that are taken; they outlive the functions that take them."""
    taken = []
    monkeypatch.setattr(under_test, "lock", lambda path: taken.append(lock(path)) or taken[-1])
    return taken


def test_a_folder_is_free_once_it_is_in_its_place(tmp_path, locks):
    put(place_of(tmp_path / "run"), KIND, fill("x"))
    assert len(locks) == 1
    assert lock(tmp_path / "run") is not None


def test_a_folder_that_a_process_left_is_free_once_it_is_found(tmp_path, locks):
    part = tmp_path / ".run.000000000001.part"
    part.mkdir()
    (part / "run.json").write_text("left")
    find_left(FolderPlace(tmp_path / "run"), KIND)
    assert len(locks) == 1
    assert lock(tmp_path / "run-2") is not None


def test_while_it_is_written_a_folder_is_its_owners_alone(tmp_path):
    modes = []
    put(place_of(tmp_path / "run"), KIND, lambda folder: modes.append(folder.stat().st_mode))
    assert [stat.S_IMODE(mode) for mode in modes] == [0o700]


def test_what_a_process_left_is_put_beside_if_it_is_whole_and_removed_if_not(tmp_path, caplog):
    for number, name in ((1, "run.json"), (2, "a.bin")):
        part = tmp_path / f".run.{number:012x}.part"
        part.mkdir()
        (part / name).write_text("left")
    find_left(FolderPlace(tmp_path / "run"), KIND)
    assert texts(tmp_path) == {"run-2/run.json": "left"}
    assert os.listdir(tmp_path) == ["run-2"]
    assert f"{tmp_path / 'run-2'}: complete; left by a process" in caplog.text


def test_all_is_on_the_disk_before_a_folder_has_its_name(tmp_path, monkeypatch):
    done = []
    fsync, rename = os.fsync, os.rename
    monkeypatch.setattr(
        os, "fsync", lambda handle: (done.append(os.fstat(handle).st_ino), fsync(handle))
    )
    monkeypatch.setattr(
        os, "rename", lambda one, two: (done.append(f"named {two}"), rename(one, two))
    )
    wire = tmp_path / "wire"
    wire.write_text("raw")
    out = put(place_of(tmp_path / "run"), KIND, fill("x"), {"wire.bin": wire})
    named = done.index(f"named {out}")
    before, after = done[:named], done[named + 1 :]
    for path in (out, out / "run.json", out / "a.bin", out / "wire.bin"):
        assert path.stat().st_ino in before
    moved = next(n for n, what in enumerate(before) if str(what).endswith("wire.bin"))
    assert out.stat().st_ino in before[moved:]
    assert after == [tmp_path.stat().st_ino]


def test_a_folder_that_vanished_meanwhile_is_replaced_by_the_new_one(tmp_path):
    out = put(place_of(tmp_path / "run"), KIND, fill("x"))
    place = place_of(out, replace=True)
    shutil.rmtree(out)
    assert put(place, KIND, fill("y")) == out
    assert texts(tmp_path) == {"run/run.json": "y", "run/a.bin": "y"}


@pytest.mark.parametrize("at_once", [True, False])
def test_the_names_of_a_folder_that_is_replaced_are_on_the_disk_after_each_change(
    tmp_path, monkeypatch, at_once
):
    out = put(place_of(tmp_path / "run"), KIND, fill("x"))
    done, fsync, rename, exchange = [], os.fsync, os.rename, under_test.exchange
    monkeypatch.setattr(
        os, "fsync", lambda handle: (done.append(os.fstat(handle).st_ino), fsync(handle))
    )
    monkeypatch.setattr(os, "rename", lambda one, two: (done.append("named"), rename(one, two)))
    monkeypatch.setattr(
        under_test,
        "exchange",
        lambda one, two: done.append("named") or exchange(one, two) if at_once else False,
    )
    put(place_of(out, replace=True), KIND, fill("y"))
    named = [number for number, what in enumerate(done) if what == "named"]
    assert len(named) == (1 if at_once else 2)
    assert [done[number + 1] for number in named] == [tmp_path.stat().st_ino] * len(named)
    assert texts(tmp_path)["run/run.json"] == "y"


def test_a_folder_that_cannot_be_put_in_place_is_whole_where_it_was_written(tmp_path, monkeypatch):
    rename = os.rename

    def refused(one, two):
        if str(two).startswith(str(tmp_path / "run")):
            raise PermissionError(1, "Operation not permitted")
        rename(one, two)

    monkeypatch.setattr(os, "rename", refused)
    with pytest.raises(StoreError, match=r"not permitted; it is in \.run\.[0-9a-f]{12}\.part"):
        put(place_of(tmp_path / "run"), KIND, fill("x"))
    (left,) = tmp_path.iterdir()
    assert texts(left) == {"a.bin": "x", "run.json": "x"}


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_folder_is_open_to_whom_the_users_mask_lets_in(tmp_path, mask):
    before = os.umask(mask)
    try:
        put(place_of(tmp_path / "run"), KIND, fill("1"))
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o777 & ~mask
