# SPDX-License-Identifier: Apache-2.0
"""The same command again: a simulated instrument starts a run at the same tick each time."""

import json
from pathlib import Path
from typing import Any

import pytest

import plexor_sim
from plexor import cli

IRQ = str(Path(plexor_sim.__file__).parent / "examples" / "irq.toml")
OF_THE_DAY = ("started", "wall_seconds")
"""All that may differ between two runs of one command."""


COUNTS = pytest.mark.parametrize("count", ["60", pytest.param("300", marks=pytest.mark.full)])


def measured(capsys, count: str, *arguments: str) -> dict[str, Any]:
    """Return the document of a short run of the example's device, whose clock is its own."""
    strikes = ("--rate", "20k", "--dither", "512ns", "--count", count)
    assert cli.main(["measure", "--dut", IRQ, *strikes, *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def without_the_day(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in OF_THE_DAY}


@COUNTS
def test_the_same_seed_gives_the_same_figures_again(capsys, count):
    first, again = (without_the_day(measured(capsys, count, "--seed", "7")) for _ in range(2))
    assert first == again


@COUNTS
def test_another_seed_gives_other_figures(capsys, count):
    one, other = (without_the_day(measured(capsys, count, "--seed", n)) for n in ("7", "8"))
    assert one["channels"] != other["channels"]
