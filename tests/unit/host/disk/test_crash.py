"""A process that is killed at any moment loses nothing that was kept, and what it left is found."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from plexor.library.keep import check_out, keep
from plexor.library.load import load_run
from plexor.store.run_folder import load

from .crash import FOREIGN, NEW, OLD, RAW


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Leave out the waits for a disk."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


ROOT = Path(__file__).resolve().parents[4]


def killed(room, step):
    """Return the folders of a step that was killed at each of its operations; the last is whole."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.unit.host.disk.crash", str(room), step],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
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


@pytest.mark.parametrize("step", ["replaced", "replaced_in_two"])
def test_a_run_that_is_replaced_is_whole_at_each_moment_and_foreign_files_stay(
    tmp_path, step, caplog
):
    folders = killed(tmp_path, step)
    assert len(folders) > 15
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


def test_raw_bytes_are_where_one_looks_for_them_at_each_moment(tmp_path):
    folders = killed(tmp_path, "recorded")
    assert len(folders) > 10
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
