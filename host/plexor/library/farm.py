# SPDX-License-Identifier: Apache-2.0
"""A farm: a matrix of instruments, loads and builds, measured cell by cell into an archive.

found = plexor.library.farm.farm("nightly.toml", out="nightly", archive="archive")
print(found.text())
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from plexor.base.disk.aside import DAMAGED, keep_copy, set_aside
from plexor.base.disk.folder import find_left, place_of, remove_own
from plexor.base.disk.lock import Held
from plexor.base.disk.notices import say
from plexor.base.documents import Document, is_damaged_document
from plexor.base.errors import ExitCode, PlexorError, StoreError, UsageError
from plexor.experiments.engine import Engine
from plexor.experiments.pool import Workers
from plexor.experiments.store import question_of
from plexor.experiments.work import Experiment, taken, together
from plexor.files.archive.folder import MARK, open_archive
from plexor.files.archive.origin import Origin, origin_of
from plexor.files.store.run_folder import KIND, RUN_FILE
from plexor.library.archive import Archive
from plexor.library.cells.asked import asked_of, differing_cells
from plexor.library.cells.cell import Cell
from plexor.library.cells.file import read_cells
from plexor.library.cells.outcome import CellOutcome, CellState, failed, outcome
from plexor.library.cells.text import farm_document, farm_text
from plexor.library.files import writing
from plexor.library.keep import keep
from plexor.library.load import load_run
from plexor.library.run import Run
from plexor.library.scans.workers import Opener, parse_executor
from plexor.library.specs.archive_spec import FarmSpec
from plexor.library.specs.spec import takes
from plexor.library.specs.values import path_of
from plexor.model.results import RunResult

__all__ = ["Cell", "CellOutcome", "CellState", "Farm", "OnCell", "farm", "read_cells"]

FILE = "farm.json"
"""The file that identifies the farm of a folder."""
OnCell = Callable[[CellOutcome, int, int], None]
"""Called with each finished cell, the number of finished cells, and the number of all."""


@dataclass(frozen=True, slots=True)
class Farm:
    """The outcomes of a farm's cells, in the order of its file."""

    outcomes: tuple[CellOutcome, ...]
    interrupted: bool = False
    error: PlexorError | None = None
    """The error that ended it early; None if none did."""

    @property
    def simulated(self) -> bool:
        """Whether any figure is of a simulation."""
        return any(cell.simulated for cell in self.outcomes)

    def exit_code(self) -> ExitCode:
        """Return the exit code: that of a cell that failed, or else of the worst run."""
        if self.interrupted:
            return ExitCode.INTERRUPTED
        lost = [cell.code for cell in self.outcomes if cell.state == CellState.FAILED]
        codes = {cell.code for cell in self.outcomes if cell.done}
        order = (ExitCode.INVALID, ExitCode.BUDGET)
        return lost[0] if lost else next((code for code in order if code in codes), ExitCode.PASS)

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return farm_text(self.outcomes, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor farm --json` prints: times in seconds."""
        return farm_document(self.outcomes, self.exit_code())


@takes(FarmSpec)
def farm(file: str | Path, options: FarmSpec) -> Farm:
    """Measure the cells of a farm's file that are not measured yet, and archive all runs.

    The options are those of FarmSpec: `out="nightly"`, `archive="archive"`, `executor="local:2"`.
    Runs are kept in the folder `out`; by default it has the name of the file. A KeyboardInterrupt
    ends the farm after the cells under way.

    Raises UsageError for a file that is no farm and for a folder of another farm, and StoreError if
    writing fails.
    """
    path = path_of(file)
    cells = read_cells(path)
    folder = options.out or path.with_suffix("")
    origin = origin_of(path.absolute().parent)
    runs = _FarmRuns(folder, Archive(options.folder), origin, options.on_cell)
    with runs:
        asked = {cell.name: asked_of(cell) for cell in cells}
        runs.claim(_Mark(_question(cells, origin), {}, asked, origin.commit), options.force)
        open_archive(runs.archive.folder)
        runs.look(cells)
        result = _measured(runs, cells, options.executor)
        runs.end(result)
    return result


def _measured(runs: _FarmRuns, cells: Sequence[Cell], executor: Opener | None) -> Farm:
    """Measure the cells that are not measured yet, and return the outcomes of all."""
    unmeasured = [cell for cell in cells if cell.name not in runs.outcomes]
    if not unmeasured:
        return Farm(runs.of(cells))
    real = len({cell.link for cell in cells if cell.real})
    opener = executor or parse_executor(f"local:{max(os.cpu_count() or 1, real)}")
    with Workers(opener) as workers:
        ending = Engine(workers, runs).run(_measuring(unmeasured, workers, runs.fail))
    if isinstance(ending.error, StoreError):
        raise ending.error
    return Farm(runs.of(cells), ending.interrupted, ending.error)


def _measuring(
    cells: Sequence[Cell], workers: Workers, fail: Callable[[Cell, PlexorError], None]
) -> Experiment[None]:
    """Measure cells: all at once, but for a real instrument, which one cell uses at a time.

    On a cluster, a worker uses it that has the resource of its name. Raises UsageError if none has.
    """
    for name in sorted({cell.needs for cell in cells if cell.needs}):
        if not workers.offers(name):
            raise UsageError(
                f"instrument {name}: no Dask worker has it; start one beside it with "
                f"--resources {name}=1"
            )
    queues: dict[str, list[Cell]] = {}
    for cell in cells:
        queues.setdefault(cell.link if cell.real else cell.name, []).append(cell)
    yield from together(_in_turn(queue, fail) for queue in queues.values())


def _in_turn(cells: Sequence[Cell], fail: Callable[[Cell, PlexorError], None]) -> Experiment[None]:
    for cell in cells:
        try:
            yield from taken(cell)
        except PlexorError as error:
            # The others are measured all the same.
            fail(cell, error)


def _question(cells: Sequence[Cell], origin: Origin) -> str:
    """Return the identity of a farm: its cells, the files of its devices, and a commit."""
    manifests = [cell.dut.partition(":")[0] for cell in cells if cell.dut is not None]
    return f"{question_of('farm', cells, manifests)} {origin.commit}"


@dataclass(frozen=True, slots=True)
class _Mark:
    """The content of FILE."""

    question: str
    older: Mapping[str, str] = field(default_factory=dict[str, str])
    """Runs that this farm replaces: their folders, and the digests of their run.json. Each stays
    until its cell is measured, or until the farm's end."""
    cells: Mapping[str, Mapping[str, str]] | None = None
    """What each cell asks, as texts; None: an older file, which does not tell."""
    commit: str | None = None


FARM = Document("farm-file", 2, _Mark, wrapped="farm")


def _other(asked: _Mark, known: _Mark) -> str:
    """Return how a farm is another one than that of a folder."""
    if asked.cells is None or known.cells is None:
        return "its cells or its commit differ"
    differences = [*differing_cells(asked.cells, known.cells)]
    if asked.commit != known.commit:
        now, there = ((mark.commit or "none")[:12] for mark in (asked, known))
        differences.append(f"commit {now}, there {there}")
    return "; ".join(differences) or "files of its devices differ"


def _known(path: Path, force: bool) -> _Mark:
    """Return the content of FILE. With `force`, a damaged one is copied and counts as empty.

    Raises StoreError if it cannot be read.
    """
    try:
        return FARM.read(path)
    except StoreError as error:
        if not is_damaged_document(error):
            raise
        if not force:
            raise StoreError(
                f"{error}; nobody knows which farm these runs are of: name another folder, or "
                "replace it, and each run stays until its cell is measured anew"
            ) from error
        say(f"{error}; kept as {keep_copy(path).name}, and every cell is measured anew")
        return _Mark("")


def _runs_in(folder: Path) -> dict[str, str]:
    """Return the runs in a farm's folder, without damaged and archived ones."""
    digests: dict[str, str] = {}
    for parent, folders, files in os.walk(folder):
        if MARK in files:
            folders.clear()
            continue
        folders[:] = [n for n in folders if not n.startswith(".") and not n.endswith(DAMAGED)]
        if RUN_FILE in files:
            name = Path(parent).relative_to(folder).as_posix()
            digests[name] = _digest(Path(parent, RUN_FILE))
    return digests


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def _remove(farm: Path, folder: Path) -> None:
    """Remove a run, and the folders above it that become empty."""
    remove_own(folder, KIND)
    with suppress(OSError):
        while folder.parent != farm:
            folder = folder.parent
            folder.rmdir()


class _FarmRuns:
    """The folder of a farm's runs, and the archive."""

    def __init__(
        self, folder: Path, archive: Archive, origin: Origin, on_cell: OnCell | None
    ) -> None:
        self.outcomes: dict[str, CellOutcome] = {}
        self._folder = folder
        self.archive = archive
        self._origin = origin
        self._on_cell = on_cell
        self._total = 0
        self._older: Mapping[str, str] = {}
        self._held: Held | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._held is not None:
            self._held.close()

    def claim(self, asked: _Mark, force: bool) -> None:
        """Take the folder for a farm. Raises UsageError if it holds anything else.

        Nothing is removed now: with `force`, each run is replaced when its cell is measured.
        """
        mark = self._folder / FILE
        with writing(self._folder):
            self._held = Held(self._folder, "farm")
            if any(path.name != Held.FILE for path in self._folder.iterdir()):
                if not mark.is_file():
                    raise UsageError(f"{self._folder}: holds no farm; name another folder")
                known = _known(mark, force)
                if not force and known.question != asked.question:
                    raise UsageError(
                        f"{self._folder}: holds another farm: {_other(asked, known)}; name "
                        "another folder, or replace it"
                    )
                self._older = _runs_in(self._folder) if force else known.older
        FARM.write(replace(asked, older=self._older), mark)

    def look(self, cells: Sequence[Cell]) -> None:
        """Archive the runs of cells that were measured earlier, unless they are archived."""
        self._total = len(cells)
        for cell in cells:
            folder = self._folder / cell.name
            find_left(place_of(folder), KIND, spare=False)
            if not (folder / RUN_FILE).is_file() or self._is_older(cell.name):
                continue
            try:
                run = load_run(folder)
            except StoreError as error:
                if not isinstance(error.__cause__, ValueError | FileNotFoundError):
                    raise
                with writing(folder):
                    set_aside(folder, f"{error}; cell {cell.name} is measured again")
                continue
            self._add(cell, run, CellState.KEPT)

    def find(self, cell: Cell) -> None:
        """Return None: cells that are known are not asked for."""

    def add(self, cell: Cell, result: RunResult) -> None:
        """Keep and archive the run of a cell."""
        keep(result, place_of(self._folder / cell.name, replace=True))
        self._add(cell, Run(result), CellState.MEASURED)

    def fail(self, cell: Cell, error: PlexorError) -> None:
        """Note why there is no run of a cell."""
        self._tell(failed(cell, error))

    def end(self, result: Farm) -> None:
        """Remove the runs of cells that the farm no longer has, once all its cells are measured."""
        if all(cell.done for cell in result.outcomes):
            for name in self._older:
                if name not in self.outcomes and self._is_older(name):
                    _remove(self._folder, self._folder / name)

    def _is_older(self, name: str) -> bool:
        """Return whether a cell's run is one that this farm replaces."""
        known = self._older.get(name)
        return known is not None and _digest(self._folder / name / RUN_FILE) == known

    def of(self, cells: Sequence[Cell]) -> tuple[CellOutcome, ...]:
        """Return the outcomes of all cells, in their order."""
        return tuple(self.outcomes.get(cell.name, CellOutcome(cell)) for cell in cells)

    def _add(self, cell: Cell, run: Run, state: CellState) -> None:
        known = self._origin
        origin = Origin(
            cell.commit or known.commit,
            cell.branch or known.branch,
            known.dirty if cell.commit is None else None,
        )
        added = self.archive.keep(run.result, origin)
        self._tell(outcome(cell, run, state, added.run))

    def _tell(self, cell: CellOutcome) -> None:
        self.outcomes[cell.cell.name] = cell
        if self._on_cell is not None:
            self._on_cell(cell, len(self.outcomes), self._total)
