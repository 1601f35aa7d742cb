# SPDX-License-Identifier: Apache-2.0
"""Burst scans from Python: the length that was planted, and what is kept whatever ends them."""

import json
from fractions import Fraction

import pytest

import plexor
from plexor.base.errors import StoreError, UsageError
from plexor.library.scans.burst import BurstScan
from plexor.library.scans.burst import scanned as taken
from plexor.library.scans.burst_spec import BurstSpec
from plexor.library.specs.options import Target

from ...plain_text import columns_and_colour
from .answering import Answering

ASKED = {"low": "2us", "high": 20e-6, "period": "1ms", "points": 3, "channels": "ISR=ch0"}


def scanned(planted=None, **options):
    """Return a burst scan of a device that answers five strikes in a row, and the device."""
    device = planted or Answering(10**6, longest=5)
    asked = BurstSpec.of({"executor": lambda: device, **ASKED, **options})
    return taken(asked, Target(link="sim:synthetic")), device


def test_the_longest_burst_is_found_at_each_spacing():
    found, device = scanned()
    assert [limit.spacing_s for limit in found.limits][::2] == [
        Fraction(2, 10**6),
        Fraction(2, 10**5),
    ]
    assert {limit.channel for limit in found.limits} == {"ISR"}
    for limit in found.limits:
        assert (limit.lengths.passing, limit.lengths.failing) == (5, 6)
    assert (found.simulated, found.interrupted, found.error) == (True, False, None)
    assert device.jobs[0].rate_hz == 1000
    assert found.device == {"dut": "synthetic"}


def test_options_reach_the_jobs():
    found, device = scanned(most=4, width="1us", load="cpu", seed=7, criterion="missed<5%@90%")
    assert {limit.lengths.passing for limit in found.limits} == {4}
    strike = device.jobs[0].settings.strikes[0]
    assert (strike.width_s, strike.seed) == (Fraction(1, 10**6), 7)
    assert device.jobs[0].settings.load
    assert found.result.criterion == "missed<5%@90%"


def test_each_step_is_told_and_the_result_shows_itself():
    told = []
    found, device = scanned(on_step=lambda *told_of: told.append(told_of))
    assert [taken for _, _, taken, _ in told] == list(range(1, len(device.jobs) + 1))
    assert {job.draws_of for job, *_ in told} == {job.draws_of for job in device.jobs}
    # How many there will be is told from the first on.
    assert told[-1][3] == len(told)
    assert len(told) / 2 < told[0][3] < 2 * len(told)
    assert "5" in found.text()
    assert found.page().endswith("</html>\n")
    assert found.picture().startswith("<svg")
    assert found.document()["schema"] == "plexor.burst/1"
    assert "simulated" in repr(found)


def test_a_scan_and_its_page_are_kept_and_the_same_one_goes_on(tmp_path):
    out = tmp_path / "b"
    found, _ = scanned(out=out, device={"os": "x"})
    assert found.result == plexor.load(out).result
    kept = json.loads((out / "burst.json").read_text())
    assert len(kept.pop("sha256")) == 64
    assert kept == json.loads(json.dumps(found.document()))
    assert (out / "burst.html").read_text() == found.page()
    _, device = scanned(out=str(out))
    assert device.jobs == []
    told = f"^out {out}: already exists, with points 4, there 3; force replaces it"
    with pytest.raises(UsageError, match=told):
        scanned(out=out, points=4)
    assert scanned(out=out, points=4, force=True)[1].jobs


def test_a_scan_that_cannot_be_kept_is_returned_with_the_reason(tmp_path, monkeypatch):
    def full(path, content):
        raise StoreError(f"{path}: cannot write: No space left on device")

    monkeypatch.setattr("plexor.library.scans.burst.write_text", full)
    found, _ = scanned(out=tmp_path / "b")
    assert "No space left" in str(found.unsaved)
    assert found.limits


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"period": None}, "period: is missing; it must be given"),
        ({"low": "30us"}, "low and high: both must be above 0, and high above low"),
        ({"period": "30us"}, "high: must be at most half of period, or no burst fits"),
        ({"criterion": "late<1%"}, r"criterion late<1%@95%: must limit missed"),
        ({"length": 3}, "length: no such option; must be one of low, high, period, most"),
    ],
)
def test_what_cannot_be_scanned_is_refused_before_the_first_strike(asked, message):
    device = Answering()
    with pytest.raises(UsageError, match=f"^{message}"):
        scanned(device, **asked)
    assert device.jobs == []


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(BurstScan.text) == (100, False)
