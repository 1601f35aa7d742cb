# SPDX-License-Identifier: Apache-2.0
"""A finished run: its figures, tables, texts, and how it is judged and kept."""

import dataclasses
import json
import sys

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
    table = run.events_arrow()
    assert table.column("time_ticks").to_numpy().tolist() == run.events["time_ticks"].tolist()
    assert table.column("source").to_pylist()[:4] == ["strike0", "ISR", "ISR", "strike0"]
    assert table.schema.metadata[b"plexor.simulated"] == b"true"
    frame = run.events_pandas()
    assert np.array_equal(frame["polarity"], run.events["polarity"])


def test_latencies_are_rows_of_a_table(run):
    frame = run.to_pandas()
    assert frame["class"].tolist() == ["answered"] * 3 + ["missed"]
    assert np.allclose(frame["latency_s"][:3], [1e-6, 2e-6, 3e-6])  # as planted; a tick is 1 ns
    assert frame["latency_s"].isna().tolist() == [False] * 3 + [True]
    assert run.to_arrow().column_names == ["channel", "strike", "time_s", "latency_s", "class"]


def test_a_run_is_one_line_and_a_small_table(run):
    """Latencies of 1, 2 and 3 µs, and one that never came, are planted."""
    line = repr(run)
    assert line.startswith("<plexor.Run simulated, 4 strikes: ISR ")
    assert "max seen 3 µs, missed 1>" in line
    assert "\n" not in line
    html = run._repr_html_()
    assert html.count("<tr>") == 2
    assert "3 µs" in html
    assert repr(run["ISR"]).startswith("<plexor.Reading ISR ")
    assert run["ISR"]._repr_html_().count("<tr>") == 2


def test_an_invalid_run_says_so_at_once(run_of):
    run = Run(run_of([[1000]], invalid_reasons=("the clock was lost",)))
    assert "simulated, INVALID, 1 strike:" in repr(run)
    assert "INVALID RUN: the clock was lost" in run._repr_html_()


def test_runs_are_a_figure_with_axes_that_are_named(run):
    figure = run.plot(run, names=["before", "after"])
    (axes,) = figure.axes
    assert axes.get_xlabel() == "latency / µs"
    assert axes.get_yscale() == "log"
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["before: ISR", "after: ISR"]
    with pytest.raises(UsageError, match="names: 1 for 2 runs"):
        run.plot(run, names=["one"])


def test_without_matplotlib_one_line_says_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UsageError, match="pip install matplotlib"):
        run.plot()


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Run.text) == (100, False)
    assert columns_and_colour(Run.verdict_text) == (100, False)
