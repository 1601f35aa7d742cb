# SPDX-License-Identifier: Apache-2.0
"""The templates for GitHub, GitLab and make: the same code passes, and slower code does not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import plexor_sim

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = Path(plexor_sim.__file__).parent / "examples"
MEASURE = (
    "--dut irq.toml{} --rate 20k --dither 1024ns --count {} --seed {} --channel entry=ch0 "
    "--channel 'handled[0]=ch1'"
)
SLOWER = ":clock=10500ps"
"""The design's clock is 5 % slower, and so is each answer but for the 700 ps of its pins."""
FAIL_ON = "mean>+2%"


class Runner:
    """Does what a host of jobs does with a template's steps, but for what only the host has."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("irq.toml", "irq.v", "budget.toml"):
            (folder / name).write_bytes((EXAMPLES / name).read_bytes())
        # The folder of Plexor's own command comes first, as behind `pip install`.
        tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = os.environ | {
            "PATH": tools,
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        }
        self.said = ""

    def sh(self, script: str, **variables: str) -> int:
        """Run a script; return its exit code."""
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        self.said = done.stdout + done.stderr
        return done.returncode

    def github(self, measure: str, event: str) -> int:
        """Run the steps of action.yml; return the first exit code that is not 0."""
        action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
        values = {f"inputs.{key}": text.get("default") for key, text in action["inputs"].items()}
        values |= {"inputs.measure": measure, "inputs.fail-on": FAIL_ON}
        values |= {"inputs.budget": "budget.toml", "github.event_name": event}
        values |= {"inputs.plexor || github.action_path": str(ROOT)}
        code, said = 0, ""
        for step in action["runs"]["steps"]:
            if "uses" in step or step["name"] == "install":
                continue
            variables = {
                name: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: str(values[found[1]]), text)
                for name, text in step["env"].items()
            }
            if code == 0 or step.get("if") == "always()":
                code = self.sh(step["run"], **variables) or code
                said += self.said
        self.said = said
        return code

    def gitlab(self, measure: str, event: str) -> int:
        """Run the script of the job in ci/gitlab.yml."""
        job = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text())[".plexor"]
        branch = "main" if event == "push" else "topic"
        variables = {key: text for key, text in job["variables"].items() if key != "XDG_CACHE_HOME"}
        variables |= {"PLEXOR": str(ROOT), "MEASURE": measure, "FAIL_ON": FAIL_ON}
        variables |= {"CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BRANCH": branch}
        variables |= {"BUDGET": "budget.toml"}
        return self.sh("\n".join(job["script"]), **variables)

    def make(self, measure: str, event: str) -> int:
        """Run `make reflexes` with ci/plexor.mk."""
        (self.folder / "Makefile").write_text(
            f"MEASURE = {measure}\nBUDGET = budget.toml\nFAIL_ON = {FAIL_ON}\nPLEXOR = {ROOT}\n"
            f"include {ROOT}/ci/plexor.mk\n"
        )
        return self.sh(f"make reflexes {'KEEP=1' if event == 'push' else ''}")


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


HOSTS: dict[str, Callable[[Runner, str, str], int]] = {
    "github": Runner.github,
    "gitlab": Runner.gitlab,
    "make": Runner.make,
}


@pytest.mark.parametrize(
    "host", ["github", *(pytest.param(name, marks=pytest.mark.full) for name in ("gitlab", "make"))]
)
def test_slower_code_fails_and_is_reported(host: str, runner: Runner) -> None:
    job = HOSTS[host]
    assert job(runner, MEASURE.format("", 400, 1), "push") == 0, runner.said
    assert job(runner, MEASURE.format(SLOWER, 400, 3), "pull_request") != 0
    out = runner.folder / "plexor-out"
    assert "Compared with the base branch" in (out / "report.md").read_text()
    assert "<testcase" in (out / "checks.xml").read_text()
    if host == "github":
        assert re.search(r"(?m)^::error title=Plexor::slower than the base branch", runner.said)
        assert (runner.folder / "summary.md").read_text().count("Compared with the base") == 1


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_twenty_of_twenty_jobs_decide_rightly(runner: Runner) -> None:
    # With 400 strikes a mean of 36 ns varies by 0.4 %: one job in 20 cannot tell it from 2 %.
    assert runner.make(MEASURE.format("", 2000, 1), "push") == 0, runner.said
    for seed in range(2, 22):
        assert runner.make(MEASURE.format("", 2000, seed), "pull_request") == 0, (seed, runner.said)
        assert runner.make(MEASURE.format(SLOWER, 2000, seed), "pull_request") != 0, seed
