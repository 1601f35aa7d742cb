# SPDX-License-Identifier: Apache-2.0
"""What the commands of pages name and their reader has: made once, for all tests and workers."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

RUN = (
    "plexor measure --dut irq.toml --rate 20k --dither 1024ns --count 2k --json"
    " --channel entry=ch0 --channel handled[0]=ch1"
)
MADE = {
    "main": f"{RUN} --seed 1 --out main",
    "first": f"{RUN} --seed 1 --out first",
    "run1": f"{RUN} --seed 1 --out run1",
    "branch": f"{RUN} --seed 2 --out branch",
    "archive": "plexor archive add main --branch main",
    "coded": "plexor measure --dut coded.toml --rate 10k --count 50 --channel irq=ch0"
    " --channel done=ch1 --code-wires ch2:ch3 --codes names.toml --out coded",
    "buslog": "mkdir buslog && plexor measure"
    " --dut freertos:program=malloc,blocks=random,bus=buslog/malloc --rate 1k --count 20"
    " --channel malloc=ch0",
    "cal.json": "plexor board calibrate --edges 4000 --to cal.json",
    "sdram-bound.toml": "plexor lab bound fit measured.csv --try tried.csv --platform sdram.toml"
    " --out sdram-bound.toml --bound",
}
"""A name, and the command of which it comes."""
SAME = {"first": "main", "run1": "main"}
"""Names of what another command makes as well."""
NEEDS = {"archive": ("main",), "branch": ("main",)}
"""What must be made first: an archive holds main, and branch is compared with a run before it."""


class Shelf:
    """Holds what was made, in a folder that all workers of a session share."""

    def __init__(self, base: Path, examples: Path, typed: Callable[[str, Path], str]) -> None:
        shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
        self._folder = shared / "shelf"
        self._folder.mkdir(exist_ok=True)
        self._examples = examples
        self._typed = typed

    def bring(self, name: str, to: Path) -> None:
        """Copy what has a name to a folder, unless it is there."""
        own = SAME.get(name, name)
        with (self._folder / f"{own}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (self._folder / own).exists():
                self._make(own)
        kept = self._folder / own
        if kept.is_dir():
            shutil.copytree(kept, to / name, dirs_exist_ok=True)
        else:
            shutil.copy(kept, to / name)

    def _make(self, name: str) -> None:
        place = self._folder / f"making-{name}"
        shutil.copytree(self._examples, place)
        for needed in NEEDS.get(name, ()):
            self.bring(needed, place)
        self._typed(MADE[name], place)
        (place / name).rename(self._folder / name)
