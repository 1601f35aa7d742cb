# SPDX-License-Identifier: Apache-2.0
"""Files of measured services become a fit, and a platform's file with the core's times."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor_lab.bound.bound import Bound
from plexor_lab.bound.files.platform_file import read_platform
from plexor_lab.bound.fitted import Fitted, fit_services

from ...plain_text import columns_and_colour
from .createthread import EXAMPLES

MEASURED, TRIED = EXAMPLES / "measured.csv", EXAMPLES / "tried.csv"


def test_the_examples_meet_platforms_that_were_not_fitted():
    document = fit_services([MEASURED], [TRIED]).document()
    assert document["tried"]["mean_error"] < 0.05
    assert document["tried"]["worst_error"] < 0.15
    assert len(document["fitted"]["services"]) == len(document["tried"]["services"]) == 10
    assert fit_services([MEASURED]).document()["tried"] is None


def test_the_margin_is_that_of_fitted_and_tried_services(tmp_path):
    fitted = fit_services([MEASURED], [TRIED])
    assert fitted.fit.margin > fit_services([MEASURED]).fit.margin
    out = tmp_path / "rom-bound.toml"
    fitted.write(out, EXAMPLES / "rom.toml", bound=True)
    bound = Bound(EXAMPLES / "malloc.toml", out)
    for each in fitted.tried:
        if each.service.platform.title == "code in slow ROM":
            assert each.service.measured_ns <= bound.total_ns(each.service.n)


def test_a_written_platform_gives_the_estimate_again(tmp_path):
    fitted = fit_services([MEASURED])
    out = tmp_path / "sram.csv"
    fitted.write(out, EXAMPLES / "sram.toml")
    assert read_platform(out).regions
    bound = Bound(EXAMPLES / "malloc.toml", out)
    for each in fitted.fit.services[:5]:
        assert bound.total_ns(each.service.n) == each.estimate_ns


def test_a_further_model_needs_a_map_to_the_platform(tmp_path):
    model = tmp_path / "m.toml"
    model.write_text("[section.1]\nrepetition = 1\nblocking = false\nrodata8.read = 1\n")
    fitted = fit_services([MEASURED])
    with pytest.raises(UsageError, match=r"sram\.toml: has no time for rodata8\.read"):
        fitted.write(tmp_path / "o.toml", EXAMPLES / "sram.toml", models=[model])
    places = tmp_path / "p.toml"
    places.write_text('[map]\nrodata8 = "rodata"\n')
    fitted.write(tmp_path / "o.toml", EXAMPLES / "sram.toml", models=[model], region_map=places)
    times = read_platform(tmp_path / "o.toml").times_ns
    extra = {term.name: term.time_ns for term in fitted.fit.terms}["read"]
    assert {t for (name, _), t in times.items() if name == "rodata8"} == {Fraction(20) + extra}


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Fitted.text) == (100, False)
