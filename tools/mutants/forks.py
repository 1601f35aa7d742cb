# SPDX-License-Identifier: Apache-2.0
"""A process that has imported what all tests import, and forks for each run of some of them.

To start Python, pytest and numpy takes longer than most tests. Nothing of Plexor's is imported
before the fork: each run meets the files as they are then.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

MODULES = ("pytest", "hypothesis", "hypothesis.extra.numpy", "numpy", "click", "_pytest.junitxml")
"""What is imported before the fork: nothing of it keeps threads."""
OPTIONS = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
"""Hypothesis, which is a plug-in as well, is imported before pytest can rewrite it."""
FOREIGN = ("plexor", "plexor_lab", "plexor_sim")
"""What must not be."""


class Forks:
    """A process in `root` that runs pytest with arguments, each time in a child of its own."""

    def __init__(self, root: Path, environment: Mapping[str, str], told: Path) -> None:
        self._told = told
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(told)],
            cwd=root,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def pytest(self, arguments: Sequence[str], timeout_s: float) -> int | None:
        """Return the exit code of pytest; None if it was still running after the time-out."""
        told, answers = self._process.stdin, self._process.stdout
        assert told is not None
        assert answers is not None
        told.write(json.dumps([timeout_s, *arguments]) + "\n")
        answer = answers.readline()
        if not answer:
            raise SystemExit(f"mutants: the runner of tests ended: {self.output()}")
        return json.loads(answer)

    def output(self) -> str:
        """Return the end of what the last run printed."""
        return self._told.read_text(errors="replace")[-1000:]

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def _serve(told: Path) -> None:
    for name in MODULES:
        import_module(name)
    early = {name.partition(".")[0] for name in sys.modules} & set(FOREIGN)
    assert not early, early
    for line in sys.stdin:
        timeout_s, *arguments = json.loads(line)
        print(json.dumps(_forked(arguments, timeout_s, told)), flush=True)


def _forked(arguments: list[str], timeout_s: float, told: Path) -> int | None:
    child = os.fork()
    if child == 0:
        _run(arguments, told)
    code = _ended(child, timeout_s)
    # What a test with a fault has started may outlive it.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if code is None:
        os.waitpid(child, 0)
    return code


def _ended(child: int, timeout_s: float) -> int | None:
    """Wait; return the exit code, or None at the time-out or if nobody waits for it any more."""
    handle = os.pidfd_open(child)
    try:
        # Nothing is asked for before the answer: input is readable at its end alone.
        ready, _, _ = select.select([handle, sys.stdin.fileno()], [], [], timeout_s)
    finally:
        os.close(handle)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if handle in ready else None


def _run(arguments: list[str], told: Path) -> None:
    code = 1
    try:
        os.setsid()
        file = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for new, old in ((nothing, 0), (file, 1), (file, 2)):
            os.dup2(new, old)
        # `python -m` puts the folder that it is started in first.
        sys.path.insert(0, os.getcwd())
        code = int(import_module("pytest").main([*OPTIONS, *arguments]))
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        # Threads of a test must not hold up its end.
        os._exit(code)


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
