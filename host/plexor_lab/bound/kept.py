# SPDX-License-Identifier: Apache-2.0
"""The runs of a sweep of N in their folder. A run that is there is not measured again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from plexor.base.errors import StoreError, UsageError
from plexor.library.load import load_run
from plexor.library.parts.files import Document, Held, question_of
from plexor.library.run import Run
from plexor.library.specs.said import differing
from plexor.library.specs.values import Naming
from plexor_lab.bound.check import KEY

FILE = "bound-sweep.json"


@dataclass(frozen=True, slots=True)
class Begun:
    """What a sweep was asked, and what of it is measured."""

    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Options that are not their defaults, as texts."""
    measured: Mapping[str, str] = field(default_factory=dict[str, str])
    """Identities of the devices whose runs are whole, by N."""


BEGUN = Document("bound-sweep-begun", 1, Begun)


class RunsByN:
    """A folder with a run for each N, of one sweep; no other process writes to it meanwhile.

    Raises UsageError for a folder with anything else, and for a sweep of other settings, which it
    names. `force` replaces that: each run stays until it is measured anew.
    """

    def __init__(
        self, folder: Path, settings: Mapping[str, str], naming: Naming, *, force: bool = False
    ) -> None:
        self.folder = folder
        self._place, self._force = f"{naming('out')} {folder}", naming("force")
        try:
            self._held = Held(folder, naming("out"))
            others = {path.name for path in folder.iterdir()} - {Held.FILE}
        except OSError as error:
            raise UsageError(f"{self._place}: {error.strerror or error}") from error
        try:
            self._begun = Begun(settings)
            if others:
                self._begun = self._continued(settings, naming, force)
        except BaseException:
            self._held.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def _continued(self, settings: Mapping[str, str], naming: Naming, force: bool) -> Begun:
        path = self.folder / FILE
        if not path.is_file():
            raise UsageError(
                f"{self._place}: already exists, and holds no sweep of N; name another folder"
            )
        if force:
            return Begun(settings)
        begun = BEGUN.read(path)
        if other := "; ".join(differing(settings, begun.settings, naming)):
            raise UsageError(
                f"{self._place}: already exists, with {other}; {self._force} replaces it"
            )
        return begun

    def place(self, n: int) -> Path:
        """Return the folder of a run."""
        return self.folder / f"{KEY}={n}"

    def find(self, n: int, dut: str) -> Run | None:
        """Return the run of N that was measured before; None if there is none that is whole.

        Raises UsageError if it is of a device whose files were others.
        """
        known = self._begun.measured.get(str(n))
        if known is None or not self.place(n).is_dir():
            return None
        if known != _identity(dut):
            raise UsageError(
                f"{self._place}: {KEY} = {n} was measured with other files of the device; "
                f"{self._force} replaces it"
            )
        try:
            return load_run(self.place(n))
        except StoreError:
            return None

    def add(self, n: int, dut: str, run: Run) -> None:
        """Keep a run. One that was interrupted is measured again when the sweep continues."""
        measured = {key: value for key, value in self._begun.measured.items() if key != str(n)}
        self._write(measured)
        run.save(self.place(n), force=True)
        if not run.interrupted:
            self._write({**measured, str(n): _identity(dut)})

    def _write(self, measured: Mapping[str, str]) -> None:
        self._begun = Begun(self._begun.settings, measured)
        BEGUN.write(self._begun, self.folder / FILE)


def _identity(dut: str) -> str:
    """Return the identity of a device: its name, its options and the files that it is made of."""
    return question_of(KEY, dut, [dut])
