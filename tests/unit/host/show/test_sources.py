# SPDX-License-Identifier: Apache-2.0
"""Simulated is labelled simulated: on every page, over every picture, and in the terminal."""

import dataclasses
import re

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.library.run import Run
from plexor.library.scans.sweep import Sweep
from plexor.model.identity import Identity
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.show.pictures.burst import burst_page, burst_plot
from plexor.show.pictures.phase import phase_page, phase_plot
from plexor.show.pictures.sweep import frontier
from plexor.show.terminal.burst import burst_text
from plexor.show.terminal.phase import phase_text

from ..coded import coded_run
from ..library.explain.test_coded import NAMES
from .scans_to_draw import MASKS, burst_result, limit, phase_result
from .sweeps_to_draw import SWEEPS
from .test_timeline import PLANTED

BOARD = Identity(Geometry(features=ALL_FEATURES & ~Feature.SIMULATED, board="ulx3s"), 7)


def of_run(run, simulated):
    return Run(run if simulated else dataclasses.replace(run, identity=BOARD))


def timeline(simulated):
    return of_run(coded_run(PLANTED, 20_000, NAMES), simulated).timeline()


def phase(simulated):
    return dataclasses.replace(phase_result(MASKS["wraps"]), simulated=simulated)


def burst(simulated):
    return dataclasses.replace(burst_result(limit(1, 4)), simulated=simulated)


def sweep(simulated):
    return Sweep(dataclasses.replace(SWEEPS["one load"], simulated=simulated))


PAGES = {
    "phase": lambda simulated: phase_page(phase(simulated)),
    "burst": lambda simulated: burst_page(burst(simulated)),
    "sweep": lambda simulated: sweep(simulated).page(),
    "timeline": lambda simulated: timeline(simulated).page(),
}
TEXTS = {
    "phase": lambda simulated: phase_text(phase(simulated), width=100, colour=True),
    "burst": lambda simulated: burst_text(burst(simulated), width=100, colour=True),
    "sweep": lambda simulated: sweep(simulated).text(colour=True),
    "timeline": lambda simulated: timeline(simulated).text(colour=True),
}
PLOTS = {
    "phase": lambda simulated: phase_plot(phase(simulated), phase(simulated).scans[0]),
    "burst": lambda simulated: burst_plot(burst(simulated)),
    "sweep": lambda simulated: frontier(sweep(simulated).result, "IST"),
}


@pytest.mark.parametrize("simulated", [True, False])
@pytest.mark.parametrize("kind", PAGES)
def test_a_page_and_each_of_its_figures_say_where_they_come_from(kind, simulated):
    page = PAGES[kind](simulated)
    (badge,) = re.findall(r'<span class="badge (\w+)">([^<]*)</span>', page)
    figures = re.findall(r'</b><small class="(\w+)">([^<]*)<', page)
    for colour, source in (badge, *figures):
        assert colour == ("bad" if simulated else "good")
        assert source.split()[0] == ("simulated" if simulated else "measured")


@pytest.mark.parametrize("simulated", [True, False])
@pytest.mark.parametrize("kind", PLOTS)
def test_a_picture_says_it_in_its_heading(kind, simulated):
    assert PLOTS[kind](simulated).heading[1] == ("simulated" if simulated else "measured")


@pytest.mark.parametrize("simulated", [True, False])
@pytest.mark.parametrize("kind", TEXTS)
def test_what_is_simulated_is_said_in_the_terminal_in_a_colour_of_its_own(kind, simulated):
    lines = TEXTS[kind](simulated).splitlines()
    alarm = "\x1b[35m"
    assert any("simulated" in line and alarm in line for line in lines[:3]) == simulated
    assert any("simulated" in line for line in lines[:3]) == simulated


@pytest.mark.parametrize("simulated", [True, False])
def test_a_run_says_it_everywhere(run_of, simulated):
    run = of_run(run_of([[1000, 2000] * 20]), simulated)
    said = "simulated" if simulated else "measured on ulx3s"
    assert said in run.page()
    assert said in run.text()
    assert analyse(run.result).result.simulated == simulated
