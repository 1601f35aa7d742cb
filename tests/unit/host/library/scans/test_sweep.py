# SPDX-License-Identifier: Apache-2.0
"""Sweeps from Python: the knee that was planted, and what is kept whatever ends them."""

import json
from fractions import Fraction

import pytest

import plexor
from plexor.base.documents import unsealed
from plexor.base.errors import StoreError, UsageError
from plexor.experiments.sweep.model import SweepResult
from plexor.library.scans.sweep import Sweep
from plexor.library.scans.sweep import swept as taken
from plexor.library.scans.sweep_spec import SweepSpec
from plexor.library.specs.options import Target

from ...plain_text import columns_and_colour
from .answering import TICK_FS, Answering

ASKED = {"low": "1k", "high": 100_000, "channels": ["ISR=ch0", "TASK=ch1"]}
MOST_HZ = 40_000


def swept(planted=None, **options):
    """Return a sweep of a device with a planted knee, and the device."""
    device = planted or Answering(MOST_HZ)
    asked = SweepSpec.of({"executor": lambda: device, **ASKED, **options})
    return taken(asked, Target(link="sim:synthetic")), device


def test_the_knee_of_each_channel_and_load_is_found():
    found, _ = swept(loads=["none", "cpu"])
    assert [(knee.load, knee.channel) for knee in found.knees] == [
        ("none", "ISR"),
        ("none", "TASK"),
        ("cpu", "ISR"),
        ("cpu", "TASK"),
    ]
    for knee in found.knees:
        assert knee.bracket.passing_hz <= MOST_HZ < knee.bracket.failing_hz
        assert knee.bracket.width <= Fraction(1, 100)
    assert (found.simulated, found.interrupted, found.error, found.unsaved) == (
        *(True, False),
        *(None, None),
    )
    assert found.device == {"dut": "synthetic"}
    assert (found.valid, found.exit_code()) == (True, 0)


def test_options_reach_the_jobs():
    found, device = swept(
        resolution="10%", points=3, dwell=500, longest="5s", width="2us", dither=1e-7, seed=9
    )
    job = device.jobs[0]
    strike = job.settings.strikes[0]
    assert (strike.width_s, strike.dither_s) == (Fraction(2, 10**6), Fraction(1, 10**7))
    assert (strike.seed, job.least_strikes, job.most_s) == (9, 500, 5)
    assert found.knees[0].bracket.width <= Fraction(1, 10)
    assert len([step for step in found.steps if not step.for_channel]) == 3
    # The chip draws from a power of two of ticks of 0.5 ns: 256 of them are nearest by factor.
    used = "128 ns used, or 64 ns where the period has no room"
    assert found.result.shape == f"width 2 µs, dither 100 ns ({used})"
    assert swept(duty=0.2)[0].result.shape == "duty 0.2"


def test_each_step_is_told_and_the_result_shows_itself():
    told = []
    found, _ = swept(on_step=lambda *told_of: told.append(told_of))
    assert [taken for _, taken, _ in told] == list(range(1, len(found.steps) + 1))
    assert "40" in found.text()
    assert found.page().endswith("</html>\n")
    assert found.picture().startswith("<svg")
    assert len(found.document()["knees"]) == 2
    assert "simulated" in repr(found)


def test_a_sweep_is_kept_and_the_same_one_goes_on(tmp_path):
    out = tmp_path / "s"
    found, device = swept(out=out, device={"os": "x"})
    assert found.result == plexor.load(out).result
    assert found.device == {"dut": "synthetic", "os": "x"}
    assert device.jobs
    again, device = swept(out=str(out))
    assert device.jobs == []
    assert again.steps == found.steps
    told = f"^out {out}: already exists, with points 4, there not given; force replaces it"
    with pytest.raises(UsageError, match=told):
        swept(out=out, points=4)
    _, device = swept(out=out, points=4, force=True)
    assert device.jobs


def test_a_sweep_that_cannot_be_kept_is_returned_with_the_reason(tmp_path, monkeypatch):
    def full(scan, folder):
        raise StoreError(f"{folder}: cannot write: No space left on device")

    monkeypatch.setattr(plexor.Sweep, "write", full)
    found, _ = swept(out=tmp_path / "s")
    assert "No space left" in str(found.unsaved)
    assert found.knees


def test_steps_are_a_table_of_one_row_for_each_channel_of_each():
    found, _ = swept()
    table = found.to_arrow()
    assert table.num_rows == 2 * len(found.steps)
    rows = table.to_pylist()
    assert rows[0]["rate_hz"] == float(found.steps[0].rate_hz)
    for row in rows:
        passed = row["rate_hz"] <= MOST_HZ
        assert (row["answered"], row["missed"]) == ((1000, 0) if passed else (400, 600))
        assert row["verdict"] == ("pass" if passed else "fail")
    assert {row["channel"] for row in rows} == {"ISR", "TASK"}
    assert (rows[0]["min_ticks"], rows[0]["rms_ticks"], rows[0]["jitter128_ticks"]) == (
        *(300, 1.5),
        None,
    )
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    assert metadata == {"plexor.tick_fs": str(TICK_FS), "plexor.simulated": "true"}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"low": None}, "low: is missing; it must be given"),
        ({"low": "200k"}, "low 200000 high 100000: high must be above low"),
        ({"lowest": 3}, "lowest: no such option; must be one of low, high"),
        ({"criteria": "lost<1%"}, "criteria: criterion: 'lost<1%'"),
        ({"criteria": "late<1%"}, "criteria late< needs deadline"),
        ({"loads": ["a", "a"]}, "loads a,a: must be different names"),
    ],
)
def test_what_cannot_be_swept_is_refused_before_the_first_strike(asked, message):
    device = Answering()
    with pytest.raises(UsageError, match=f"^{message}"):
        swept(device, **asked)
    assert device.jobs == []


def test_the_document_is_that_of_the_command(tmp_path):
    found, _ = swept(out=tmp_path / "s")
    assert unsealed(json.loads((tmp_path / "s" / "sweep.json").read_text())) == json.loads(
        json.dumps(found.document())
    )
    assert isinstance(found.result, SweepResult)


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Sweep.text) == (100, False)
