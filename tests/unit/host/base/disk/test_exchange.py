# SPDX-License-Identifier: Apache-2.0
"""Two folders change places at once, or not at all."""

from plexor.base.disk.exchange import exchange


def test_two_folders_change_places_with_all_that_is_in_them(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    for path in (one, other):
        path.mkdir()
        (path / path.name).touch()
    inodes = one.stat().st_ino, other.stat().st_ino
    assert exchange(one, other)
    assert (other.stat().st_ino, one.stat().st_ino) == inodes
    assert [path.name for path in one.iterdir()] == ["other"]


def test_what_is_not_there_is_not_exchanged(tmp_path):
    (tmp_path / "one").mkdir()
    assert not exchange(tmp_path / "one", tmp_path / "nosuch")
    assert (tmp_path / "one").is_dir()


def test_another_system_does_without(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    assert not exchange(tmp_path, tmp_path)
