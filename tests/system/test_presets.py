# SPDX-License-Identifier: Apache-2.0
"""Saturation frequencies of the study's two systems, found by the Verilated instrument."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from plexor import cli
from plexor.library.scans.sweep import Sweep

# As docs/study.md has them, idle and under load: of the study, or chosen where it has none.
KNEES_HZ = {
    "ce30": {"IST": (100_500, 80_000), "APP": (60_000, 27_000)},
    "cenet": {"IST": (47_000, 47_000), "APP": (40_000, 39_200)},
}
CHANGE = {"ce30": Fraction(-55, 100), "cenet": Fraction(-2, 100)}


def swept(name, folder, *options):
    """Return the folder of a sweep of both loads by the command line."""
    arguments = ["sweep", "--dut", name, "--load", "none,polygons", "--criterion", "missed<1%"]
    arguments += ["--executor", "local:2", "--out", str(folder / name), "--json"]
    assert cli.main([*arguments, *options]) == 0
    return folder / name


def check(folder, name, most):
    """Check each saturation frequency, and what the table says of APP's change."""
    found = {(knee.load, knee.channel): knee.bracket for knee in Sweep.load(folder).knees}
    for channel, knees in KNEES_HZ[name].items():
        for under, hz in zip(("none", "polygons"), knees, strict=True):
            bracket = found[under, channel]
            assert bracket.width <= most
            assert abs(bracket.passing_hz / hz - 1) <= most, (channel, under)


def change(folder, capsys):
    """Return APP's change as the table has it."""
    capsys.readouterr()
    assert cli.main(["lab", "table", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["changes"]
    (own,) = (entry for entry in found if entry["role"] == "task")
    return own


@pytest.mark.full
def test_a_sweep_and_a_table_tell_ce_3_0_loaded_from_idle(tmp_path, capsys):
    near = ["--from", "25k", "--to", "110k", "--points", "4", "--resolution", "20%"]
    folder = swept("ce30", tmp_path, *near, "--page", str(tmp_path / "page.html"))
    check(folder, "ce30", 0.2)
    own = change(folder, capsys)
    assert Fraction(own["least"]) <= CHANGE["ce30"] <= Fraction(own["most"])
    assert own["source"] == "simulated"
    assert "<svg" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", KNEES_HZ)
def test_the_figures_of_the_study_are_recovered_within_one_per_cent(name, tmp_path, capsys):
    folder = swept(name, tmp_path, "--from", "20k", "--to", "200k")
    check(folder, name, 0.01)
    own = change(folder, capsys)
    assert abs(Fraction(own["part"]) - CHANGE[name]) <= Fraction(1, 100)
    # A rate within half a per cent above the knee passes: it takes more strikes to lose one there.
    assert Fraction(own["least"]) - Fraction(1, 200) <= CHANGE[name]
    assert Fraction(own["most"]) + Fraction(1, 200) >= CHANGE[name]
