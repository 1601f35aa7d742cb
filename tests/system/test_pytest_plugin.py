# SPDX-License-Identifier: Apache-2.0
"""pytest-plexor in a project of its own: it passes, and fails on a planted regression."""

import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import plexor_sim

EXAMPLES = Path(plexor_sim.__file__).parent / "examples"
FILES = ("irq.v", "irq.toml", "budget.toml", "test_reflexes.py")
STRIKES = "400"


@pytest.fixture
def project(tmp_path):
    """A stranger's project: the files of the example, with fewer strikes."""
    for name in FILES:
        text = (EXAMPLES / name).read_text().replace('count="2k"', f'count="{STRIKES}"')
        (tmp_path / name).write_text(text)
    return tmp_path


def steps():
    """Return the commands of the workflow that GitHub's runner would run, but for installing."""
    lines = re.findall(r"^ {6}- run: (.*)$", (EXAMPLES / "ci-pytest.yml").read_text(), re.M)
    install, *rest = lines
    assert install.startswith("pip install ")
    return rest


def ran(project, *options):
    """Run the workflow's steps in a project; return the exit code and what was printed."""
    (command,) = steps()
    arguments = [*shlex.split(command), *options]
    assert arguments[0] == "pytest"
    # A stranger's pytest has no settings of ours.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "120"}
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(
        [sys.executable, "-m", *arguments, "-p", "no:cacheprovider"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.full
def test_a_project_passes_and_keeps_no_page(project):
    code, printed = ran(project)
    assert code == 0, printed
    assert "2 passed" in printed
    assert not (project / "pages").exists() or not list((project / "pages").iterdir())
    suite = ET.parse(project / "reflexes.xml").getroot().find("testsuite")
    properties = {entry.get("name"): entry.get("value") for entry in suite.iter("property")}
    assert properties["plexor.simulated"] == "True"
    assert properties["plexor.entry.missed"] == "0"
    assert 0 < float(properties["plexor.entry.max_s"]) <= 100e-9


def test_a_planted_regression_fails_with_interval_and_worst_event_and_keeps_its_page(project):
    slow = (project / "irq.toml").read_text().replace("SAVE_CYCLES = 12", "SAVE_CYCLES = 40")
    (project / "irq.toml").write_text(slow)
    code, printed = ran(project)
    assert code == 1
    assert "failed" in printed
    broken = (
        r"BROKEN: handled\[0\] p99 .*, 95 % interval .* ns to .* ns, limit ≤ 200 ns, 400 samples"
    )
    assert re.search(broken, printed)
    summary = r"(?m)^FAILED \S+ - handled\[0\] p99 440\.5 ns, limit ≤ 200 ns"
    assert re.search(summary, printed)
    assert re.search(r"handled\[0\] max seen \S+ ns at \S+ .s of the run, event \d", printed)
    assert "simulated" in printed
    pages = list((project / "pages").glob("test_reflexes.py-test_work_is_done*.html"))
    assert len(pages) == 1
    assert str(pages[0].name) in printed
    assert pages[0].read_text().endswith("</html>\n")


def test_a_run_that_is_worse_than_the_kept_one_fails_and_does_not_take_its_place(project):
    kept = ("--plexor-save", "runs", "--plexor-compare", "runs", "-k", "20_khz")
    code, printed = ran(project, *kept)
    assert code == 0, printed
    assert "plexor: compared with what runs keeps (0), fails on p99>+5%" in printed
    assert "plexor: runs without an earlier one in runs: 1" in printed
    (before,) = (project / "runs").glob("*/run.json")
    first = before.read_bytes()
    slow = (project / "irq.toml").read_text().replace("SAVE_CYCLES = 12", "SAVE_CYCLES = 14")
    (project / "irq.toml").write_text(slow)
    code, printed = ran(project, *kept)
    assert code == 1
    assert "compared with what runs keeps (1)" in printed
    assert "without an earlier one" not in printed
    # Two clocks of 10 ns more than 160.5 ns are 12.46 % more.
    summary = r"(?m)^FAILED test_reflexes\.py::\S+ - handled\[0\] p99>\+5%: \+12\.46 %"
    assert re.search(summary, printed)
    assert "FAIL: 1 of 2 changes are too large" in printed
    assert before.read_bytes() == first
    # What is allowed passes, and takes its place.
    assert ran(project, *kept, "--plexor-fail-on", "p99>+15%")[0] == 0
    assert before.read_bytes() != first
    # A kept run that cannot be read fails in a line, and stays.
    before.write_text("{}")
    code, printed = ran(project, *kept)
    assert code == 1
    assert "run.json: cannot read: schema: None; must be plexor.run-file/2" in printed
    assert "Traceback" not in printed
    assert before.read_text() == "{}"
