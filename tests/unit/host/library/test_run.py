# SPDX-License-Identifier: Apache-2.0
"""A finished run: its figures, tables, texts, and how it is judged and kept."""

import dataclasses
import json

import numpy as np
import pytest

from plexor.base.errors import ExitCode, StoreError, UsageError
from plexor.files.store.run_folder import load
from plexor.library.run import Run

from ..plain_text import columns_and_colour


@pytest.fixture
def run(run_of):
    return Run(run_of([[1000, 2000, 3000, None]]))


def test_a_base_is_subtracted_from_latencies(run):
    for base in ("500ns", 0.5e-6):
        assert run.less(base=base)["ISR"].figures.rise.max_ticks == 2500


def test_what_it_shows_is_what_the_command_line_shows(run):
    assert "simulated" in run.text()
    assert run.page().startswith("<!doctype html>")
    assert run.picture().startswith("<svg")
    document = run.document()
    assert json.loads(json.dumps(document))["channels"][0]["name"] == "ISR"
    assert document["simulated"] is True


def test_a_budget_decides_its_exit_code(run, tmp_path):
    path = tmp_path / "budget.toml"
    for limit, code in (("4 us", ExitCode.PASS), ("2 us", ExitCode.BUDGET)):
        path.write_text(f'[all]\nmax = "{limit}"\n')
        verdict = run.judge(path)
        assert run.exit_code(verdict) == code
        assert limit.replace("us", "µs") in run.verdict_text(verdict)
    path.write_text('[channel.TASK]\nmax = "2 us"\n')
    with pytest.raises(UsageError, match='"TASK" is not in this run'):
        run.judge(path)


def test_an_invalid_run_is_invalid_whatever_its_budget_says(run_of):
    run = Run(run_of([[1000]], invalid_reasons=("the clock was lost",)))
    assert not run.valid
    assert run.exit_code() == ExitCode.INVALID
    assert "the clock was lost" in run.text()


def test_a_saved_run_is_the_same_and_is_not_overwritten(run, tmp_path):
    assert load(run.save(tmp_path / "run")) == run.result
    with pytest.raises(UsageError, match="already exists"):
        run.save(tmp_path / "run")
    run.save(tmp_path / "run", force=True)


def test_a_run_that_cannot_be_saved_says_where(run, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        run.save(tmp_path / "file" / "run")


def test_pictures_of_runs_with_other_ticks_are_refused(run, run_of):
    other = run_of([[1000]])
    geometry = dataclasses.replace(other.identity.geometry, tick_fs=500_000)
    other = dataclasses.replace(
        other, identity=dataclasses.replace(other.identity, geometry=geometry)
    )
    with pytest.raises(UsageError, match="must have the same tick"):
        run.picture(Run(other))


def test_events_are_columns_of_a_table(run):
    table = run.to_arrow()
    assert table.column("time_ticks").to_numpy().tolist() == run.events["time_ticks"].tolist()
    assert table.column("source").to_pylist()[:4] == ["strike0", "ISR", "ISR", "strike0"]
    assert table.schema.metadata[b"plexor.simulated"] == b"true"
    frame = run.to_pandas()
    assert np.array_equal(frame["polarity"], run.events["polarity"])


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Run.text) == (100, False)
    assert columns_and_colour(Run.verdict_text) == (100, False)
