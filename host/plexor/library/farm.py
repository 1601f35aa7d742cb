"""A farm: a matrix of instruments, loads and builds, measured cell by cell into an archive.

found = plexor.library.farm.farm("nightly.toml", out="nightly", archive="archive")
print(found.text())
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plexor.archive.origin import Origin, origin_of
from plexor.disk.folder import place_of
from plexor.errors import ExitCode, PlexorError, UsageError
from plexor.jsonable import read_document
from plexor.library.archive import Archive
from plexor.library.cells.cell import Cell
from plexor.library.cells.file import read_cells
from plexor.library.cells.outcome import Outcome, State, failed, outcome
from plexor.library.cells.round import Round
from plexor.library.files import write_text, writing
from plexor.library.keep import keep
from plexor.library.load import load_run
from plexor.library.run import Run
from plexor.library.scans.workers import executor as executor_of
from plexor.model.results import RunResult
from plexor.store.run_folder import RUN_FILE
from plexor.sweep.executor import Workers
from plexor.sweep.store import question_of

__all__ = ["Cell", "Farm", "OnCell", "Outcome", "State", "farm", "read_cells"]

FILE = "farm.json"
"""The file in a farm's folder that says which farm it is of."""
FORMAT = 1
OnCell = Callable[[Outcome, int, int], None]
"""Gets each cell that is done, how many are, and how many there are in all."""


@dataclass(frozen=True, slots=True)
class Farm:
    """What came of a farm's cells, in the order of its file."""

    outcomes: tuple[Outcome, ...]
    interrupted: bool = False
    error: PlexorError | None = None
    """What ended it early; None if nothing did."""

    @property
    def simulated(self) -> bool:
        """Whether any figure is of a simulation."""
        return any(each.simulated for each in self.outcomes)

    def exit_code(self) -> ExitCode:
        """Return the exit code: that of a cell that failed, or else of the worst run."""
        if self.interrupted:
            return ExitCode.INTERRUPTED
        lost = [each.code for each in self.outcomes if each.state == State.FAILED]
        codes = {each.code for each in self.outcomes if each.done}
        order = (ExitCode.INVALID, ExitCode.BUDGET)
        return lost[0] if lost else next((code for code in order if code in codes), ExitCode.PASS)

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        from plexor.library.cells.text import farm_text  # noqa: PLC0415

        return farm_text(self.outcomes, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor farm --json` prints: times in seconds."""
        from plexor.library.cells.text import farm_document  # noqa: PLC0415

        return farm_document(self.outcomes, self.exit_code())


def farm(
    file: str | Path,
    *,
    out: str | Path | None = None,
    archive: str | Path = "archive",
    executor: str | Callable[[], Executor] | None = None,
    force: bool = False,
    on_cell: OnCell | None = None,
) -> Farm:
    """Measure the cells of a farm's file that are not measured yet, and archive all runs.

    Runs are kept in the folder `out`; by default it has the name of the file. A cell whose run is
    there is not measured again; `force` begins anew. `executor` is `local`, `local:N` or
    `dask://HOST:PORT`. A KeyboardInterrupt ends the farm after what is under way.

    Raises UsageError for a file that is no farm and for a folder that holds another one, and
    StoreError for what cannot be written.
    """
    path = Path(file)
    cells = read_cells(path)
    folder = path.with_suffix("") if out is None else Path(out)
    origin = origin_of(path.absolute().parent)
    kept = _Kept(folder, Archive(archive), origin, on_cell)
    kept.claim(_question(cells, origin), force)
    kept.find(cells)
    rest = [cell for cell in cells if cell.name not in kept.outcomes]
    found = Farm(kept.of(cells))
    if not rest:
        return found
    real = len({cell.link for cell in cells if cell.real})
    opener = executor_of(executor or f"local:{max(os.cpu_count() or 1, real)}")
    interrupted, error = False, None
    with Workers(opener) as workers:
        under_way = Round(rest, workers, kept.done)
        try:
            under_way.run()
        except KeyboardInterrupt:
            interrupted = True
        except PlexorError as caught:
            error = caught
        finally:
            under_way.finish()
    return Farm(kept.of(cells), interrupted, error)


def _question(cells: Sequence[Cell], origin: Origin) -> str:
    """Return what identifies a farm: its cells, the files that describe devices, and a commit."""
    manifests = [cell.dut.partition(":")[0] for cell in cells if cell.dut is not None]
    return f"{question_of('farm', cells, manifests)} {origin.commit}"


@dataclass(frozen=True, slots=True)
class _Mark:
    """The content of FILE."""

    question: str


class _Kept:
    """The folder of a farm's runs, and the archive."""

    def __init__(
        self, folder: Path, archive: Archive, origin: Origin, on_cell: OnCell | None
    ) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self._folder = folder
        self._archive = archive
        self._origin = origin
        self._on_cell = on_cell
        self._total = 0

    def claim(self, question: str, force: bool) -> None:
        """Take the folder for a farm. Raises UsageError if it holds anything else."""
        mark = self._folder / FILE
        with writing(self._folder):
            if self._folder.exists() and any(self._folder.iterdir()):
                if not mark.is_file():
                    raise UsageError(f"{self._folder}: holds no farm; name another folder")
                known = read_document(mark, "farm", FORMAT, _Mark, lambda _: None)
                if not force and known.question != question:
                    raise UsageError(
                        f"{self._folder}: holds another farm, or one of another commit; name "
                        "another folder, or replace it"
                    )
                if force:
                    shutil.rmtree(self._folder)
            self._folder.mkdir(parents=True, exist_ok=True)
        document = {"format": FORMAT, "farm": {"question": question}}
        write_text(mark, json.dumps(document) + "\n")

    def find(self, cells: Sequence[Cell]) -> None:
        """Archive the runs of cells that were measured before, unless that was done."""
        self._total = len(cells)
        for cell in cells:
            place = self._folder / cell.name
            if (place / RUN_FILE).is_file():
                self._add(cell, load_run(place), State.KEPT)

    def done(self, cell: Cell, found: RunResult | PlexorError) -> None:
        """Keep and archive the run of a cell, or why there is none."""
        if isinstance(found, PlexorError):
            self._tell(failed(cell, found))
            return
        keep(found, place_of(self._folder / cell.name))
        self._add(cell, Run(found), State.MEASURED)

    def of(self, cells: Sequence[Cell]) -> tuple[Outcome, ...]:
        """Return the outcomes of all cells, in their order."""
        return tuple(self.outcomes.get(cell.name, Outcome(cell)) for cell in cells)

    def _add(self, cell: Cell, run: Run, state: State) -> None:
        known = self._origin
        origin = Origin(
            cell.commit or known.commit,
            cell.branch or known.branch,
            known.dirty if cell.commit is None else None,
        )
        added = self._archive.keep(run.result, origin)
        self._tell(outcome(cell, run, state, added.run))

    def _tell(self, found: Outcome) -> None:
        self.outcomes[found.cell.name] = found
        if self._on_cell is not None:
            self._on_cell(found, len(self.outcomes), self._total)
