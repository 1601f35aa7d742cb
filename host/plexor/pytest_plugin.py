# SPDX-License-Identifier: Apache-2.0
"""pytest-plexor: measurements as fixtures, and pages of the tests that fail.

`plexor` measures with the instrument that `--plexor-link` or the ini option `plexor_link` names; by
default a simulated one. `--plexor-page DIR` keeps a page of each run of a failed test.
`--plexor-save DIR` keeps each run of a test that passes, and `--plexor-compare DIR` fails a test
whose run is worse than the one that was kept.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import plexor as plexor_api
from plexor.base.errors import InstrumentError, LinkError, PlexorError
from plexor.library.files import write_text

if TYPE_CHECKING:
    from plexor.figures.judge.budget import Budget, Judged
    from plexor.library.instrument import Instrument
    from plexor.library.run import Run

_RUNS = pytest.StashKey[list["Run"]]()
_OPEN = pytest.StashKey[dict[tuple[str, str], "Instrument"]]()
_HELP = {
    "link": "link to the instrument, such as serial:/dev/ttyUSB1 (default: sim:)",
    "dut": "device of a simulated instrument, such as bare (default: freertos)",
    "save": "keep the runs of tests that pass in this folder, in the place of earlier ones",
    "compare": "fail a test whose run is worse than the one that is kept in this folder",
    "fail-on": "changes that are too large with --plexor-compare (default: p99>+5%%)",
}
_METAVARS = {"save": "DIR", "compare": "DIR", "fail-on": "CHANGES"}
_FAIL_ON = "p99>+5%"
_ALONE = "plexor.compared_with_none"
"""Property of a test with a run of which none was kept."""


class Plexor:
    """The fixture `plexor`: measures with the instrument of this test session."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    @property
    def instrument(self) -> Instrument:
        """The session's instrument, opened when it is first used."""
        config = self._item.config
        place = _asked(config, "link") or "sim:", _asked(config, "dut")
        known = config.stash[_OPEN]
        if place not in known:
            known[place] = plexor_api.open(place[0], dut=place[1] or None)
        return known[place]

    def measure(self, **options: Any) -> Run:
        """Take a run and return it. The options are those of `Instrument.measure`.

        Its figures become properties of the test, which JUnit reports show.
        """
        try:
            run = self.instrument.run(**options)
        except Exception as error:
            # The next test gets a new link.
            if isinstance(error, LinkError | InstrumentError):
                close(self._item.config)
            raise
        self._item.stash.setdefault(_RUNS, []).append(run)
        self._item.user_properties += _properties(run)
        return run

    def require(
        self,
        run: Run,
        budget: str | Path | Budget | None = None,
        channel: str | None = None,
        **limits: Any,
    ) -> Judged:
        """Fail the test unless the run keeps a budget, or limits such as `max="100us", missed=0`.

        The message has the interval of each figure and the worst event.
        """
        from plexor.library.require import require  # noqa: PLC0415

        __tracebackhide__ = True
        return require(run, budget, channel, **limits)


@pytest.fixture
def plexor(request: pytest.FixtureRequest) -> Plexor:
    """Measure with the instrument of this test session: plexor.measure, plexor.require."""
    return Plexor(request.node)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the command line and of the ini file."""
    group = parser.getgroup("plexor", "latency of real-time systems")
    for name, text in _HELP.items():
        metavar = _METAVARS.get(name, name.upper())
        group.addoption(f"--plexor-{name}", metavar=metavar, help=text)
        parser.addini(f"plexor_{name.replace('-', '_')}", text.replace("%%", "%"), default="")
    group.addoption("--plexor-page", metavar="DIR", help="keep a page of each run of a failed test")


def pytest_configure(config: pytest.Config) -> None:
    """Begin without an instrument."""
    config.stash[_OPEN] = {}


def pytest_unconfigure(config: pytest.Config) -> None:
    """Close the instruments that were opened."""
    close(config)


def close(config: pytest.Config) -> None:
    """Close all instruments of a session."""
    if _OPEN not in config.stash:
        return
    known = config.stash[_OPEN]
    while known:
        known.popitem()[1].close()


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what runs are compared with."""
    folder = _asked(config, "compare")
    if not folder:
        return []
    kept = sum(1 for _ in Path(folder).glob("*/run.json"))
    fail_on = _asked(config, "fail-on") or _FAIL_ON
    return [f"plexor: compared with what {folder} keeps ({kept}), fails on {fail_on}"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Compare the runs of a test that passes with those that were kept, and keep them."""
    passed = yield
    runs = _named_runs(item)
    try:
        reasons = [why for name, run in runs if (why := _why_worse(item, name, run))]
        if not reasons and (folder := _asked(item.config, "save")):
            for name, run in runs:
                run.save(Path(folder) / name, force=True)
    except (PlexorError, OSError) as error:
        reasons = [str(error)]
    if reasons:
        pytest.fail("\n".join(reasons), pytrace=False)
    return passed


def _why_worse(item: pytest.Item, name: str, run: Run) -> str:
    """Return why a run is worse than the one that was kept; empty if it is not or none was."""
    folder = _asked(item.config, "compare")
    if not folder:
        return ""
    before = Path(folder) / name
    if not before.exists():
        item.user_properties.append((_ALONE, name))
        return ""
    compared = plexor_api.compare(before, run, fail_on=_asked(item.config, "fail-on") or _FAIL_ON)
    if not (reason := compared.reason()):
        return ""
    return "\n".join((reason, *compared.notes, compared.text()))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say how many runs had none to be compared with."""
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    alone = sum(
        name == _ALONE
        for report in reports
        # Setups and teardowns have categories of their own.
        if isinstance(report, pytest.TestReport)
        for name, _ in report.user_properties
    )
    if alone:
        folder = _asked(config, "compare")
        terminalreporter.write_line(f"plexor: runs without an earlier one in {folder}: {alone}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep the pages of a test that failed, and let its line in the summary begin with figures."""
    report = yield
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None and _RUNS in item.stash:
        # The summary shows the beginning of it in a line.
        crash.message = re.sub(r"^(\S+\.RequirementError|Failed): ", "", crash.message)
    folder = item.config.getoption("plexor_page")
    if folder and call.when == "call" and report.failed:
        try:
            lines = "\n".join(map(str, _pages(item, Path(str(folder)))))
        except Exception as error:
            # An error here would end the whole session, and hide the test that failed.
            lines = f"cannot be kept: {type(error).__name__}: {error}"
        if lines:
            report.sections.append(("plexor pages", lines))
    return report


def _pages(item: pytest.Item, folder: Path) -> list[Path]:
    paths: list[Path] = []
    for name, run in _named_runs(item):
        folder.mkdir(parents=True, exist_ok=True)
        paths.append(folder / f"{name}.html")
        write_text(paths[-1], run.page())
    return paths


def _named_runs(item: pytest.Item) -> list[tuple[str, Run]]:
    """Return the runs of a test, each with a name for its files."""
    runs = item.stash.get(_RUNS, list["Run"]())
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", item.nodeid).strip("-")
    if len(runs) == 1:
        return [(name, runs[0])]
    return [(f"{name}-{number}", run) for number, run in enumerate(runs, 1)]


def _asked(config: pytest.Config, name: str) -> str:
    key = f"plexor_{name.replace('-', '_')}"
    return str(config.getoption(key) or config.getini(key))


def _properties(run: Run) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = [("plexor.simulated", run.simulated)]
    for reading in run.channels:
        where = f"plexor.{reading.name}"
        found += [(f"{where}.max_s", reading.max_s), (f"{where}.missed", reading.missed)]
    return found
