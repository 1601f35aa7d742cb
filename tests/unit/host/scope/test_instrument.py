# SPDX-License-Identifier: Apache-2.0
"""The library's instrument behind the page's interface: its pins, its settings, its runs."""

import dataclasses
from types import SimpleNamespace

import pytest

from plexor.base.errors import UsageError
from plexor.files.store.run_folder import load
from plexor.model.codes import CodeName
from plexor.protocol.geometry import Feature
from plexor.protocol.registers import RunState
from plexor.run.session.progress import Progress
from plexor.scope.instrument import EVERY_S, LibraryRun, open_rig

from ..coded import coded_run
from ..fake_device import FakeDevice
from ..scenario import GEOMETRY, Scenario

LATENCIES = [50, 61, 300, None, 50, 55, 61] * 12
RUN = {"rate": "1M", "count": "84", "channels": ["isr=ch0", "ch1"]}
BOARD = dataclasses.replace(GEOMETRY, features=GEOMETRY.features & ~Feature.SIMULATED)


@pytest.fixture
def fake():
    with FakeDevice(Scenario(LATENCIES, geometry=BOARD)) as found:
        yield found


@pytest.fixture
def bench(fake):
    found = open_rig(fake.uri, None)
    yield found
    found.close()


def test_the_page_is_told_what_is_at_the_link(bench, fake):
    about = bench.about
    assert about["link"] == fake.uri
    assert about["tick_fs"] == GEOMETRY.tick_fs
    assert not about["simulated"]
    assert about["source"].startswith("measured on ")
    assert [pin["name"] for pin in about["pins"]] == ["ch0", "ch1"]


def test_a_run_gives_its_events_and_its_result(bench):
    run = bench.begin(RUN)
    events = sum(map(len, run.events()))
    result = run.result()
    assert [channel.name for channel in result.channels] == ["isr", "ch1"]
    assert result.channels[0].strikes == len(LATENCIES)
    assert events == len(Scenario(LATENCIES).events)


def test_snapshots_are_asked_for_in_the_instruments_time(bench, fake):
    run = bench.begin(RUN)
    list(run.events())
    run.result()
    clock_fs = GEOMETRY.tick_fs * GEOMETRY.samples
    assert fake.get("control", "report_clocks") == pytest.approx(
        float(EVERY_S) * 1e15 / clock_fs, rel=1e-6
    )


def test_a_run_without_codes_has_nothing_to_explain(bench):
    run = bench.begin(RUN)
    list(run.events())
    assert bench.explain(run.result()) == {"timeline": "", "texts": {}}


def test_what_a_device_did_is_a_timeline_and_texts(bench):
    planted = [(1000, 1, 3), (3000, 8, 1), (5000, 9, 1), (7000, 1, 0)]
    names = (CodeName(1, 3, "motor"), CodeName(8, 1, "update"))
    found = bench.explain(coded_run(planted, 9000, names))
    assert found["timeline"].startswith("<svg")
    assert "motor" in found["timeline"]
    assert list(found["texts"]) == ["timeline", "why", "profile"]
    assert "motor" in found["texts"]["timeline"]
    assert "update" in found["texts"]["profile"]


def test_channels_that_carry_codes_are_not_measured(bench):
    assert {channel.number for channel in bench.channels({})} == {0, 1}
    settings = bench._settings({"code_wires": "ch0:ch1", "rate": "1k"})
    assert [channel.label for channel in settings.channels] == ["code clock", "code data"]


def test_a_run_can_be_kept_and_read_again(bench, tmp_path):
    run = bench.begin(RUN)
    list(run.events())
    result = run.result()
    bench.keep(result, tmp_path / "run")
    assert load(tmp_path / "run").channels == result.channels


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"rate": "fast"}, "rate"),
        ({"channels": ["isr"]}, "channel"),
        ({"channels": ["ch0", "a=ch0"]}, "twice"),
        ({"burst": "3"}, "spacing"),
        ({"stop_on": ["latency"]}, "condition"),
        ({"deadline": "50"}, "deadline"),
    ],
)
def test_wrong_settings_are_refused_as_on_the_command_line(bench, wrong, said):
    with pytest.raises(UsageError, match=said):
        bench.check({**RUN, **wrong})


def test_settings_are_checked_while_a_sweep_has_the_link(bench):
    bench._instrument._release()
    bench.check(RUN)
    assert [channel.label for channel in bench.channels(RUN)] == ["isr", "ch1"]
    with pytest.raises(UsageError, match="this instrument has"):
        bench.check({**RUN, "channels": ["ch7"]})
    assert bench._instrument._released


def test_an_instrument_without_snapshots_and_events_shows_its_results_at_the_end():
    less = BOARD.features & ~(Feature.SNAPSHOT | Feature.EVENTS | Feature.SWEEP)
    scenario = Scenario(LATENCIES, geometry=dataclasses.replace(BOARD, features=less))
    with FakeDevice(scenario) as fake:
        bench = open_rig(fake.uri, None)
        assert "at its end" in bench.about["notes"][-1]
        run = bench.begin({**RUN})
        assert list(run.events()) == []
        assert run.result().channels[0].strikes == len(LATENCIES)
        bench.close()


@pytest.mark.parametrize("ends", [True, False])
def test_events_are_kept_only_of_a_run_that_has_an_end(bench, ends):
    run = bench.begin(RUN if ends else {"rate": "1M"})
    list(run.events())
    assert (run.result().events is not None) == ends


def test_a_shots_time_is_that_since_the_runs_start(run_of):
    result = SimpleNamespace(
        channels=run_of([[1000, 2000]]).channels, start_ticks=5_000_000, time_ticks=7_500_000
    )
    snapshot = SimpleNamespace(
        number=3, progress=None, result=result, tick_fs=10**6, simulated=True
    )
    shot = LibraryRun._shot(SimpleNamespace(_registers=()), snapshot)
    assert (shot.progress.elapsed_s, shot.progress.strikes) == (0.0025, 2)
    # Nothing else is known before the first progress.
    assert shot.progress == Progress(
        2, None, 0.0025, *(None, 0.0, None), 0, 0, 0, 0, RunState.RUNNING
    )
