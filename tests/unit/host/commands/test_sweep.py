# SPDX-License-Identifier: Apache-2.0
"""`plexor sweep` on standard error: each step, and the time that the rest may take."""

import time
from fractions import Fraction
from types import SimpleNamespace

from plexor.commands.scans.sweep import StepTeller


def test_each_step_says_how_long_the_rest_may_take(monkeypatch, capsys):
    now_s = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    teller = StepTeller()
    step = SimpleNamespace(
        load="none", rate_hz=Fraction(20_000), channels=[SimpleNamespace(name="R", verdict="pass")]
    )
    now_s = 1012.0
    teller.step(step, 4, 10)
    # Four steps took 12 s, so six take 18.
    assert capsys.readouterr().err == (
        "plexor: step 4 of about 10, 18 s left: none 20 kHz: R pass\n"
    )
    teller.step(step, 11, 10)
    assert "step 11 of about 11, 0 s left" in capsys.readouterr().err
