"""Lint, types and import rules hold."""

import pytest
from tools import lint


@pytest.mark.parametrize("command", lint.CHECKS, ids=lambda command: " ".join(command[:2]))
def test_a_check_finds_nothing(command, capsys):
    code = lint.check(command)
    assert code == 0, capsys.readouterr().out
