# SPDX-License-Identifier: Apache-2.0
"""`plexor lab bound`: what a service takes at most, and whether that holds."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from plexor.base.errors import ExitCode, UsageError
from plexor.cli.conclude import show
from plexor.cli.measure.take import take
from plexor.cli.options import AsJson, HtmlShown, Keyed
from plexor.cli.output import check_outputs
from plexor.cli.parameters import command_line, option_name, usage
from plexor.library.files import write_text
from plexor.library.load import load, run_in
from plexor.library.run_spec import RunSpec, settings_of
from plexor.library.scans.phase import PhaseScan
from plexor.library.specs.options import Replaced, Source
from plexor.library.specs.said import said
from plexor_lab.bound.bound import Bound
from plexor_lab.bound.check import KEY, BoundCheck
from plexor_lab.bound.fitted import fit_services
from plexor_lab.bound.kept import RunsByN
from plexor_lab.bound.spec import (
    AtEach,
    Compared,
    FitSpec,
    Mapped,
    Maximum,
    Modelled,
    OfRun,
    OnPlatform,
    TracedFiles,
    TraceSpec,
)
from plexor_lab.bound.swept import MEASURED_FILE, BoundSweep, at_n, swept_ns
from plexor_lab.bound.traced import suffix_of, trace_bus


def evaluate(model: Path, platform: OnPlatform, mapped: Mapped, at: AtEach, shown: AsJson) -> None:
    """Print what a service takes at most, part by part."""
    found = Bound(model, platform.platform, mapped.region_map)
    show(found.evaluate(*at.ns), shown.as_json)


def check(
    run: Path | None,
    modelled: Modelled,
    platform: OnPlatform,
    mapped: Mapped,
    asked: OfRun,
    known: Maximum,
    shown: HtmlShown,
) -> int:
    """Check a maximum, print the verdict, write its page and return the exit code."""
    check_outputs(shown.page)
    found = Bound(modelled.model, platform.platform, mapped.region_map)
    scan = None if known.scan is None else load(known.scan)
    if scan is not None and not isinstance(scan, PhaseScan):
        raise UsageError(f"{known.scan}: holds another result; must be the --out of `plexor phase`")
    kept = None if run is None else run_in(run, "only runs can be checked")
    with usage():
        if kept is not None:
            judged = found.check(kept, **asked.keywords())
        else:
            judged = found.check_value(known.measured or 0, n=asked.n, naming=asked.naming)
    show(judged, shown.as_json)
    if shown.page is not None:
        write_text(shown.page, judged.page(scan))
        print(f"plexor: page {shown.page}", file=sys.stderr)
    return judged.exit_code()


def sweep(
    ns: str,
    source: Source,
    asked: RunSpec,
    modelled: Modelled,
    platform: OnPlatform,
    mapped: Mapped,
    compared: Compared,
    described: Keyed,
    place: Replaced,
    shown: AsJson,
) -> int:
    """Measure a service at each N, check it, print the verdicts and return the exit code."""
    numbers, settings = swept_ns(ns), settings_of(asked, option_name)
    out = place.out
    check_outputs(folder=out, whole=False)
    found = Bound(modelled.model, platform.platform, mapped.region_map)
    checks: list[BoundCheck] = []
    with ExitStack() as stack:
        kept = None
        if out is not None:
            told = said(source, asked, described)
            kept = stack.enter_context(RunsByN(out, told, option_name, force=place.force))
        for number, n in enumerate(numbers, 1):
            step = f"plexor: {KEY} = {n}, {number} of {len(numbers)}"
            dut = at_n(source.dut or "", n)
            run = None if kept is None else kept.find(n, dut)
            print(f"{step}{'' if run is None else ', kept'}", file=sys.stderr)
            if run is None:
                device = {**described.device, KEY: str(n)}
                at_this = replace(source, dut=dut)
                run = take(at_this, asked, settings, None, None, device, live=False)
                run = run.taken_by(command_line())
                if kept is not None:
                    kept.add(n, dut, run)
                if run.interrupted:
                    break
            with usage():
                checks.append(found.check(run, n=n, kind=compared.kind))
        if not checks:
            return ExitCode.INTERRUPTED
        folders = () if kept is None else tuple(kept.place(check.n or 0) for check in checks)
        judged = BoundSweep(tuple(checks), folders)
        show(judged, shown.as_json)
        if out is not None:
            files = modelled.model, platform.platform, mapped.region_map
            write_text(out / MEASURED_FILE, judged.measured_csv(files, out))
            print(f"plexor: runs {out}, of which {out / MEASURED_FILE} tells", file=sys.stderr)
    return ExitCode.INTERRUPTED if len(checks) < len(numbers) else judged.exit_code()


def trace(log: Path, asked: TraceSpec, files: TracedFiles, shown: AsJson) -> None:
    """Count the accesses of a service, print them and write its model."""
    for path in filter(None, (files.out, files.map_out)):
        suffix_of(path)
    check_outputs(files.out, files.map_out)
    found = trace_bus(log, **asked.keywords())
    show(found, shown.as_json)
    written = (files.out, found.write, "model"), (files.map_out, found.write_map, "map")
    for path, write, what in written:
        if path is not None:
            write(path)
            print(f"plexor: {what} {path}", file=sys.stderr)


def fit(measured: tuple[Path, ...], asked: FitSpec, shown: AsJson) -> None:
    """Fit what a core adds, print how well it fits, and write a platform with it."""
    out = asked.out
    if out is not None:
        suffix_of(out)
    check_outputs(out)
    found = fit_services(measured, asked.tried, fetched=asked.fetched)
    show(found, shown.as_json)
    if out is not None and asked.platform is not None:
        found.write(
            out,
            asked.platform,
            bound=asked.bound,
            models=asked.models,
            region_map=asked.region_map,
        )
        print(f"plexor: platform {out}", file=sys.stderr)
