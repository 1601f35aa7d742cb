# SPDX-License-Identifier: Apache-2.0
"""A measured suite of benchmarks: figures of each test, as text, document and frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plexor.base.counts import agreed, counted
from plexor.base.errors import ExitCode, UsageError
from plexor.library.explain.coded import CodedRun
from plexor.library.parts.results import code_phrase
from plexor.library.run import Run
from plexor_lab.bench import frame
from plexor_lab.bench.figures import Own, TestedFigures, figures_of, meanwhile
from plexor_lab.bench.page import bench_page
from plexor_lab.bench.samples import Sample, samples_of
from plexor_lab.bench.spec import USUAL_ITERATIONS
from plexor_lab.bench.suites import SUITES, Suite
from plexor_lab.bench.taken import ITERATIONS_KEY, SUITE_KEY
from plexor_lab.bench.text import SuiteView, bench_text

SCHEMA = "plexor.bench/1"


class Bench:
    """The figures of a suite's run.

    `suite` is osbench, threadmetric or kernel; `iterations` is the least number of samples of each
    test. By default both are those that the run was taken for. `skip_first` leaves the first sample
    of each test out of all figures but `first`.

    Raises UsageError for an unknown suite, a run without codes, and a run of another suite.
    """

    def __init__(
        self,
        run: Run,
        suite: str | None = None,
        *,
        iterations: int | None = None,
        skip_first: bool = False,
    ) -> None:
        name = run.device.get(SUITE_KEY) if suite is None else suite
        if name not in SUITES:
            raise UsageError(f"suite: {name!r}; must be one of {', '.join(SUITES)}")
        self.run = run
        self.suite: Suite = SUITES[name]
        iterations_text = run.device.get(ITERATIONS_KEY, "")
        usual = int(iterations_text) if iterations_text.isdecimal() else USUAL_ITERATIONS
        self.iterations = usual if iterations is None else iterations
        """Samples that each test must have."""
        self._coded = CodedRun(run.result)
        self.measured = samples_of(self._coded.codes, self._coded.bits)
        """All samples, and what the firmware announced."""
        self._check_suite()
        self.figures: tuple[TestedFigures, ...] = figures_of(
            self.measured, self.suite, run.tick_fs, skip_first=skip_first
        )
        """Figures of each test with samples."""
        self.skips_first = skip_first

    def _check_suite(self) -> None:
        announced = self.measured.announced
        if announced is None or announced.suite == self.suite.code:
            return
        names = [known.name for known in SUITES.values() if known.code == announced.suite]
        raise UsageError(
            f"suite: the firmware says that it is {names[0] if names else 'none of them'}; "
            f"{self.suite.name} was asked for"
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons why the figures prove nothing; empty if they are proven."""
        return (*self.run.invalid_reasons, *self._reasons())

    def _reasons(self) -> Iterator[str]:
        samples = self.measured
        if samples.announced is not None and not samples.is_done:
            yield "the firmware did not say that its tests are done: give the run more time"
        if samples.gaps:
            yield f"codes are missing or in doubt at {counted(samples.gaps, 'place')}"
        if samples.unmatched:
            have = agreed(samples.unmatched, "has", "have")
            yield f"{counted(samples.unmatched, 'code')} of a begin or an end {have} no partner"
        if not self.figures:
            yield "no operation was seen: no code of a begin and its end came"
        for figures in self.figures:
            count = len(figures.samples)
            if count < self.iterations:
                yield (
                    f"{figures.test.title}: {counted(count, 'sample')}; must be {self.iterations} "
                    "or more, as "
                    "asked for"
                )
            if not figures.counted_right:
                yield (
                    f"{figures.test.title}: {counted(count, 'operation')} came, and the firmware "
                    "counted "
                    f"{sum(figures.counters)}"
                )

    def exit_code(self) -> ExitCode:
        """Return the exit code: INVALID for figures that prove nothing."""
        if self.run.interrupted:
            return ExitCode.INTERRUPTED
        return ExitCode.INVALID if self.reasons else ExitCode.PASS

    def meanwhile(self, sample: Sample) -> tuple[tuple[str, int], ...]:
        """Return a phrase for each code that began to run within a sample, and its count."""
        return tuple(
            (code_phrase(self._coded.names, code_class, number), count)
            for code_class, number, count in meanwhile(sample)
        )

    def frames(self) -> str:
        """Return the report in the form of OSBench: a frame for each test that has a base."""
        return frame.write(
            frame.frame_of(
                figures.operations,
                self.run.tick_fs,
                group=figures.test.group,
                test=figures.test.place,
                title=figures.test.title,
            )
            for figures in self.figures
            if figures.test.base is not None
        )

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return bench_text(self._view(), width=width, colour=colour)

    def page(self) -> str:
        """Return it as an HTML page: a picture, and the tables of the text."""
        about = [("suite", self.suite.name), *self.run.device.items()]
        about += [("command", self.run.result.command), ("started", self.run.result.started)]
        return bench_page(self._view(), about, self.document())

    def _view(self) -> SuiteView:
        return SuiteView(
            self.run.result,
            self.suite.name,
            self.figures,
            self.reasons,
            self.skips_first,
            self.meanwhile,
        )

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor lab bench --json` prints.

        Times are in ticks: whole numbers, or exact fractions as texts, such as `1425/2`.
        """
        announced = self.measured.announced
        return {
            "schema": SCHEMA,
            "suite": self.suite.name,
            "simulated": self.run.simulated,
            "valid": not self.reasons,
            "invalid_reasons": list(self.reasons),
            "exit_code": int(self.exit_code()),
            "tick_fs": self.run.tick_fs,
            "skips_first": self.skips_first,
            "announced": None
            if announced is None
            else {
                "iterations": announced.iterations,
                "looped": announced.looped,
                "clock_hz": announced.clock_hz,
            },
            "tests": [self._test(figures) for figures in self.figures],
        }

    def _test(self, figures: TestedFigures) -> dict[str, Any]:
        operations = figures.operations
        return {
            "id": figures.test.id,
            "number": figures.test.number,
            "title": figures.test.title,
            "count": operations.count,
            "operations_per_sample": operations.iterations,
            "base_ticks": operations.base_ticks,
            "clamped": operations.clamped,
            "first_ticks": str(figures.first_ticks),
            "min_ticks": str(operations.min_ticks),
            "mean_ticks": str(operations.mean_ticks),
            "max_ticks": str(operations.max_ticks),
            "percentiles_ticks": {
                f"p{percent}": None if ticks is None else str(ticks)
                for percent, ticks in figures.percentiles_ticks.items()
            },
            "counters": list(figures.counters),
            "own": _own(figures.own),
            "worst": {
                "sample": figures.samples.index(figures.worst),
                "at_ticks": figures.worst.begin_ticks - self.run.result.start_ticks,
                "ticks": figures.worst.ticks,
                "meanwhile": [
                    {"what": name, "times": times} for name, times in self.meanwhile(figures.worst)
                ],
            },
            "samples_ticks": [sample.ticks for sample in figures.samples],
        }


def _own(own: Own | None) -> dict[str, Any] | None:
    if own is None:
        return None
    return {
        "count": own.count,
        "base_cycles": own.base_cycles,
        "mean_ticks": str(own.mean_ticks),
        "least_error_ticks": str(own.least_error_ticks),
        "mean_error_ticks": str(own.mean_error_ticks),
        "most_error_ticks": str(own.most_error_ticks),
    }
