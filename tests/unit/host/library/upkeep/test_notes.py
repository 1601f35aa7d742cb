# SPDX-License-Identifier: Apache-2.0
"""A note on a run by its folder, or by its run.json."""

import pytest

from plexor.base.errors import UsageError
from plexor.files.store.notes import notes_on
from plexor.files.store.run_folder import save
from plexor.library.upkeep.notes import note


def test_a_note_is_kept_beside_the_run_that_is_named(tmp_path, run_of):
    folder = save(run_of([[1000]]), tmp_path / "run")
    for path in (folder, folder / "run.json"):
        assert note(path, "warm") == folder / "notes.json"
    assert [each.text for each in notes_on(folder)] == ["warm", "warm"]
    for wrong in (tmp_path, folder / "SHA256SUMS"):
        with pytest.raises(UsageError, match="name a folder of --out"):
            note(wrong, "x")
