# SPDX-License-Identifier: Apache-2.0
"""`plexor explain`: the late answers of a stored run, and what its tasks and functions did."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from plexor.base.errors import UsageError
from plexor.base.shown import SHOWN
from plexor.cli.conclude import Result, draw, print_json, show, write_drawn
from plexor.cli.declared.stored import LanesFiles, View
from plexor.cli.options import AsJson
from plexor.cli.output import all_of, check_outputs
from plexor.cli.parameters import given, option_name
from plexor.library.drawing import check_converter
from plexor.library.explain.explanation import Explanation
from plexor.library.explain.profile import Profile
from plexor.library.explain.specs import ProfileSpec, TimelineSpec, WhySpec
from plexor.library.explain.timeline import LANES, Timeline
from plexor.library.files import is_direct, write_text
from plexor.library.load import run_in
from plexor.library.run import Run

_CALLS = ".json"
_PAGES = (".html", "")
"""A pipe or a device without a suffix gets a page."""


def explain(
    run: Path,
    viewed: View,
    late: WhySpec,
    drawn: TimelineSpec,
    called: ProfileSpec,
    written: LanesFiles,
    shown: AsJson,
) -> int:
    """Print what explains a run, write its files, and return the exit code."""
    for file in written.files:
        _check(file)
    check_outputs(*written.files)
    found = run_in(run, "only runs are explained")
    view = viewed.view
    why = found.why(**late.keywords()) if view in (None, "why") else None
    lanes, calls = _of_codes(found, view, drawn, called, _coded(written))
    shows_lanes, shows_calls = view in (None, "timeline"), view not in ("why", "timeline")
    explained = Explanation(
        found.result, why, lanes if shows_lanes else None, calls if shows_calls else None
    )
    _print(explained.views, alone=view is not None, as_json=shown.as_json)
    _write(written.files, explained, lanes, calls)
    return found.exit_code()


def _check(file: Path) -> None:
    """Raise UsageError for a file that nothing is written to, or that needs what is missing."""
    if _is_drawn(file):
        check_converter(file)
    elif file.suffix not in (*LANES, _CALLS):
        known = ", ".join((*SHOWN, *LANES, _CALLS))
        raise UsageError(f"{file}: its suffix must be one of {known}")


def _is_drawn(file: Path) -> bool:
    """Return whether a file gets a page or a picture; a pipe or a device of any name does."""
    return file.suffix in SHOWN or (not file.suffix and is_direct(file))


def _coded(written: LanesFiles) -> list[str]:
    """Return what was asked that only a run with codes can answer."""
    every = {**TimelineSpec.options(), **ProfileSpec.options()}
    names = [name for name, said in every.items() if said.flag is not None]
    coded = any(file.suffix not in _PAGES for file in written.files)
    return [*map(option_name, given(names)), *(["--to"] if coded else [])]


def _of_codes(
    run: Run, view: str | None, drawn: TimelineSpec, called: ProfileSpec, needs: list[str]
) -> tuple[Timeline | None, Profile | None]:
    """Return timeline and profile; none of a run without codes, unless something needs them."""
    if view == "why" and not needs:
        return None, None
    functions = "top" if view in (None, "why", "timeline", "profile") else view
    try:
        lanes = run.timeline(**drawn.keywords())
        return lanes, run.profile(**replace(called, view=functions).keywords())
    except UsageError:
        if needs or view is not None:
            raise
    print("plexor: no timeline and no profile: the run has no codes", file=sys.stderr)
    return None, None


def _print(results: Mapping[str, Result], *, alone: bool, as_json: bool) -> None:
    """Print the views of a run, each under its name if there are several."""
    if alone:
        (result,) = results.values()
        show(result, as_json)
    elif as_json:
        document = {name: result.document() for name, result in results.items()}
        print_json(document)
    else:
        for result in results.values():
            show(result, False)
            if result is not list(results.values())[-1]:
                draw("\n")


def _write(
    files: tuple[Path, ...], explained: Explanation, lanes: Timeline | None, calls: Profile | None
) -> None:
    """Write the page of what is explained, and the files of lanes and calls."""

    def write_calls(file: Path) -> None:
        assert calls is not None
        write_text(file, json.dumps(calls.speedscope(), ensure_ascii=False) + "\n")
        print(f"plexor: wrote {file}", file=sys.stderr)

    def export(file: Path) -> None:
        assert lanes is not None
        lanes.export(file)
        print(f"plexor: wrote {file}", file=sys.stderr)

    def write(file: Path) -> None:
        if file.suffix in _PAGES:
            write_drawn(file, explained)
        elif _is_drawn(file):
            assert lanes is not None
            write_drawn(file, lanes)
        elif file.suffix == _CALLS:
            write_calls(file)
        else:
            export(file)

    all_of(*(partial(write, file) for file in files))
