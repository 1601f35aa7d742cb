# SPDX-License-Identifier: Apache-2.0
"""What a user must know of files is one line on standard error, also without the command line."""

import subprocess
import sys

import pytest

SAY = "from plexor.base.disk.notices import say; say('a: 100 % damaged')"


@pytest.mark.parametrize("first", ["", "from plexor import cli; cli.main(['--version']); "])
def test_it_is_one_line_on_standard_error(first):
    done = subprocess.run(
        [sys.executable, "-c", first + SAY], capture_output=True, text=True, check=True
    )
    assert done.stderr == f"{'plexor: ' if first else ''}a: 100 % damaged\n"
