# SPDX-License-Identifier: Apache-2.0
"""Arguments, settings and budget files that cannot be taken: one line, the right code."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path

import pytest

from ...unit.host.fake_device import FakeDevice
from ...unit.host.scenario import Scenario

HERE = Path(__file__).parent


def table(name: str) -> list[list[str]]:
    """Return the cases of a table: a text and what must be said of it."""
    return tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize(("line", "says"), table("arguments"))
def test_a_wrong_argument_is_one_line(refused, line, says):
    refused(shlex.split(line), 2, says)


@pytest.mark.parametrize(("line", "says"), table("unreachable"))
def test_a_link_that_is_none_is_one_line(refused, line, says):
    refused(shlex.split(line), 3, says)


@pytest.mark.parametrize(("text", "says"), table("budgets"))
def test_a_wrong_budget_is_one_line(refused, tmp_path, text, says):
    path = tmp_path / "budget.toml"
    path.write_text(text, encoding="utf-8")
    line = refused(["measure", "--rate", "1k", "--count", "1", "--budget", str(path)], 2, says)
    assert str(path) in line


@pytest.mark.parametrize("data", [b"\xff\xfe[\0a\0l\0l\0]\0", b"[all]\nmax = '\x80'", bytes(5000)])
def test_a_budget_that_is_no_text_is_one_line(refused, tmp_path, data):
    path = tmp_path / "budget.toml"
    path.write_bytes(data)
    refused(["measure", "--rate", "1k", "--count", "1", "--budget", str(path)], 2, str(path))


@pytest.mark.parametrize("depth", [10, 10_000])
def test_a_deep_budget_is_one_line(refused, tmp_path, depth):
    path = tmp_path / "budget.toml"
    path.write_text("[all]\nmax = " + "[" * depth + "]" * depth)
    refused(["measure", "--rate", "1k", "--count", "1", "--budget", str(path)], 2, str(path))


@pytest.mark.parametrize(("line", "says"), table("settings"))
def test_settings_out_of_range_are_one_line_and_start_nothing(refused, line, says):
    with FakeDevice(Scenario([100])) as device:
        refused(["measure", "--link", device.uri, *shlex.split(line)], 2, says)
        assert device.written == []
        assert device.starts == 0
