# SPDX-License-Identifier: Apache-2.0
"""pytest-plexor: measurements as fixtures, and pages of the tests that fail.

`plexor` measures with the instrument that `--plexor-link` or the ini option `plexor_link` names; by
default a simulated one. `--plexor-page DIR` keeps a page of each run of a failed test.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from plexor.base.errors import InstrumentError, LinkError
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
}


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
            from plexor.library.open import open as open_instrument  # noqa: PLC0415

            known[place] = open_instrument(place[0], dut=place[1] or None)
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
        group.addoption(f"--plexor-{name}", metavar=name.upper(), help=text)
        parser.addini(f"plexor_{name}", text, default="")
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep the pages of a test that failed."""
    report = yield
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
    if _RUNS not in item.stash:
        return []
    runs = item.stash[_RUNS]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", item.nodeid).strip("-")
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for number, run in enumerate(runs, 1):
        path = folder / (f"{name}.html" if len(runs) == 1 else f"{name}-{number}.html")
        write_text(path, run.page())
        paths.append(path)
    return paths


def _asked(config: pytest.Config, name: str) -> str:
    return str(config.getoption(f"plexor_{name}") or config.getini(f"plexor_{name}"))


def _properties(run: Run) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = [("plexor.simulated", run.simulated)]
    for reading in run.channels:
        where = f"plexor.{reading.name}"
        found += [(f"{where}.max_s", reading.max_s), (f"{where}.missed", reading.missed)]
    return found
