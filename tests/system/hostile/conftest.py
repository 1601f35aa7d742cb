# SPDX-License-Identifier: Apache-2.0
"""Cases of one line, one exit code and no traceback."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Sequence

import pytest

import plexor.wire.link.sim
from plexor import cli
from plexor.wire.link.sim_process import SimProcess
from plexor_sim import serve
from plexor_sim.entry import entered

Refused = Callable[[list[str], int, str], str]


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Refused:
    """Return a function that runs a command which must fail, with one clear line on stderr."""

    def run(arguments: list[str], code: int, says: str) -> str:
        assert cli.main(arguments) == code
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("plexor: ")
        assert err.count("\n") == 1
        assert "Traceback" not in err
        assert len(err) < 600
        assert says in err
        return err

    return run


class _Refused:
    """Stands for the process of a simulator that does not start."""

    def __init__(self, code: int, said: str) -> None:
        self.code = code
        self._last = said.splitlines()[-1]

    def line(self, _: float) -> None:
        """Return that nothing was printed."""

    def ended(self) -> tuple[int, str]:
        """Return the exit code and the last line on standard error."""
        return self.code, self._last

    def end(self) -> None:
        """End nothing."""


def _started(command: Sequence[str]) -> _Refused | SimProcess:
    """Return a simulator's process, or what stands for it if its program refuses to start."""
    _, _, program, *arguments = command
    assert program == serve.__name__

    def code() -> int:
        found = serve.command_of(arguments, os.getpid())
        return found if isinstance(found, int) else 0

    with contextlib.redirect_stderr(io.StringIO()) as said:
        refused = entered(code)
    return _Refused(refused, said.getvalue()) if refused else SimProcess(command)


@pytest.fixture
def within(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start a process for those simulators alone that their program does not refuse by itself."""
    monkeypatch.setattr(plexor.wire.link.sim, "SimProcess", _started)
