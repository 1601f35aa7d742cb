# SPDX-License-Identifier: Apache-2.0
"""A file appears when it is complete, or not at all; a library that is missing is one line."""

import os
import threading
from pathlib import Path

import pytest

from plexor.base.errors import StoreError, UsageError
from plexor.show.export.target import needed, replacing


def test_a_file_is_there_only_after_its_last_byte(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with replacing(path) as place:
        place.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_what_fails_leaves_what_was_there(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_text("old")
    expected = StoreError if isinstance(error, OSError) else KeyboardInterrupt

    def fail():
        with replacing(path) as place:
            place.write_text("ne")
            raise error

    with pytest.raises(expected) as caught:
        fail()
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]
    if expected is StoreError:
        assert str(caught.value) == f"{path}: cannot write: No space left on device"


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    path = tmp_path / "no" / "a.txt"
    with pytest.raises(StoreError, match="cannot write: No such file"), replacing(path) as place:
        place.write_text("x")


def test_a_pipe_is_written_directly(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    found = []
    reader = threading.Thread(target=lambda: found.append(path.read_text()))
    reader.start()
    with replacing(path) as place:
        place.write_text("x")
    reader.join()
    assert found == ["x"]


def test_a_library_that_is_missing_is_named_with_its_extra():
    assert needed("json", "json", Path("a.x")).dumps(1) == "1"
    with pytest.raises(UsageError, match=r"^a\.x: needs nosuch, .* extra `export`"):
        needed("nosuch.part", "nosuch", Path("a.x"))
