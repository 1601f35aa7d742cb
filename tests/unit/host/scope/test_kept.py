# SPDX-License-Identifier: Apache-2.0
"""The recorded runs beside the live one: listed, opened, compared, and kept by sessions."""

import os
import re

import pytest

from plexor.base.errors import UsageError
from plexor.files.store.run_folder import save
from plexor.scope.kept import KeptRuns


@pytest.fixture
def kept(tmp_path, run_of):
    """Two runs: one in the folder, and a later one in a session."""
    for place, values, when in (("idle", [1000] * 300, 100), ("warm/second", [2000] * 300, 200)):
        folder = save(run_of([values]), tmp_path / "runs" / place)
        os.utime(folder / "run.json", (when, when))
    return KeptRuns(tmp_path / "runs")


def test_runs_of_the_folder_and_of_its_sessions_are_listed_the_newest_first(kept):
    assert kept.names() == ["warm/second", "idle"]
    assert KeptRuns(kept.folder / "gone").names() == []


def test_a_note_on_a_run_is_kept_and_listed_with_it(kept):
    kept.note("idle", " board was warm ")
    kept.note("idle", "fan on")
    assert kept.listed() == [
        {"name": "warm/second", "notes": []},
        {"name": "idle", "notes": ["board was warm", "fan on"]},
    ]
    assert "board was warm" in kept.page(["idle"])
    with pytest.raises(UsageError, match="note: 0 letters"):
        kept.note("idle", "  ")
    with pytest.raises(UsageError, match="no recorded run"):
        kept.note("../idle", "x")


def test_what_is_drawn_of_runs_has_every_latency_in_its_own_tick(kept):
    first, second = kept.curves(["idle", "warm/second"])
    assert (first["run"], second["run"]) == ("idle", "warm/second")
    for found, ticks in ((first, 1000), (second, 2000)):
        (channel,) = found["channels"]
        assert found["tick_fs"] == 10**6
        assert channel["rise"] == [[ticks], [], [300]]
        assert (channel["min"], channel["max"]) == (ticks, ticks)
    assert kept.curves([]) == []
    assert len(kept.curves(["idle"] * 4)) == 3


def test_one_opens_and_several_are_compared_with_the_earliest(kept):
    assert "1 µs" in kept.page(["idle"])
    page = kept.page(["warm/second", "idle"])
    assert re.search(r"<dt>A</dt><dd>[^<]*idle", page)
    assert re.search(r" is 2(\.0+)? times ", page) or "+100 %" in page
    assert "Persistence of all runs" in page


@pytest.mark.parametrize("names", [[], ["../x"], ["idle", "/etc"], ["warm"]])
def test_only_what_is_listed_is_opened(kept, names):
    with pytest.raises(UsageError, match="recorded run"):
        kept.page(names)
    if names:
        with pytest.raises(UsageError, match="recorded run"):
            kept.curves(names)


def test_a_session_is_a_folder_of_a_plain_name(kept):
    assert kept.place("") == kept.folder
    assert kept.place("board 2, no".replace(",", "")) == kept.folder / "board 2 no"
    for wrong in ("..", "../x", "a/b", ".hidden", "x" * 41, "a\nb"):
        with pytest.raises(UsageError, match="session: "):
            kept.place(wrong)
