# SPDX-License-Identifier: Apache-2.0
"""Results of a build with a code port, from options to words: a stall, and latencies by code."""

import pytest
from bench import SMALL, run

from plexor.figures.analyse.analyse import analyse
from plexor.files.store.run_folder import load, save
from plexor.library.run import Run
from plexor.library.run_spec import RunSpec, settings_of
from plexor.model.code_tables import CodeFigures
from plexor.model.results import Kind
from plexor.protocol.registers import StatusFlag, StopReason
from plexor.show.facts import stop_line

DEVICE = "synthetic:latency=uniform:1us:3us,ch1.after=none"
COMMON = {"rate": "50k", "channels": ["ISR=ch0", "TASK=ch1"]}


def measured(folder, **options):
    settings = settings_of(RunSpec.of({**COMMON, **options}))
    return run(DEVICE, settings, folder, geometry=SMALL).result


@pytest.fixture(scope="module")
def silent(tmp_path_factory):
    """A run that sends no events."""
    return measured(tmp_path_factory.mktemp("silent"), count="40", mode="dump")


def test_a_run_ends_when_a_channel_stalls_and_says_so(tmp_path):
    result = measured(tmp_path, time="1s", stop_on=["stall:ch1>200us"])
    assert result.valid, result.invalid_reasons
    assert result.stop_reason == StopReason.STALL
    assert StatusFlag.TRIGGERED in result.flags
    assert result.trigger_ticks == result.start_ticks + 200_000
    assert 0 <= result.end_ticks - result.trigger_ticks < 20_000
    line = stop_line(analyse(result))
    assert line == "stopped by stall: no ch1 for more than 200 µs, at 200 µs"


def test_a_run_whose_strikes_are_done_does_not_stall(tmp_path):
    result = measured(tmp_path, count="5", timeout="500us", stop_on=["stall:ch1>200us"])
    assert result.stop_reason == StopReason.STRIKES
    assert result.trigger_ticks is None


def test_latencies_by_code_are_kept_and_sum_to_those_of_the_channel(silent, tmp_path):
    rise = silent.channels[0].measurement(Kind.RISE).statistics
    tables = silent.code_tables
    assert silent.valid, silent.invalid_reasons
    # The port is off, so no code comes into force.
    assert tables.channel == 0
    assert tables.latencies == (CodeFigures(0, 40, rise.sum_ticks, rise.min_ticks, rise.max_ticks),)
    assert tables.times == ()
    assert load(save(silent, tmp_path / "run")).code_tables == tables


def test_without_events_why_prints_latencies_by_code(silent):
    rise = silent.channels[0].measurement(Kind.RISE).statistics
    (isr, _) = Run(silent).why().document()["channels"]
    assert isr["missing"] == "the run kept no events"
    (row,) = isr["by_code"]
    assert (row["code"], row["answers"], row["late"]) == (0, 40, None)
    assert row["sum_ticks"] == rise.sum_ticks
    text = Run(silent).why().text()
    assert "when struck" in text
