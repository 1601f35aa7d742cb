# SPDX-License-Identifier: Apache-2.0
"""Scans whose steps are runs of their own: taken by workers, and kept as they come."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from plexor.base.errors import PlexorError
from plexor.experiments.burst.model import BurstResult
from plexor.experiments.pool import Workers
from plexor.experiments.stepping import OnStep, Stepping, stepped
from plexor.experiments.store import StepStore, question_of
from plexor.experiments.sweep.model import SweepResult
from plexor.library.files import unsaved
from plexor.library.pins import described
from plexor.library.scans.scan import Scan
from plexor.library.scans.scan_spec import ScanSpec
from plexor.library.scans.watched import watched
from plexor.library.scans.workers import workers_of
from plexor.library.specs.options import Target
from plexor.library.specs.said import differing, said
from plexor.run.session.prepare import now
from plexor.run.session.session import versions

R = TypeVar("R", SweepResult, BurstResult)


S = TypeVar("S", bound=Scan[Any])


def step_scan(
    asked: ScanSpec,
    target: Target,
    stepping: Stepping[R],
    made: Callable[[R, PlexorError | None], S],
    on_step: OnStep | None,
) -> S:
    """Take the steps of a scan, and return what `made` makes of its result and of an error.

    Its stop, KeyboardInterrupt or an exception of `on_step` ends it after the steps that are under
    way. What was found by then is kept. An exception of `on_step` is then raised; otherwise what
    was found is returned, also if a step failed: then its `error` says why. Raises what made the
    first step fail.
    """
    started, name = now(), asked.naming
    workers = workers_of(target.link, asked.executor, name)
    description = described(target.link, target.dut, asked.device or {})
    question = question_of(stepping.kind, stepping.goal, stepping.duts)
    store = StepStore(
        asked.out,
        question,
        force=asked.force,
        names=(name("out"), name("force")),
        settings=said(target, asked),
        differing=partial(differing, name=name),
    )
    with store, watched(on_step, asked.stop) as tell, Workers(workers) as opened:
        found = stepped(stepping, opened, store, tell)
        if found.result is None:
            raise found.error or KeyboardInterrupt
        result = replace(
            found.result,
            device=description,
            versions=versions(),
            started=started,
            command=shlex.join(asked.command),
        )
        scan = made(result, found.error)
        if asked.out is not None:
            scan.unsaved = unsaved(store.finish) or unsaved(partial(scan.write, asked.out))
    return scan
