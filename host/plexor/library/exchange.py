# SPDX-License-Identifier: Apache-2.0
"""Runs as files of other tools, and captures of other tools as runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FunctionType

from plexor.base.errors import UsageError
from plexor.figures.judge.budget import Budget
from plexor.figures.judge.budget_file import load as load_budget
from plexor.files.imports.capture import ReadRules
from plexor.files.imports.listing import listing
from plexor.files.imports.open import READERS
from plexor.files.imports.run import import_run
from plexor.files.imports.signals import ImportRules, Unknown
from plexor.library.capture_listing import ListedCapture
from plexor.library.parts.extensions import EXPORTERS, Offer, names, offer_of
from plexor.library.run import Run
from plexor.library.specs.import_spec import ImportSpec, ReadSpec
from plexor.library.specs.spec import takes
from plexor.library.specs.values import path_of
from plexor.protocol.registers import Policy
from plexor.show.export import formats
from plexor.show.export.target import replacing

FORMATS: Mapping[str, str] = {
    suffix: file_format.meaning for suffix, file_format in formats.FORMATS.items()
}
"""Suffixes of the files that `export` writes, with what they are for."""
ALIASES = tuple(formats.ALIASES)
"""Other suffixes of the same formats."""
CAPTURES: tuple[str, ...] = tuple(READERS)
"""Suffixes of the files that `import_capture` reads."""


def export(
    run: Run,
    path: str | Path | Sequence[str | Path],
    budget: Budget | str | None = None,
) -> None:
    """Write a run to a file, or to several, in the format that each file's suffix names.

    Other packages add formats by entry points in the group `plexor.exporters`. `budget` is a
    budget or a budget file. Raises UsageError for a file that this
    run cannot be written to, StoreError if a file cannot be written.
    """
    paths = [path_of(file) for file in ([path] if isinstance(path, str | Path) else path)]
    limits = load_budget(budget) if isinstance(budget, str) else budget
    offers = {file: offer for file in paths if (offer := _offer(file)) is not None}
    writers = [(file, offer, offer.load(FunctionType)) for file, offer in offers.items()]
    formats.export(run.result, [file for file in paths if file not in offers], limits)
    for file, offer, write in writers:
        with replacing(file) as unfinished:
            offer.call(write, run, unfinished)


def suffixes() -> tuple[str, ...]:
    """Return the suffixes of the files that `export` writes, those of other packages too."""
    return (*formats.FORMATS, *(f".{name}" for name in names(EXPORTERS)))


def _offer(path: Path) -> Offer | None:
    """Return the exporter of another package for a file; None if the format is Plexor's own.

    Raises UsageError for a suffix that nobody has.
    """
    if path.suffix.lower() in (*formats.FORMATS, *formats.ALIASES):
        return None
    offer = offer_of(EXPORTERS, path.suffix.removeprefix("."))
    if offer is None:
        raise UsageError(f"{path}: its suffix must be one of {', '.join(suffixes())}")
    return offer


@takes(ImportSpec)
def import_capture(path: str | Path, options: ImportSpec) -> Run:
    """Return the run in the capture of another analyser or simulator, by the suffix of its file.

    CAPTURES has the suffixes. The options are those of ImportSpec:
    `channels=["ISR=irq_out:deadline=50us"]`, by names of signals in the file, and `strikes="trig"`.
    Responses are matched with strikes as in a run. `deadline` is that of channels without one of
    their own. Raises UsageError for a file that cannot be read and for options that do not fit.
    """
    rules = ImportRules(
        channels=tuple(channel.due(options.deadline) for channel in options.channels),
        strikes=options.strikes,
        policy=Policy[options.policy.upper()],
        timeout_s=options.timeout,
        window_min_s=options.window,
        early_s=options.early,
        from_s=options.begin,
        to_s=options.end,
        step_s=options.step,
        device=options.device or {},
    )
    return Run(import_run(path_of(path), rules, _reading(options)))


@takes(ReadSpec)
def list_capture(path: str | Path, options: ReadSpec) -> ListedCapture:
    """Return the signals of a capture with their edges, and which may strike and answer.

    The options are those of ReadSpec. Raises UsageError for a file that cannot be read.
    """
    return ListedCapture(listing(path_of(path), _reading(options)))


def _reading(options: ReadSpec) -> ReadRules:
    low_v, high_v = options.threshold or (None, None)
    return ReadRules(
        unknown=Unknown(options.unknown),
        unit_s=options.timescale,
        samplerate_hz=options.samplerate,
        low_v=low_v,
        high_v=high_v,
    )
