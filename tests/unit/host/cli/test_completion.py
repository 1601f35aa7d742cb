# SPDX-License-Identifier: Apache-2.0
"""Completion in shells: what bash offers is what the command line has."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from plexor import cli
from plexor.cli.completion import COMPLETING, SHELLS

BIN = Path(sys.executable).parent


def offered(script, words):
    """Return what bash offers for the last of the words."""
    line = f"""
        source /dev/stdin
        COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}
        _plexor_completion plexor
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        [shutil.which("bash"), "-c", line],
        input=script,
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_bash_offers_commands_and_options(capsys):
    assert cli.main(["--completion", "bash"]) == 0
    # Older ones than 4.4 have no `complete -o nosort`; only the function is wanted here.
    script = capsys.readouterr().out.replace("_plexor_completion_setup;", "")
    assert offered(script, ["plexor", "me"]) == ["measure"]
    assert offered(script, ["plexor", "measure", "--dith"]) == ["--dither"]
    assert offered(script, ["plexor", "measure", "--policy", "o"]) == ["oldest"]


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_asks_by_the_variable_that_is_answered(shell, capsys, monkeypatch):
    assert cli.main(["--completion", shell]) == 0
    assert f"{COMPLETING}={shell}_complete" in capsys.readouterr().out
    monkeypatch.setenv(COMPLETING, f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", "plexor mea")
    monkeypatch.setenv("COMP_CWORD", "mea" if shell == "fish" else "1")
    assert cli.main([]) == 0
    assert "measure" in capsys.readouterr().out
