# SPDX-License-Identifier: Apache-2.0
"""Systems side by side from Python: runs and sweeps, at hand or by their paths."""

import json

import pytest

import plexor
from plexor.base.errors import InvalidRunError, StoreError, UsageError
from plexor.files.store.run_folder import save
from plexor.library.scans.sweep import Sweep
from plexor_lab.study.reference import Role
from plexor_lab.study.systems import Jitter
from plexor_lab.study.table import Table, table

from ...plain_text import columns_and_colour
from ...sweeps import swept


@pytest.fixture
def kept(tmp_path, run_of):
    """Return folders of a run of 200 strikes and of a sweep of the same system."""
    save(run_of([[1000, 3000] * 100, [2000] * 200], device={"dut": "ce30"}), tmp_path / "run")
    Sweep(swept({"none": 100_000, "cpu": 40_000})).write(tmp_path / "sweep")
    return [tmp_path / "run", str(tmp_path / "sweep")]


def test_a_run_and_a_sweep_of_a_system_share_its_row(kept):
    found = table(kept)
    idle, loaded = found.rows
    assert (idle.system, idle.load, loaded.load) == ("ce30", "none", "cpu")
    assert idle.timing[Role.INTERRUPT].taken_from.endswith("run")
    assert float(idle.timing[Role.INTERRUPT].jitter_s) == pytest.approx(2e-6)
    assert idle.saturation[Role.INTERRUPT].bracket.passing_hz == 100_000
    assert [change.load for change in found.changes] == ["cpu", "cpu"]


def test_what_is_at_hand_gives_the_same_figures_as_its_folder(kept):
    at_hand = table([plexor.load(path) for path in kept])
    by_path = table(kept)
    for one, other in zip(at_hand.rows, by_path.rows, strict=True):
        assert one.timing[Role.INTERRUPT].median_s == other.timing[Role.INTERRUPT].median_s
        assert one.saturation[Role.TASK].bracket == other.saturation[Role.TASK].bracket
    assert at_hand.rows[0].timing[Role.TASK].taken_from == "run 1"
    assert at_hand.rows[0].saturation[Role.TASK].taken_from == "sweep 2"


@pytest.mark.parametrize("jitter", ["jitter128", "peak-to-peak", "rms", Jitter.RMS])
def test_the_jitter_is_the_one_that_is_asked_for(kept, jitter):
    found = table(kept, jitter=jitter)
    assert found.jitter == Jitter(jitter)
    assert found.document()["jitter"] == Jitter(jitter).value


def test_the_study_and_its_advice_are_shown_if_they_are_wanted(kept):
    with_study = table(kept, interval="1ms")
    document = json.loads(json.dumps(with_study.document()))
    assert document["schema"] == "plexor.table/1"
    assert document["reference"]["statements"]
    assert document["advice"]
    assert "reference" in with_study.text()
    bare = table(kept, reference=False)
    assert {"reference", "advice"} & set(bare.document()) == set()
    assert len(bare.text(width=80)) < len(with_study.text(width=80))


def test_what_cannot_be_put_side_by_side_is_refused(kept, run_of, tmp_path):
    with pytest.raises(UsageError, match=r"^jitter: 'span'; must be one of jitter128"):
        table(kept, jitter="span")
    with pytest.raises(InvalidRunError, match="run 1: PLL"):
        table([plexor.Run(run_of([[1000]], invalid_reasons=("PLL",)))])
    with pytest.raises(UsageError, match="the system has no name"):
        table([plexor.Run(run_of([[1000]], device={}))])
    with pytest.raises(StoreError, match=str(tmp_path)):
        table([tmp_path])


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Table.text) == (100, False)


def test_a_table_names_where_its_figures_are_from(kept):
    found = table(kept)
    assert [path for path, _ in found.sweeps] == [kept[1]]
    text = " ".join(found.text(width=400).split())
    assert f"latency and jitter at 20 kHz: {kept[0]}" in text
    assert f"width 1 µs: {kept[1]}" in text
    assert "cannot be compared" not in text
