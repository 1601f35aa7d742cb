# SPDX-License-Identifier: Apache-2.0
"""A process that is killed at any moment loses nothing that was kept, and what it left is found."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from plexor.experiments import engine
from plexor.experiments.store import FILE, read_steps
from plexor.files.archive import merge
from plexor.files.store.run_folder import load
from plexor.library.archive import Archive
from plexor.library.cells.cell import Cell
from plexor.library.keep import check_out, keep
from plexor.library.load import load_run
from plexor.library.scans.sweep import Sweep

from .crash import (
    FOREIGN,
    JOBS,
    NEW,
    OLD,
    ONE,
    OTHER,
    RAW,
    SWEPT,
    archived,
    farm_of,
    sweep_of,
)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Leave out the waits for a disk."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    monkeypatch.setattr(merge, "FAN_IN", merge.FAN_IN)


ROOT = Path(__file__).resolve().parents[5]
EVERY = pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.full)])
"""The short form kills at each fourth operation."""


def killed(room, step, every, *how):
    """Return the folders of a step that was killed at its operations; the last is whole."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.unit.host.base.disk.crash",
            str(room),
            str(every),
            *how,
            step,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = sorted((room / step).iterdir(), key=lambda path: (path.name == "first", path.stem))
    return sorted(found[:-1], key=lambda path: int(path.name))


def runs(folder):
    """Return the runs that a user sees in a folder, by name."""
    shown = [path for path in folder.iterdir() if not path.name.startswith(".")]
    return {path.name: load(path) for path in sorted(shown) if (path / "run.json").exists()}


def foreign(folder):
    """Return the texts of the files of someone else, wherever they are now."""
    found = {}
    for path in folder.rglob("*.txt"):
        found.setdefault(path.name, []).append(path.read_text())
    return found


@EVERY
@pytest.mark.parametrize(
    "step", ["replaced", pytest.param("replaced_in_two", marks=pytest.mark.full)]
)
def test_a_run_that_is_replaced_is_whole_at_each_moment_and_foreign_files_stay(
    tmp_path, step, caplog, every
):
    folders = killed(tmp_path, step, every)
    assert every * len(folders) > 15
    for folder in folders:
        before = runs(folder)
        if step == "replaced":
            assert before["run"] in (OLD, NEW)
        assert any(run in (OLD, NEW) for run in before.values())
        texts = {name.rpartition("/")[2]: [text] for name, text in FOREIGN.items()}
        assert foreign(folder) == texts
        # The next start finds what is left, and nothing is in its way.
        keep(NEW, check_out(folder / "run", force=True))
        after = runs(folder)
        assert after["run"] == NEW
        assert all(run in (OLD, NEW) for run in after.values())
        assert foreign(folder) == texts
        assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]
    assert runs(folders[-1]) == {"run": NEW}
    assert (folders[-1] / "run" / "notes.txt").exists()
    assert any("left by a process that ended" in line for line in caplog.messages)


@EVERY
def test_raw_bytes_are_where_one_looks_for_them_at_each_moment(tmp_path, every):
    folders = killed(tmp_path, "recorded", every)
    assert every * len(folders) > 10
    for folder in folders:
        kept = runs(folder).get("run")
        if kept is None:
            check_out(folder / "run", force=False)
        places = [*folder.glob("run*/wire.bin"), *folder.glob("run*.wire.part")]
        raw = [path.read_bytes() for path in places]
        assert raw in ([], [RAW[:0]], [RAW[:1000]], [RAW])
        if raw == [RAW] and places[0].name == "wire.bin":
            assert load_run(places[0].parent).result == NEW
    assert (folders[-1] / "run" / "wire.bin").read_bytes() == RAW


@EVERY
@pytest.mark.parametrize(
    "step",
    [
        "replaced",
        pytest.param("recorded", marks=pytest.mark.full),
        pytest.param("swept", marks=pytest.mark.full),
    ],
)
def test_a_disk_that_is_full_at_any_operation_takes_nothing_that_was_there(tmp_path, step, every):
    folders = killed(tmp_path, step, every, "full")
    assert every * len(folders) > 10
    for folder in folders:
        if step == "replaced":
            # Either is whole at its place, and what is left beside it is whole, too.
            found = runs(folder)
            assert found["run"] in (OLD, NEW)
            assert len(foreign(folder)) == len(FOREIGN)
        elif step == "recorded":
            places = [*folder.glob("run*/wire.bin"), *folder.glob("*.wire.part")]
            raw = [path.read_bytes() for path in places]
            assert raw == [RAW] or not runs(folder)
        else:
            assert len(read_steps(folder / "s" / FILE).steps) == len(JOBS)
            assert Sweep.load(folder / "s").result in SWEPT.values()


@EVERY
def test_a_sweep_that_is_replaced_is_whole_at_each_moment_and_goes_on(tmp_path, every):
    folders = killed(tmp_path, "swept", every)
    assert every * len(folders) > 15
    for folder in folders:
        out = folder / "s"
        found = read_steps(out / FILE)
        assert found.question in (ONE, OTHER)
        assert (len(found.steps), found.wrong) == (len(JOBS), [])
        # The result may still be the older one for a moment, but it is whole.
        result = Sweep.load(out).result
        assert result in SWEPT.values()
        assert found.question == OTHER or result == SWEPT[ONE]
        assert (out / "notes.txt").read_text() == "mine"
        sweep_of(out, OTHER, force=True)
        assert len(read_steps(out / FILE).steps) == len(JOBS)
        assert Sweep.load(out).result == SWEPT[OTHER]


@EVERY
def test_an_archive_holds_all_of_its_runs_at_each_moment(tmp_path, every):
    folders = killed(tmp_path, "archived", every)
    assert every * len(folders) > 5
    for folder in folders:
        archive = Archive(folder / "a")
        assert archive.log().total in (2, 3)
        archived(folder)
        assert Archive(folder / "a").log().total == 3
        assert not list((folder / "a").glob("*.damaged"))


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_a_farm_that_is_measured_anew_has_a_whole_run_of_each_cell_at_each_moment(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(Cell, "take", Cell.take)
    monkeypatch.setattr(engine, "POLL_S", engine.POLL_S)
    folders = killed(tmp_path, "farmed", 1)
    assert len(folders) > 30
    for folder in folders:
        found = {path.parent.name: load(path.parent) for path in folder.rglob("run.json")}
        assert {"main", "topic"} <= set(found)
        assert Archive(folder / "farm" / "archive").log().total >= 2
        farm_of(folder, 2000, force=False) if _new(folder) else farm_of(folder, 2000, force=True)
        again = {path.parent.name: load(path.parent).started for path in folder.rglob("run.json")}
        assert len({again["main"], again["topic"]}) == 1


def _new(folder):
    """Return whether a farm's mark is of the new round."""
    return "older" in json.loads((folder / "farm" / "farm.json").read_text())
