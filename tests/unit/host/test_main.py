# SPDX-License-Identifier: Apache-2.0
"""`python -m plexor` is the command line, and importing it is not."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("words", "out", "code"),
    [
        (["-m", "plexor", "--version"], "plexor, version ", 0),
        (["-m", "plexor", "no-such-command"], "", 2),
        (["-c", "import plexor.__main__"], "", 0),
    ],
)
def test_python_runs_the_command_line_and_an_import_does_not(words, out, code):
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stdout.startswith(out) if out else done.stdout == ""
