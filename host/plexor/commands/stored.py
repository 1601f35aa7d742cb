"""Reads stored results: folders of runs, sweeps, phase and burst scans, and raw bytes of a link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plexor.errors import ExitCode
from plexor.model.results import RunResult


@dataclass(frozen=True, slots=True)
class Scan:
    """A sweep, a phase scan or a burst scan, and how it is shown."""

    what: str
    document: dict[str, Any]
    """The scan as its command prints it with `--json`."""
    text: Callable[[int, bool], str]
    """Returns its text for a width in columns, with or without colour."""
    page: Callable[[], str]
    picture: Callable[[], str]
    code: ExitCode = ExitCode.PASS


def read_scan(path: Path) -> Scan | None:
    """Return the scan in a folder or its result file; None if it is a run."""
    readers = {"sweep.json": _sweep, "phase.json": _phase, "burst.json": _burst}
    for name, reader in readers.items():
        if path.name == name and path.is_file():
            return reader(path.parent)
        if (path / name).is_file():
            return reader(path)
    return None


def read_run(path: Path) -> RunResult:
    """Return the run in a folder, in its run.json, or in a file of raw bytes."""
    if path.is_dir() or path.name == "run.json":
        from plexor.store.run_folder import load  # noqa: PLC0415

        return load(path if path.is_dir() else path.parent)
    from plexor.session.replay import replay  # noqa: PLC0415

    return replay(path)


def no_run_options(scan: Scan) -> None:
    """Raise UsageError if the command line asks for something that only a run has."""
    import click  # noqa: PLC0415

    context = click.get_current_context()
    for name in ("base", "velocity", "budget"):
        if context.get_parameter_source(name) != click.core.ParameterSource.DEFAULT:
            raise click.UsageError(f"--{name} applies only to runs; this is a {scan.what}")


def _sweep(folder: Path) -> Scan:
    from plexor.jsonable import to_json  # noqa: PLC0415
    from plexor.render.sweep_page import sweep_page, sweep_svg  # noqa: PLC0415
    from plexor.render.terminal.sweep import sweep_text  # noqa: PLC0415
    from plexor.sweep.store import load  # noqa: PLC0415

    result = load(folder)
    return Scan(
        "sweep",
        to_json(result),
        lambda width, colour: sweep_text(result, width=width, colour=colour),
        lambda: sweep_page(result),
        lambda: sweep_svg(result),
    )


def _phase(folder: Path) -> Scan:
    from plexor.phase.store import SCHEMA, load  # noqa: PLC0415
    from plexor.render.pictures.phase import phase_page, phase_picture  # noqa: PLC0415
    from plexor.render.terminal.phase import phase_text  # noqa: PLC0415
    from plexor.store.kept_json import document_of  # noqa: PLC0415

    result = load(folder)
    return Scan(
        "phase scan",
        document_of(SCHEMA, result),
        lambda width, colour: phase_text(result, width=width, colour=colour),
        lambda: phase_page(result),
        lambda: phase_picture(result),
        ExitCode.INVALID if result.invalid_reasons else ExitCode.PASS,
    )


def _burst(folder: Path) -> Scan:
    from plexor.burst.store import SCHEMA, load  # noqa: PLC0415
    from plexor.render.pictures.burst import burst_page, burst_picture  # noqa: PLC0415
    from plexor.render.terminal.burst import burst_text  # noqa: PLC0415
    from plexor.store.kept_json import document_of  # noqa: PLC0415

    result = load(folder)
    return Scan(
        "burst scan",
        document_of(SCHEMA, result),
        lambda width, colour: burst_text(result, width=width, colour=colour),
        lambda: burst_page(result),
        lambda: burst_picture(result),
    )
