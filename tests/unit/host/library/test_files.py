# SPDX-License-Identifier: Apache-2.0
"""Files that are written as a whole or not at all."""

import os
from pathlib import Path

import pytest

from plexor.base.errors import StoreError
from plexor.library.files import unsaved, write_text


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    write_text(path, "näher")
    assert path.read_text(encoding="utf-8") == "näher"
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_link_to_a_file_stays_one(tmp_path):
    target = tmp_path / "target.html"
    target.write_text("old")
    (tmp_path / "link.html").symlink_to(target)
    write_text(tmp_path / "link.html", "new")
    assert (tmp_path / "link.html").is_symlink()
    assert target.read_text() == "new"


def test_a_device_is_written_to_and_stays_one():
    write_text(Path(os.devnull), "gone")
    assert not os.path.isfile(os.devnull)


def test_what_cannot_be_written_leaves_what_was_there_and_is_said_with_its_path(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(StoreError, match=f"^{path}: cannot write: "):
        write_text(path, "\ud800")  # no character
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["page.html"]
    for name, reason in (("no/page.html", "No such file"), ("page.html/x", "Not a directory")):
        with pytest.raises(StoreError, match=f"{name}: cannot write: {reason}"):
            write_text(tmp_path / name, "new")
    with pytest.raises(StoreError, match="cannot write: No space left"):
        write_text(Path("/dev/full"), "new")


def test_why_something_could_not_be_kept_is_returned_and_any_other_error_goes_up(tmp_path):
    assert unsaved(lambda: write_text(tmp_path / "page.html", "new")) is None
    assert (tmp_path / "page.html").read_text() == "new"
    full = unsaved(lambda: write_text(Path("/dev/full"), "new"))
    assert isinstance(full, StoreError)
    assert "No space left" in str(full)
    with pytest.raises(ZeroDivisionError):
        unsaved(lambda: 1 / 0)
