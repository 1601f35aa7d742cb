# SPDX-License-Identifier: Apache-2.0
"""Each program of the simulation ends with an exit code, and never with a traceback."""

import os
import re
import subprocess
import sys

import pytest

UNEXPECTED = 70
"""EX_SOFTWARE of sysexits.h."""


def python(code, *, shell=""):
    """Run Python code in a process of its own, through a shell if there is more of the line."""
    return subprocess.run(
        ["/bin/sh", "-c", f'"$P" -c "$CODE" {shell}'],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "P": sys.executable, "CODE": code},
    )


ENTERED = "import sys\nfrom plexor_sim.entry import entered\nsys.exit(entered(lambda: {}))"


def test_a_fault_in_the_simulation_is_one_line():
    done = python(ENTERED.format("1 // 0"))
    assert done.returncode == UNEXPECTED
    assert done.stderr.startswith("error: a fault of Plexor itself: ZeroDivisionError: ")
    assert done.stderr.count("\n") == 1
    path = re.search(r"report it with (\S+),", done.stderr)[1]
    with open(path) as report:
        assert "ZeroDivisionError" in report.read()
    os.unlink(path)


def test_a_reader_that_leaves_the_simulation_is_no_error():
    done = python(ENTERED.format("print('x' * 10**6) or 0"), shell="| true")
    assert done.stderr == ""


@pytest.mark.parametrize("module", ["serve", "starter", "devices"])
def test_each_program_of_the_simulation_enters_there(module):
    code = (
        "import runpy, plexor_sim.entry as e\n"
        "e.entered = lambda main: print('entered') or 0\n"
        f"runpy.run_module('plexor_sim.{module}', run_name='__main__')"
    )
    assert python(code).stdout == "entered\n"
