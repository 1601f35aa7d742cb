# SPDX-License-Identifier: Apache-2.0
"""What every test may count on, and the order of all."""

import gc
import hashlib
import os
import signal
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, nothing else.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

# Amaranth makes millions of objects for a core. To look for cycles among them takes a fifth of
# the time.
gc.set_threshold(100_000, 50, 100)

# A shell starts what it puts in the background with SIGINT ignored, and all that this starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


ROOT = Path(__file__).parent.parent
LONG = ("tests/gateware/test_boards.py", "tests/gateware/test_soc.py", "tests/cocotb/whole/")
"""Tests of many minutes on one core: the others run beside them only if these begin first."""


def _check_environment():
    """Raise UsageError if the environment was installed from another pyproject.toml.

    The commands of `plexor_lab` are found by the metadata of the installed package.
    """
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    try:
        installed = {(e.group, e.name, e.value) for e in distribution("plexor").entry_points}
    except PackageNotFoundError:
        return
    wanted = {(g, name, value) for g, names in declared.items() for name, value in names.items()}
    if wanted - installed:
        raise pytest.UsageError(
            ".venv is older than pyproject.toml; run: .venv/bin/python -m pip install --no-deps "
            "--no-build-isolation --editable ."
        )


_check_environment()


def pytest_addoption(parser):
    parser.addoption(
        "--go-on", action="store_true", help="leave out what passed before with the same files"
    )


def _passed_file():
    """Return the file with the tests that passed with the files, and the core, as they are now."""
    listed = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    digest = hashlib.sha256(os.environ.get("PLEXOR_CORE", "").encode())
    for path in sorted(ROOT / name for name in set(names.split("\0"))):
        if path.is_file():
            digest.update(f"{path}\0".encode() + path.read_bytes() + b"\0")
    return ROOT / "build" / "passed" / digest.hexdigest()[:16]


class _Passed:
    """Tests of which all three phases passed, before this session and in it."""

    def __init__(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.failed = path, set()
        self.before = path.read_text().splitlines() if path.exists() else []

    def pytest_configure_node(self, node):
        """Tell a process of xdist."""
        node.workerinput["passed_before"] = self.before

    def pytest_runtest_logreport(self, report):
        if not report.passed:
            self.failed.add(report.nodeid)
        elif report.when == "teardown" and report.nodeid not in self.failed:
            with self.path.open("a") as file:
                file.write(f"{report.nodeid}\n")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.before:
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter):
        if self.before:
            told = f"{len(self.before)} passed before with the same files ({self.path})"
            terminalreporter.write_line(told)


def pytest_configure(config):
    if config.getoption("--go-on") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Passed(_passed_file()), "passed")


def pytest_collection_modifyitems(config, items):
    """Put the long tests first, and leave out what passed before if that is asked."""
    # LiteX puts it there to wait two seconds when anybody looks at it. Hypothesis looks at all.
    sys.modules.pop("litex.soc.interconnect.stream_sim", None)
    passed = config.pluginmanager.get_plugin("passed")
    told = getattr(config, "workerinput", {}).get("passed_before", ())
    before = set(passed.before if passed else told)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in before])
    items[:] = [item for item in items if item.nodeid not in before]
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))
