# SPDX-License-Identifier: Apache-2.0
"""What a person is told of a schedule: how long it takes, and the live view."""

from types import SimpleNamespace

from plexor_lab.mixed.model import Mode
from plexor_lab.mixed.spec import MixedSpec
from plexor_lab.mixed.watched import estimate_text, live_text, parameters

from .lists import TICK_FS
from .test_view import looked


def test_how_long_the_runs_take_is_told_before_they_begin():
    # 105 steps of 71.11 ms for each run.
    assert estimate_text(MixedSpec()) == "5 runs, 37.3 s of the device's time"
    assert estimate_text(MixedSpec(mode="normal")) == "1 run, 7.47 s of the device's time"


def test_the_parameters_are_those_of_the_run():
    found = parameters(MixedSpec(seed=7, ids="random"), "mixed-2")
    assert found == [
        "mode mixed",
        "100 entries · one each step, 71.11 ms · 8 ids, random, seed 7",
        "distance 2 steps",
        "limit 1 ms",
    ]
    assert not any("distance" in text for text in parameters(MixedSpec(), "verify"))


def test_the_live_view_has_the_lists_of_the_run_under_way():
    seen = looked(Mode.MIXED, 4, [(9, 0x12, False)])
    seen.run.device = SimpleNamespace(identity=SimpleNamespace(tick_fs=TICK_FS))
    text = live_text(seen, MixedSpec(), "mixed-1", "mixed-1  9 %", width=100, colour=False)
    assert "mixed-1  9 %" in text
    assert "schedule: 16 to come, 5 issued" in text
    assert "distance 1 step" in text
