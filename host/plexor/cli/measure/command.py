# SPDX-License-Identifier: Apache-2.0
"""`plexor measure`: what it does with its options."""

from __future__ import annotations

from contextlib import ExitStack

from plexor.cli.conclude import RunUse, conclude
from plexor.cli.declared.live import Watched, WithWire
from plexor.cli.measure import take
from plexor.cli.measure.alone import alone, at_usual_rate
from plexor.cli.options import Acting, Budgeted, Keyed, Shown
from plexor.cli.output import check_outputs, check_run_folder, kept
from plexor.cli.parameters import command_line, option_name
from plexor.library.keep import recording
from plexor.library.run import load_budget
from plexor.library.run_spec import RunSpec, settings_of
from plexor.library.specs.options import Less, NewFolder, Source


def measure(
    source: Source,
    asked: RunSpec,
    less: Less,
    place: NewFolder,
    judged: Budgeted,
    described: Keyed,
    watched: Watched,
    acting: Acting,
    shown: Shown,
    wire: WithWire,
) -> int:
    """Take a run, keep it, print its figures and return the exit code."""
    endless = alone(asked, source)
    if endless:
        asked = at_usual_rate(asked)
    settings = settings_of(asked, option_name, endless=endless)
    limits = None if judged.budget is None else load_budget(judged.budget)
    target = check_run_folder(place)
    check_outputs(shown.page, folder=place.out)
    with ExitStack() as stack:
        tap = stack.enter_context(recording(target)) if wire.wire and target else None
        run = take.take(
            source,
            asked,
            settings,
            tap,
            limits,
            described.device,
            acting.actions,
            live=watched.live,
            endless=endless,
        )
        run = run.taken_by(command_line())
        unsaved = None if target is None else kept(run, target, tap)
    return conclude(
        run.less(**less.keywords()),
        # Ctrl-C is how an endless run ends, and no interruption.
        RunUse(limits, shown.as_json, shown.page, taken_now=not endless, unsaved=unsaved),
    )
