# SPDX-License-Identifier: Apache-2.0
"""One cell of a farm: the work of measuring it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plexor.base.errors import UsageError
from plexor.experiments.work import Work
from plexor.library.instrument import Instrument
from plexor.model.load import RAISED
from plexor.model.results import RunResult
from plexor.wire.desk.load import switched

PREPARE_S = 600.0
"""Wall time that a command of `prepare` has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell(Work[RunResult]):
    """An instrument, a load, a build and options of `plexor measure`, by their names."""

    names: Mapping[str, str]
    """Axis to name: `instrument`, `load`, `build`, `options`. The device's keys have the first
    three."""
    link: str
    dut: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Options of a run, by the names that `Instrument.run` has for them."""
    keys: Mapping[str, str] = field(default_factory=dict[str, str])
    prepare: str = ""
    """Shell command before the run, such as one that writes firmware to a board."""
    load_on: str | None = None
    load_off: str | None = None
    budget: str | None = None
    commit: str | None = None
    branch: str | None = None

    @property
    def name(self) -> str:
        """All names, such as `left/busy/main`."""
        return "/".join(self.names.values())

    @property
    def real(self) -> bool:
        """Whether its instrument exists once, so that it is used by one cell at a time."""
        return not self.link.startswith("sim:")

    @property
    def device(self) -> dict[str, str]:
        """The keys that describe the device: the names of the cell, and those of its own."""
        named = {axis: name for axis, name in self.names.items() if axis != "options"}
        return named | dict(self.keys)

    @property
    def needs(self) -> str:
        """The resource of the worker beside its instrument, if that exists once."""
        return self.names["instrument"] if self.real else ""

    def take(self) -> RunResult:
        """Measure it. Raises PlexorError if it cannot be prepared, opened or measured."""
        if self.prepare:
            _prepare(self)
        switch = switched(self.load_on, self.load_off, ("load-on", "load-off"))
        load: str | None = self.options.get("load")
        opened = Instrument(self.link, dut=self.dut, again=True, load=load)
        with opened as instrument, switch(RAISED):
            return instrument.run(device=self.device, **self.options).result


def _prepare(cell: Cell) -> None:
    """Run the command of `prepare`, which finds the cell's names in its environment."""
    names = {f"PLEXOR_{axis.upper()}": name for axis, name in cell.names.items()}
    process = subprocess.Popen(
        cell.prepare,
        shell=True,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=os.environ | names,
    )
    try:
        output, _ = process.communicate(timeout=PREPARE_S)
    except subprocess.TimeoutExpired as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise UsageError(f"prepare {cell.prepare!r}: did not end within {PREPARE_S:g} s") from error
    if process.returncode:
        lines = output.decode(errors="replace").strip().splitlines()
        last = f": {lines[-1]}" if lines else ""
        raise UsageError(
            f"prepare {cell.prepare!r}: ended with exit code {process.returncode}{last}"
        )
