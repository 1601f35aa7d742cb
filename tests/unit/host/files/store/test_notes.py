# SPDX-License-Identifier: Apache-2.0
"""Notes on a run: they are kept beside it, and nothing that was measured changes."""

from datetime import UTC, datetime, timedelta

import pytest

from plexor.base.errors import UsageError
from plexor.files.store.notes import MOST_LETTERS, NOTES_FILE, add_note, note_of, notes_on
from plexor.files.store.run_folder import load, save


def test_notes_are_kept_in_order_with_the_time_and_the_run_stays_as_it_was(tmp_path, run_of):
    run = run_of([[1000, 2000]])
    folder = save(run, tmp_path / "run")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for text in ("board was warm", " door open \n"):
        add_note(folder, note_of(text))
    first, second = notes_on(folder)
    assert (first.text, second.text) == ("board was warm", "door open")
    age = datetime.now(UTC) - datetime.fromisoformat(first.written)
    assert timedelta(0) <= age < timedelta(minutes=1)
    assert load(folder) == run
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert after.pop(NOTES_FILE)
    assert after == before


def test_a_run_without_notes_has_none(tmp_path):
    assert notes_on(tmp_path) == ()


@pytest.mark.parametrize("text", ["", "  ", "x" * (MOST_LETTERS + 1)])
def test_a_text_that_is_no_note_is_refused(text):
    with pytest.raises(UsageError, match=f"must be 1 to {MOST_LETTERS}"):
        note_of(text)


def test_damaged_notes_are_named_and_left_out(tmp_path, caplog):
    (tmp_path / NOTES_FILE).write_text("{")
    assert notes_on(tmp_path) == ()
    assert NOTES_FILE in caplog.text
