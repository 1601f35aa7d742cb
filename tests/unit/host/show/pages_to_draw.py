# SPDX-License-Identifier: Apache-2.0
"""A page of every kind, and of every run that must be drawn."""

from plexor.figures.analyse.analyse import analyse
from plexor.figures.judge.budget import judge
from plexor.files.archive.archived import Archived
from plexor.library.compare import compare
from plexor.library.explain.explanation import Explanation
from plexor.library.run import Run
from plexor.library.scans.sweep import Sweep
from plexor.show.archive.page import trend_page
from plexor.show.archive.run_page import archived_page
from plexor.show.pictures.burst import burst_page
from plexor.show.pictures.phase import phase_page
from plexor.show.proof_page import proof_page
from plexor.show.sweep_page import sweep_page
from plexor_lab.bench.bench import Bench
from plexor_lab.bound.bound import Bound

from ..coded import coded_run
from ..experiments.prove.proofs import JUMPER, proof
from ..figures.explain.test_why import late_run
from ..files.archive.trends import TRENDS
from ..lab.bench.planted import suite_run
from ..lab.bound.createthread import EXAMPLES, N, platform_file
from ..library.explain.test_coded import NAMES
from .archive.test_list_page import RUN as ARCHIVED
from .archive.test_list_page import listed
from .runs_to_draw import BUDGET
from .scans_to_draw import MASKS, burst_result, limit, phase_result
from .sweeps_to_draw import SWEEPS
from .test_timeline import PLANTED


def _bound():
    return Bound(EXAMPLES / "createthread.toml", platform_file(1)).check_value("60us", n=N).page()


def _bursts():
    return burst_result(*(limit(n, n, channel=name) for n in (1, 2, 4) for name in ("ISR", "T")))


def _explained():
    run = Run(coded_run(PLANTED, 20_000, NAMES))
    late = Run(late_run()).why()
    return Explanation(run.result, late, run.timeline(), run.profile()).page()


def _runs(runs, *kinds):
    return [Run(runs[kind]) for kind in kinds]


def _compared(runs, *kinds):
    first, *others = _runs(runs, *kinds)
    return compare(first, others, fail_on="p99>+5%").page()


def _judged(runs, kind):
    report = analyse(runs[kind])
    return Run(runs[kind]).page(judge(report, BUDGET))


MADE = {
    "comparison": lambda runs: _compared(runs, "usual", "bins"),
    "comparison of three": lambda runs: _compared(runs, "usual", "bins", "usual"),
    "comparison of long names": lambda runs: _compared(runs, "long names", "long names"),
    "comparison of sweeps": lambda runs: compare(
        Sweep(SWEEPS["two loads"]), Sweep(SWEEPS["one load"])
    ).page(),
    "sweep": lambda runs: sweep_page(SWEEPS["eight loads"]),
    "sweep up and down": lambda runs: sweep_page(SWEEPS["up and down"]),
    "sweep without an answer": lambda runs: sweep_page(SWEEPS["no answer"]),
    "phase": lambda runs: phase_page(phase_result(MASKS["missed, then late"])),
    "burst": lambda runs: burst_page(_bursts()),
    "timeline": lambda runs: (
        Run(coded_run(PLANTED, 20_000, NAMES)).timeline(cursors=("3us", "5us")).page()
    ),
    "explained": lambda runs: _explained(),
    "trend": lambda runs: trend_page(TRENDS["two loads by commit"]),
    "trend of long names": lambda runs: trend_page(TRENDS["long names"]),
    "archive": lambda runs: listed(),
    "run of an archive": lambda runs: archived_page(
        Archived(ARCHIVED, analyse(runs["usual"]).channels)
    ),
    "proof": lambda runs: proof_page(proof(JUMPER), "ab12" * 16),
    "failed proof": lambda runs: proof_page(proof(), "ab12" * 16),
    "bound": lambda runs: _bound(),
    "suite": lambda runs: Bench(suite_run().run(), "kernel", iterations=2).page(),
}
"""How each kind of page but a run's is made."""


def page_of(kind, runs):
    """Return a page by its kind, or by that of its run."""
    return MADE[kind](runs) if kind in MADE else _judged(runs, kind)
