# SPDX-License-Identifier: Apache-2.0
"""`plexor explain`: a seed's causes of late answers, planted in a device and found from outside.

A real-time clock that is read over a slow bus puts each n-th answer off by 60 µs; a miss of the
TLB puts answers off at random. The truth is the simulator's log of the device's edges.
"""

import json
from fractions import Fraction

import numpy as np
import pytest

from plexor import cli
from plexor.library.run import Run
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE

from .bench import Outcome, run

EVERY = 20
STRIKES = 400
PUT_OFF_PS = 60_000_000
PERIOD_S = Fraction(1, 10_000)


def struck(latency: str, folder) -> Outcome:
    strike = Stimulus(period_s=PERIOD_S, count=STRIKES, dither_s=Fraction(1024, 10**9))
    settings = Settings(strikes=(strike,), channels=(Channel(0, "ISR"),))
    return run(f"synthetic:latency={latency}", settings, folder)


@pytest.fixture(scope="module")
def regular(tmp_path_factory):
    folder = tmp_path_factory.mktemp("regular")
    delays = folder / "delays.txt"
    delays.write_text("2000000\n" * (EVERY - 1) + f"{2_000_000 + PUT_OFF_PS}\n")
    return struck(f"list:{delays}", folder)


def test_each_nth_answer_that_is_60_us_late_is_one_cluster_and_n_is_exact(regular):
    (isr,) = Run(regular.result).why().document()["channels"]
    (cluster,) = isr["clusters"]
    tick_ps = regular.result.tick_fs // 1000
    assert cluster["answers"] == STRIKES // EVERY
    usual, late = isr["usual_min_ticks"], cluster["min_ticks"]
    assert abs((late - usual) * tick_ps - PUT_OFF_PS) <= tick_ps
    assert cluster["max_ticks"] - late <= 1
    recurrence = cluster["recurrence"]
    assert (recurrence["law"], recurrence["every"], recurrence["exact"]) == ("count", EVERY, True)


def test_the_command_prints_what_the_library_finds(regular, tmp_path, capsys):
    run_of = Run(regular.result)
    folder = run_of.save(tmp_path / "run1")
    assert cli.main(["explain", str(folder), "--view", "why", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == run_of.why().document()
    assert cli.main(["explain", str(folder), "--view", "why", "--over", "10us"]) == 0
    assert f"each {EVERY} answers, exactly" in capsys.readouterr().out
    assert cli.main(["explain", str(folder), "--view", "why", "--over", "10"]) == 2


def test_answers_that_are_late_at_random_are_counted_and_called_irregular(tmp_path):
    outcome = struck("0.95*uniform:1us:3us+0.05*uniform:61us:63us", tmp_path)
    strikes, answers = outcome.edges_ps(SOURCE_STRIKE), outcome.edges_ps(0)
    late = int(np.count_nonzero(answers - strikes > 30_000_000))
    assert 0 < late < STRIKES // 10
    (isr,) = Run(outcome.result).why().document()["channels"]
    (cluster,) = isr["clusters"]
    assert cluster["answers"] == late
    assert cluster["recurrence"] == {"law": "irregular"}


@pytest.mark.parametrize("dither_ns", [pytest.param(0, marks=pytest.mark.full), 4096])
def test_a_timer_of_1000_3_us_is_told_from_a_count_of_20(dither_ns, tmp_path):
    dither_s = Fraction(dither_ns, 10**9)
    strike = Stimulus(period_s=Fraction(1, 20_000), count=3000, dither_s=dither_s)
    settings = Settings(strikes=(strike,), channels=(Channel(0, "R"),))
    outcome = run("synthetic:latency=2us,width=1us,mask=1000300ns:30us", settings, tmp_path)
    (channel,) = Run(outcome.result).why().document()["channels"]
    (cluster,) = channel["clusters"]
    found = cluster["recurrence"]
    assert found["law"] == "period"
    assert found["period_ticks"] * outcome.result.tick_fs == pytest.approx(1_000_300e6, rel=1e-6)
