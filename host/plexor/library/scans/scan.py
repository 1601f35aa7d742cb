# SPDX-License-Identifier: Apache-2.0
"""What scans and schedules have in common: they show themselves, as runs do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from plexor.base.disk.errors import writing
from plexor.base.documents import Document
from plexor.base.errors import ExitCode, PlexorError, StoreError
from plexor.experiments.store import made_of_steps
from plexor.figures.judge.figured import Figured


class _Result(Protocol):
    @property
    def tick_fs(self) -> int: ...
    @property
    def simulated(self) -> bool: ...
    @property
    def interrupted(self) -> bool: ...
    @property
    def device(self) -> Mapping[str, str]: ...


R = TypeVar("R", bound=_Result)


class Ended(ABC, Generic[R]):
    """What has ended, taken now or loaded."""

    what: ClassVar[str]
    """Its kind, such as `phase scan`."""
    kept: ClassVar[Document[Any]]
    """The document of its result, whose file has its name: sweep.json."""

    def __init__(
        self, result: R, error: PlexorError | None = None, unsaved: StoreError | None = None
    ) -> None:
        self.result = result
        """Everything as it was found, in ticks."""
        self.error = error
        """What ended it early; None if nothing did."""
        self.unsaved = unsaved
        """Why it was not kept where it was to be; None if it was."""

    @classmethod
    def is_in(cls, folder: Path) -> bool:
        """Return whether a folder holds one."""
        return cls._file(folder).is_file()

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Return the one in a folder. Raises StoreError if there is none, or none that is valid."""
        with made_of_steps(folder):
            return cls(cls.kept.read(cls._file(folder)))

    @classmethod
    def _file(cls, folder: Path) -> Path:
        return folder / f"{cls.kept.name}.json"

    def write(self, folder: Path) -> None:
        """Write it into a folder, which is made if it is not there. Raises StoreError."""
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        self.kept.write(self.result, self._file(folder))

    @property
    def simulated(self) -> bool:
        """Whether the instrument is a simulation."""
        return self.result.simulated

    @property
    def interrupted(self) -> bool:
        """Whether it was stopped before its end."""
        return self.result.interrupted

    @property
    def tick_fs(self) -> int:
        """Length of a tick, in femtoseconds."""
        return self.result.tick_fs

    @property
    def device(self) -> Mapping[str, str]:
        """The description of the device under test."""
        return self.result.device

    @property
    def invalid_reasons(self) -> tuple[str, ...]:
        """Why the figures cannot be trusted; empty for a valid scan."""
        return ()

    @property
    def valid(self) -> bool:
        """Whether the figures can be trusted."""
        return not self.invalid_reasons

    def exit_code(self) -> ExitCode:
        """Return the exit code: INVALID for an invalid scan, or else PASS."""
        return ExitCode.PASS if self.valid else ExitCode.INVALID

    def figured(self) -> Figured | None:
        """Return the figures that `plexor compare` compares; None: it compares none of these."""
        return None

    @abstractmethod
    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return the figures as text for a terminal of `width` columns."""

    def document(self) -> dict[str, Any]:
        """Return the figures as the document that its command prints with `--json`."""
        return self.kept.of(self.result)


class Scan(Ended[R]):
    """A scan that has ended."""

    @abstractmethod
    def page(self) -> str:
        """Return the figures as an HTML page."""

    @abstractmethod
    def picture(self) -> str:
        """Return the figures as an SVG picture."""
