# SPDX-License-Identifier: Apache-2.0
"""`plexor lab bench`: operations of a kernel, timed from outside, by the codes around each."""

from __future__ import annotations

import sys
from pathlib import Path

from plexor.base.errors import PlexorError
from plexor.cli.conclude import show
from plexor.cli.interrupts import stop_on_signals
from plexor.cli.options import HtmlShown, Keyed
from plexor.cli.output import check_outputs, check_run_folder, kept, raise_first
from plexor.cli.parameters import given
from plexor.library.files import write_text
from plexor.library.load import run_in
from plexor.library.specs.options import NewFolder
from plexor_lab.bench.bench import Bench
from plexor_lab.bench.spec import BenchShown, BenchSpec
from plexor_lab.bench.taken import taken


def bench(
    run: Path | None,
    asked: BenchSpec,
    how: BenchShown,
    described: Keyed,
    shown: HtmlShown,
    place: NewFolder,
) -> int:
    """Take the run of a suite, or read one; print its figures and return the exit code."""
    folder = check_run_folder(place)
    check_outputs(how.frames, shown.page, folder=place.out)
    failures: list[PlexorError] = []
    if run is None:
        # The first SIGINT or SIGTERM stops it; what was taken is kept.
        with stop_on_signals() as stop:
            measured = taken(asked, keys=described.device, stop=stop)
        unsaved = None if folder is None else kept(measured, folder)
        failures += [] if unsaved is None else [unsaved]
    else:
        measured = run_in(run, "only runs have samples")
    wanted = asked.iterations if run is None or given(["iterations"]) else None
    found = Bench(measured, asked.suite, iterations=wanted, skip_first=how.skip_first)
    show(found, shown.as_json)
    if how.frames is not None:
        write_text(how.frames, found.frames())
        print(f"plexor: wrote {how.frames}", file=sys.stderr)
    if shown.page is not None:
        write_text(shown.page, found.page())
        print(f"plexor: page {shown.page}", file=sys.stderr)
    raise_first(failures)
    return found.exit_code()
