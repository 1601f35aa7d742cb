# SPDX-License-Identifier: Apache-2.0
"""Strikes that a code starts: inside what it begins, at a fixed time from its pins."""

import numpy as np
import pytest
from bench import SMALL
from code_port import codes_of
from struck_codes import planted, told_run

from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.registers import CodeMode, StopOn, Stream, Trigger
from plexor_sim.golden.settings import Settings
from plexor_sim.golden.stimulus import strikes

COUNT = 400
"""Codes that are planted: they last some 500 µs."""
ASKED = {"strike_count": 3, "interval_ticks": 2311, "width_ticks": 150, "enable": 1}


@pytest.mark.parametrize(("settle_clocks", "phase_ticks"), [(1, 0), (3, 7), (8, 9999)])
def test_a_code_starts_strikes_at_its_time_the_settle_time_and_the_phase(
    tmp_path, settle_clocks, phase_ticks
):
    option, times, values = planted(tmp_path, 5, COUNT, (150_000, 2_000_000))
    asked = max(set(values), key=values.count)
    stimulus = {**ASKED, "phase_ticks": phase_ticks, "trigger": Trigger.CODE}
    code = {"mode": CodeMode.CHANGE, "settle_clocks": settle_clocks, "trigger_code": asked}
    told = told_run(
        f"ch1.latency=300000,ch0.latency=100000,{option}",
        {
            ("control", "stream", 0): Stream.LIVE,
            ("control", "stop_on", 0): StopOn.TIME,
            ("control", "run_time_ticks", 0): 1_000_000,
            **{("stimulus", name, 0): value for name, value in stimulus.items()},
            **{("code", name, 0): value for name, value in code.items()},
        },
    )
    start, end = told.status["start_ticks"], told.status["end_ticks"]
    begun = np.array(
        [t for t, v in zip(times, values, strict=True) if v == asked and start < t < end], np.int64
    )
    assert len(begun) > 5
    assert {t for t, v in codes_of(told.batch).tolist() if v & 0xFFFF == asked} == set(
        begun.tolist()
    )
    settings = Settings.of(stimulus={0: stimulus}, code={0: code})
    (expected, *_) = strikes(SMALL, settings, start, end, coded=begun)
    rises = (told.batch.sources() == SOURCE_STRIKE) & (told.batch.polarities() == 1)
    assert told.batch.time_ticks()[rises].tolist() == expected.rise_ticks.tolist()
    assert len(expected.rise_ticks) > 10
