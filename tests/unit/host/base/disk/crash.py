# SPDX-License-Identifier: Apache-2.0
"""Kills a process at its operations on files.

    python -m tests.unit.host.base.disk.crash ROOM EVERY [full] STEP...

The operations are those that Python reports to audit hooks, or each EVERY-th of them. Child N of a
step in STEPS dies by SIGKILL just before its operation N, in ROOM/STEP/N, which is a copy of the
step's first folder. The last child ends by itself.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pandas  # noqa: F401  what pyarrow imports at its first table, here once for all children
import pyarrow.parquet  # noqa: F401

from plexor.base.disk import folder as folders
from plexor.base.disk.folder import FolderPlace
from plexor.base.errors import UnwrittenError
from plexor.experiments import engine
from plexor.experiments.criterion import DEFAULT
from plexor.experiments.job import Job
from plexor.experiments.store import StepStore, question_of
from plexor.files.archive import merge
from plexor.files.archive.origin import Origin
from plexor.files.store.run_folder import save
from plexor.library.archive import Archive
from plexor.library.cells.cell import Cell
from plexor.library.farm import farm
from plexor.library.keep import check_out, keep, recording
from plexor.library.scans.sweep import Sweep
from plexor.model.settings import Channel, Settings

from ...files.archive.planted import kept, planted
from ...sweeps import swept

OPERATIONS = {
    "open",
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.truncate",
    "os.chmod",
    "plexor.exchange",
}
GROWING = {"open", "os.mkdir", "os.rename"}
"""Operations that need room on the disk."""
ENDED, FULL = 7, 8
Act = Callable[[Path], object]
FOREIGN = {"notes.txt": "mine", "mine/deep.txt": "deep"}
OLD, NEW = planted(1000, 1), planted(2000, 2)
RAW = bytes(range(256)) * 40


def nothing(room: Path) -> None:
    """Begin with an empty folder."""


def old_run(room: Path) -> None:
    """Begin with a run and files of someone else in its folder."""
    save(OLD, room / "run")
    for name, text in FOREIGN.items():
        (room / "run" / name).parent.mkdir(exist_ok=True)
        (room / "run" / name).write_text(text)


def replaced(room: Path) -> None:
    """Replace the run."""
    keep(NEW, check_out(room / "run", force=True))


def replaced_in_two(room: Path) -> None:
    """Replace the run where the system cannot exchange folders."""
    folders.exchange = lambda one, other: False
    replaced(room)


def recorded(room: Path) -> None:
    """Keep a run with its raw bytes."""
    with recording(check_out(room / "run", force=False)) as tap:
        tap.write(RAW[:1000])
        tap.write(RAW[1000:])
        tap.close()
        keep(NEW, FolderPlace(room / "run"), tap)


ONE, OTHER = (question_of("sweep", text, []) for text in ("one", "other"))
SWEPT = {ONE: swept({"none": 100_000}), OTHER: swept({"none": 200_000})}
JOBS = [
    Job("sim:", "synthetic", load, Settings(channels=(Channel(0),)), Fraction(9), "", (DEFAULT,))
    for load in ("a", "b", "c")
]


def sweep_of(folder: Path, question: str, force: bool) -> None:
    """Sweep, as `plexor sweep --out` does."""
    with StepStore(folder, question, force=force) as store:
        for job in JOBS:
            store.add(job, SWEPT[question].steps[:1])
        store.finish()
        Sweep(SWEPT[question]).write(folder)


def old_sweep(room: Path) -> None:
    """Begin with a sweep, and a file of someone else in its folder."""
    sweep_of(room / "s", ONE, force=False)
    (room / "s" / "notes.txt").write_text("mine")


def swept_anew(room: Path) -> None:
    """Replace the sweep."""
    sweep_of(room / "s", OTHER, force=True)


def old_archive(room: Path) -> None:
    """Begin with an archive in which one run more is merged."""
    kept(room / "a", *(planted(1000, number) for number in range(2)))


def archived(room: Path) -> None:
    """Add a run, and merge all."""
    merge.FAN_IN = 3
    Archive(room / "a").keep(planted(1000, 2), Origin())


FARM = """
[measure]
rate = "20k"
count = 400
[instruments]
left = "tcp://left:1"
[builds.main]
[builds.topic]
"""


def farm_of(room: Path, level: int, force: bool) -> None:
    """Measure a farm whose instrument answers after `level` ticks."""
    Cell.take = lambda cell: planted(level, level, device=cell.device)
    engine.POLL_S = 0.01
    farm(
        room / "farm.toml",
        executor=lambda: ThreadPoolExecutor(1),
        archive=room / "farm" / "archive",
        force=force,
    )


def old_farm(room: Path) -> None:
    """Begin with a farm, whose archive is in its folder."""
    (room / "farm.toml").write_text(FARM)
    farm_of(room, 1000, force=False)


def farmed(room: Path) -> None:
    """Measure the farm anew."""
    farm_of(room, 2000, force=True)


STEPS: dict[str, tuple[Act, Act]] = {
    "replaced": (old_run, replaced),
    "replaced_in_two": (old_run, replaced_in_two),
    "recorded": (nothing, recorded),
    "swept": (old_sweep, swept_anew),
    "archived": (old_archive, archived),
    "farmed": (old_farm, farmed),
}


def child(act: Act, folder: Path, number: int | None, full: bool = False) -> bool:
    """Have a child die before an operation; return whether it ended by itself.

    With `full`, it does not die: the operation finds no room on the disk, if it needs any.
    """
    process = os.fork()
    if process:
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if code not in (ENDED, FULL if full else -signal.SIGKILL):
            raise SystemExit(f"{act.__name__}: exit code {code}")
        return code == ENDED
    left = number

    def hook(name: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if left is None or name not in OPERATIONS:
            return
        if name == "open" and "r" in str(arguments[1]):
            return
        if str(arguments[0]).startswith(str(folder)):
            left -= 1
            if left < 0 and not full:
                os.kill(os.getpid(), signal.SIGKILL)
            if left == -1 and name in GROWING:
                raise OSError(errno.ENOSPC, "No space left on device")

    code = 1
    try:
        sys.addaudithook(hook)
        act(folder)
        code = ENDED if left is None or left >= 0 else FULL
    except UnwrittenError:
        code = FULL
    finally:
        os._exit(code)


def main(room: Path, every: int, names: list[str]) -> None:
    """Take the steps of some names; `full` before them is a disk without room."""
    full = names[0] == "full"
    names = names[full:]
    os.fsync = lambda handle: None  # a killed process needs no wait for the disk
    for name in names:
        prepare, act = STEPS[name]
        first = room / name / "first"
        first.mkdir(parents=True)
        child(prepare, first, None)
        number, ended = every - 1, False
        while not ended:
            folder = room / name / str(number)
            shutil.copytree(first, folder)
            ended = child(act, folder, number, full)
            number += every


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
