# SPDX-License-Identifier: Apache-2.0
"""Files of measured services become a fit, and a platform's file with the core's times."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.files.store.run_folder import save
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


def test_runs_are_fitted_as_their_maxima_are(tmp_path, run_of):
    """A tick of these runs is a nanosecond, and their time-out is 50 us."""
    head, *lines = MEASURED.read_text().splitlines()
    times, runs = [head], [head]
    for number, line in enumerate(lines):
        *files, n, time = line.split(",")
        latency = int(time.removesuffix("ns"))
        if latency < 50_000:
            save(run_of([[latency]], device={"N": n}), tmp_path / f"run{number}")
            named = ",".join(f"{EXAMPLES}/{name}" for name in files)
            times.append(f"{named},{n},{time}")
            runs.append(f"{named},,run{number}")
    assert len(runs) > 5
    (tmp_path / "times.csv").write_text("\n".join(times))
    (tmp_path / "runs.csv").write_text("\n".join(runs))
    of_runs, of_times = (fit_services([tmp_path / f"{name}.csv"]) for name in ("runs", "times"))
    assert of_runs.document() == of_times.document()


@pytest.mark.parametrize(
    ("latencies", "other", "text"),
    [
        ([1000, None], {}, "strikes were missed.*; a run without missed strikes would tell"),
        ([1000], {"invalid_reasons": ("no",)}, "the run is invalid; a valid one would tell"),
        ([None], {}, "has no latency; nothing can be checked"),
    ],
)
def test_a_run_that_may_have_taken_longer_is_not_fitted(tmp_path, run_of, latencies, other, text):
    save(run_of([latencies], **other), tmp_path / "run")
    head = "model,platform,map,n,measured\n"
    (tmp_path / "m.csv").write_text(
        f"{head}{EXAMPLES}/malloc.toml,{EXAMPLES}/sram.toml,{EXAMPLES}/sections.toml,13,run\n"
    )
    with pytest.raises(UsageError, match=rf"m\.csv:2: measured: .*{text}"):
        fit_services([tmp_path / "m.csv"])


def test_another_part_of_a_run_is_told_by_its_column(tmp_path, run_of):
    save(run_of([[1000]]), tmp_path / "run")
    (tmp_path / "m.csv").write_text(
        "model,platform,map,n,measured,of\n"
        f"{EXAMPLES}/malloc.toml,{EXAMPLES}/sram.toml,{EXAMPLES}/sections.toml,13,run,period\n"
    )
    with pytest.raises(
        UsageError, match=r"m\.csv:2: measured: of: 'period'; must be one of latency, on-width"
    ):
        fit_services([tmp_path / "m.csv"])
