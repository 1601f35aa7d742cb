# SPDX-License-Identifier: Apache-2.0
"""Cases of one line, one exit code and no traceback."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from plexor import cli

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
