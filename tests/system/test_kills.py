# SPDX-License-Identifier: Apache-2.0
"""`kill -9` at random moments: what had been kept is there, and the command can be repeated."""

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from plexor.experiments.store import FILE, read_steps
from plexor.files.store.run_folder import load
from plexor.library.archive import Archive

MOMENTS = 40
"""Of each command."""
DEVICE = ("--dut", "synthetic:latency=2us,width=1us", "--channel", "A=ch0")
RUN = ("measure", *DEVICE, "--rate", "100k", "--count", "2000")
SWEEP = ("sweep", *DEVICE, "--from", "10k", "--to", "90k", "--points", "3", "--resolution", "20%")
FARM = """
[measure]
rate = "100k"
count = 500
channel = "A=ch0"
dut = "synthetic:latency=2us,width=1us"
[instruments]
left = "sim:"
right = "sim:"
"""


def plexor(room: Path, *words: str) -> subprocess.Popen[str]:
    """Start a command in a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "plexor", *words],
        cwd=room,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(room: Path, *words: str) -> None:
    """Run a command to its end."""
    process = plexor(room, *words)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said


def runs(room: Path) -> list[Path]:
    """Return the folders of runs that a user sees."""
    found = [path.parent for path in room.rglob("run.json")]
    return [path for path in found if not any(part.startswith(".") for part in path.parts)]


def strikes(folder: Path) -> int:
    """Return the strikes of a run, which must be valid."""
    found = load(folder)
    assert found.invalid_reasons == ()
    return found.strikes


def steps(room: Path) -> int:
    """Return how many jobs of a sweep are kept, all of which can be read."""
    path = room / "s" / FILE
    if not path.exists():
        return 0
    found = read_steps(path)
    assert found.wrong == []
    return len(found.steps)


def beside(room: Path) -> None:
    """A run is kept; another one is measured beside it."""
    assert strikes(room / "old") == 300
    if (room / "new").exists():
        assert strikes(room / "new") == 2000


def replaced(room: Path) -> None:
    """A run is measured anew in its place."""
    assert strikes(room / "old") in (300, 2000)
    assert (room / "old" / "notes.txt").read_text() == "mine"


def swept(room: Path) -> None:
    """A sweep that was ended early goes on."""
    assert steps(room) >= int((room / "steps").read_text())


def archived(room: Path) -> None:
    """Runs are added to an archive that has one."""
    assert Archive(room / "archive").log().total >= 1
    for name in ("old", "more"):
        assert strikes(room / name) in (300, 301)


def farmed(room: Path) -> None:
    """A farm is measured anew, whose archive is in its folder."""
    assert Archive(room / "farm" / "archive").log().total >= 2
    kept = {path.name for path in runs(room / "farm")}
    assert len(kept) >= 2


AFTER = {
    beside: (*RUN, "--out", "new"),
    replaced: (*RUN, "--out", "old", "--force"),
    swept: (*SWEEP, "--out", "s"),
    archived: ("archive", "add", "old", "more"),
    farmed: ("farm", "farm.toml", "--out", "farm", "--archive", "farm/archive", "--force"),
}


def before(room: Path, check: Callable[[Path], None]) -> None:
    """Keep what a step begins with."""
    few = (*RUN[:-1], "300")
    if check in (beside, replaced, archived):
        ended(room, *few, "--out", "old")
    if check is replaced:
        (room / "old" / "notes.txt").write_text("mine")
    if check is archived:
        ended(room, *RUN[:-1], "301", "--out", "more")
        ended(room, "archive", "add", "old")
    if check is farmed:
        (room / "farm.toml").write_text(FARM)
        ended(room, *AFTER[farmed][:-1])
    if check is swept:
        process = plexor(room, *SWEEP, "--out", "s")
        while process.poll() is None and steps(room) < 2:
            time.sleep(0.02)
        process.kill()
        process.communicate()
        (room / "steps").write_text(str(steps(room)))


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("check", AFTER, ids=lambda check: check.__name__)
def test_what_was_kept_is_there_after_a_kill_at_any_moment_and_the_command_can_be_repeated(
    check, tmp_path
):
    first, draw = tmp_path / "first", random.Random(check.__name__)
    first.mkdir()
    before(first, check)
    whole = tmp_path / "whole"
    shutil.copytree(first, whole)
    began = time.monotonic()
    ended(whole, *AFTER[check])
    lasts_s = time.monotonic() - began
    killed = 0
    for moment in range(5 * MOMENTS):
        if moment >= MOMENTS and killed > MOMENTS // 2:
            break
        began = time.monotonic()
        room = tmp_path / str(moment)
        shutil.copytree(first, room)
        process = plexor(room, *AFTER[check])
        try:
            process.communicate(timeout=draw.uniform(0, 1.05 * lasts_s))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            killed += 1
        else:
            # The machine has become faster than it was at first.
            lasts_s = min(lasts_s, time.monotonic() - began)
        check(room)
        if moment % 8 == 0:
            # Of a run that is whole by then, the name is taken.
            again = ("--force",) if (room / "new").exists() else ()
            ended(room, *AFTER[check], *again)
            check(room)
        shutil.rmtree(room)
    print(json.dumps({"command": AFTER[check][0], "killed": killed, "of": MOMENTS}))
    assert killed > MOMENTS // 2
