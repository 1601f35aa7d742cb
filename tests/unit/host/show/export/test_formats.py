# SPDX-License-Identifier: Apache-2.0
"""Formats by suffix: known ones are written, all of them or with one clear line none."""

from pathlib import Path

import pytest

from plexor.base.errors import StoreError, UsageError
from plexor.show.export.formats import ALIASES, FORMATS, export, format_of

from . import planted


def test_every_suffix_has_a_format_and_a_meaning():
    for suffix in (*FORMATS, *ALIASES):
        assert format_of(Path(f"a{suffix}")).meaning


@pytest.mark.parametrize("name", ["a", "a.txt", ".vcd"])
def test_another_suffix_is_refused_with_those_that_there_are(name):
    known = r"\.csv, .*\.codequality"
    with pytest.raises(UsageError, match=rf"^{name}: its suffix must be one of {known}$"):
        format_of(Path(name))


def test_a_suffix_may_be_in_any_case():
    assert format_of(Path("a.VCD")) is format_of(Path("a.vcd"))


def test_a_wrong_suffix_keeps_all_files_from_being_written(tmp_path):
    with pytest.raises(UsageError):
        export(planted.run(), [tmp_path / "a.vcd", tmp_path / "a.txt"])
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(UsageError, match="--budget"):
        export(planted.run(), [tmp_path / "a.md", tmp_path / "a.xml"])
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    for suffix in FORMATS:
        if suffix != ".xml":
            with pytest.raises(StoreError, match="cannot write: No such file or directory"):
                export(planted.run(), [tmp_path / "no" / f"a{suffix}"])
