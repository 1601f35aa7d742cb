# SPDX-License-Identifier: Apache-2.0
"""A file is the older one or the new one, whole, at each moment."""

import os
from pathlib import Path

import pytest

from plexor.base.disk import atomic
from plexor.base.disk.atomic import is_direct, part_of, parts_of, replacing, write_text
from plexor.base.disk.lock import lock


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    done = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(
        os, "fsync", lambda handle: (done.append(os.fstat(handle).st_ino), fsync(handle))
    )
    monkeypatch.setattr(os, "replace", lambda one, two: (done.append("named"), replace(one, two)))
    write_text(path, "new")
    assert done == [path.stat().st_ino, "named", tmp_path.stat().st_ino]


def test_two_writers_of_a_file_do_not_cut_each_other(tmp_path):
    path = tmp_path / "a.txt"
    with replacing(path) as one, replacing(path) as other:
        one.write_text("one")
        other.write_text("other")
    assert path.read_text() == "one"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_file_is_free_once_it_has_its_name(tmp_path, monkeypatch):
    taken = []
    monkeypatch.setattr(atomic, "lock", lambda path: taken.append(lock(path)) or taken[-1])
    write_text(tmp_path / "a.txt", "new")
    assert len(taken) == 1
    assert lock(tmp_path / "a.txt") is not None


def test_what_a_killed_writer_left_is_removed_and_what_is_under_way_is_not(tmp_path):
    path = tmp_path / "a.txt"
    left, held = part_of(path), part_of(path)
    for part in (left, held):
        part.write_text("half")
    under_way = lock(held)
    write_text(path, "new")
    assert parts_of(path) == [held]
    under_way.close()
    foreign = tmp_path / ".a.txt.notes.part"
    foreign.touch()
    write_text(path, "new")
    assert sorted(os.listdir(tmp_path)) == [foreign.name, "a.txt"]


def test_the_file_that_a_link_points_to_is_replaced_whole(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")

    def failing():
        with replacing(tmp_path / "link") as place:
            place.write_text("ne")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        failing()
    assert (tmp_path / "real").read_text() == "old"
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_pipes_and_devices_are_written_directly_and_files_are_not(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "file").touch()
    for name, direct in (
        ("pipe", True),
        ("file", False),
        ("nowhere", False),
        (".", True),
        ("dev/file", False),
    ):
        assert is_direct(tmp_path / name) == direct
    assert is_direct(Path("/dev/null"))
    assert is_direct(Path("/proc/self/status"))
    assert not is_direct(Path("/dev/nowhere"))
