# SPDX-License-Identifier: Apache-2.0
"""Bins by the sheet: those of a review that computed them by hand, and of PLLs drawn at random."""

import random
from itertools import pairwise
from types import SimpleNamespace

import pytest

from plexor.base.errors import ExitCode, InstrumentError
from plexor.experiments.calibration.sheet import (
    ECP5,
    ICE40_HX,
    ICE40_UP,
    OWN_PS,
    SHEETS,
    bins,
    outside,
)
from plexor.library.upkeep import calibrate as upkeep
from plexor.model.calibration import Calibration, ChannelInstants, Instants
from plexor.model.identity import Identity
from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.build import boards

TICKS_FS = {"ecp5": 500_000, "hx": 1_041_667, "up": 2_604_167}
FAMILIES = {"ecp5": ECP5, "hx": ICE40_HX, "up": ICE40_UP}


def ends(ranges):
    return round(min(r.least_ps for r in ranges)), round(max(r.greatest_ps for r in ranges))


@pytest.mark.parametrize(
    ("family", "typical", "common"),
    [
        # 5 % of 4 ns either way, at the two bins between a rising and a falling edge.
        ("ecp5", (500, 500), (300, 700)),
        ("hx", (1033, 1050), (93, 1679)),
        ("up", (2400, 2808), (1767, 3850)),
    ],
)
def test_bins_of_one_duty_cycle_are_those_of_the_review(family, typical, common):
    ranges = bins(FAMILIES[family], TICKS_FS[family], independent=False)
    widths = [r.typical_ps for r in ranges]
    assert (round(min(widths)), round(max(widths))) == typical
    assert ends(ranges) == common


@pytest.mark.parametrize(("family", "exchanges"), [("ecp5", True), ("hx", True), ("up", False)])
def test_phases_may_be_exchanged_where_a_bin_may_be_negative(family, exchanges):
    ranges = bins(FAMILIES[family], TICKS_FS[family], independent=True)
    assert (ends(ranges)[0] < 0) is exchanges


def drawn(sheet, tick_fs, numbers, independent):
    """Return the bins of a PLL that errs at random, as its sheet allows, from its clocks' edges."""
    period_ps = 2 * sheet.clocks * tick_fs / 1000
    common = numbers.uniform(-1, 1)
    step_ps = numbers.uniform(*sheet.step_ps) if sheet.step_ps else 0
    steps = {"hx": 7, "up": 16}
    rises, falls = [], []
    for clock in range(sheet.clocks):
        if sheet.step_ps:
            count = steps["hx" if sheet is ICE40_HX else "up"]
            rise_ps = clock * count * step_ps
        else:
            rise_ps = clock * period_ps / 2 / sheet.clocks
        own = numbers.uniform(-1, 1) if independent else common
        if independent:
            rise_ps += numbers.uniform(-1, 1) * sheet.phase * period_ps
        rises.append(rise_ps)
        falls.append(rise_ps + period_ps * (0.5 + own * sheet.duty))
    edges = [falls[-1] - period_ps, *rises, *falls]
    return [after - before for before, after in pairwise(edges)]


@pytest.mark.parametrize("independent", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_pll_that_its_sheet_allows_is_within_and_some_come_near_the_ends(family, independent):
    sheet, tick_fs = FAMILIES[family], TICKS_FS[family]
    numbers = random.Random(7)
    ranges = bins(sheet, tick_fs, independent=independent)
    found = [drawn(sheet, tick_fs, numbers, independent) for _ in range(1000)]
    for phase, bound in enumerate(ranges):
        widths = [widths[phase] for widths in found]
        assert bound.least_ps - 1e-6 <= min(widths)
        assert max(widths) <= bound.greatest_ps + 1e-6
        room = (bound.greatest_ps - bound.least_ps) * (0.4 if independent else 0.05) + 1e-6
        assert max(widths) - min(widths) >= bound.greatest_ps - bound.least_ps - 2 * room


def test_every_board_has_a_sheet_of_its_family():
    families = {"ecp5": ECP5, "ice40": ICE40_HX, "up5k": ICE40_UP}
    files = [boards.read(name) for name in boards.names()]
    assert {f.geometry.board: families[f.profile.family] for f in files} == SHEETS


def calibration(geometry, widths_ps):
    """Return a calibration of one channel with these bins, both ways, known to 3 ps."""
    tick_ps = geometry.tick_fs / 1000
    late, total = [], 0.0
    for phase, width_ps in enumerate(widths_ps):
        total += width_ps if phase else 0
        late.append(round(total - phase * tick_ps))
    found = Instants(tuple(late), (3,) * len(late), 20_000)
    channels = (ChannelInstants(0, found, found),)
    return Calibration("serial", 1, geometry.board, False, geometry.tick_fs, "now", 1, channels, ())


HX8K = Geometry(
    channels=1, samples=8, phases=4, tick_fs=1_041_667, board="hx8kevn", features=Feature.EVENTS
)


@pytest.mark.parametrize(
    ("widths_ps", "told"),
    [
        ([1033, 1050, 1034, 1050], []),
        ([1679, 1050, 93, 1345], []),
        ([1033, 1365 + OWN_PS, 1034, 735 - OWN_PS], []),
        ([1033, 1500, 1034, 600], [1]),
        ([1900, 1050, 1034, 183], [0]),
    ],
)
def test_a_bin_outside_the_sheet_is_told_with_what_is_allowed(widths_ps, told):
    lines = list(outside(calibration(HX8K, widths_ps), HX8K))
    assert len(lines) == 2 * len(told)
    for phase, line in zip(told, lines, strict=False):
        width = widths_ps[phase]
        assert line.startswith(f"ch0, edges up: the bin of phase {phase} is {width} ps wide")
        assert "Lattice DS1040, p. 3-16 allows " in line


UP5K = Geometry(
    channels=1, samples=8, phases=4, tick_fs=2_604_167, board="icebrkr", features=Feature.EVENTS
)


@pytest.mark.parametrize(
    ("widths_ps", "told"),
    [
        # Even ones, as a simulated board has: of 16 steps of the delay the sheet has no range.
        ([2604, 2604, 2604, 2604], []),
        ([3850, 2400, 1767, 2399], []),
        ([4100, 2400, 1517, 2399], [0, 2]),
    ],
)
def test_a_bin_of_whose_errors_the_sheet_says_nothing_is_not_told(widths_ps, told):
    lines = [line for line in outside(calibration(UP5K, widths_ps), UP5K) if "up" in line[:14]]
    assert [line.split("phase ")[1][0] for line in lines] == [str(phase) for phase in told]


def test_an_instrument_without_a_sheet_has_no_bounds():
    other = Geometry(channels=1, samples=8, phases=4, tick_fs=1_041_667)
    assert list(outside(calibration(other, [4000, 50, 60, 56]), other)) == []


def test_calibrate_fails_and_keeps_nothing_where_a_bin_lies_outside(monkeypatch, tmp_path):
    found = calibration(HX8K, [1900, 1050, 1034, 183])
    monkeypatch.setattr(upkeep, "calibrate", lambda *_: found)
    device = SimpleNamespace(name="board", serial="serial", identity=Identity(HX8K, 1))
    told = []
    with pytest.raises(InstrumentError, match=r"1900 ps wide.* and 1 more; nothing is") as error:
        upkeep.calibrated(device, path=tmp_path / "x.json", on_line=told.append)
    assert error.value.exit_code == ExitCode.LINK
    assert len(told) == 2
    assert not (tmp_path / "x.json").exists()
