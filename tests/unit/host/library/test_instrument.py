# SPDX-License-Identifier: Apache-2.0
"""An instrument opened by its URI: what it measures, and how it is left."""

import threading
from dataclasses import replace
from fractions import Fraction

import pytest

import plexor
from plexor.figures.analyse.analyse import samples_of
from plexor.protocol.geometry import ALL_FEATURES, Feature
from plexor.protocol.registers import Stream
from plexor.run.session.follow import Listeners

from ..fake_device import FakeDevice
from ..runs import LATENCIES, SETTINGS
from ..scenario import GEOMETRY, Scenario

ASKED = {"rate": "1M", "count": len(LATENCIES), "channels": ["isr=ch0", "ch1"]}


@pytest.fixture
def fake():
    """A device whose run ends by itself."""
    with FakeDevice(Scenario(LATENCIES), snapshots=1) as device:
        yield device


@pytest.fixture
def endless():
    """A device whose run lasts until it is stopped."""
    with FakeDevice(Scenario(LATENCIES), endless=True) as device:
        yield device


def test_a_run_has_the_latencies_that_the_device_had(fake):
    with plexor.open(fake.uri) as instrument:
        run = instrument.run(**ASKED)
    answered = [value for value in LATENCIES if value is not None]
    # Undithered, and one in seven is missed: whose answers they are is not known.
    channel = run["isr"].result
    assert samples_of(run.result, channel).rise.value_ticks.tolist() == answered
    assert run["isr"].missed == LATENCIES.count(None)
    assert run.valid


def test_texts_numbers_and_settings_ask_for_the_same_run(fake):
    with plexor.open(fake.uri) as instrument:
        texts = instrument.settings(
            {"rate": "1M", "count": "84", "timeout": "3us", "deadline": "1us"}
        )
        numbers = instrument.settings(
            {"rate": 1_000_000, "count": 84, "timeout": 3e-6, "deadline": Fraction(1, 10**6)}
        )
    assert texts == numbers
    assert texts.timeout_s == Fraction(3, 10**6)
    assert texts.strikes[0].period_s == Fraction(1, 10**6)


def test_without_channels_all_pins_are_measured(fake):
    with plexor.open(fake.uri) as instrument:
        settings = instrument.settings({"time": "1ms"})
    assert [channel.label for channel in settings.channels] == ["ch0", "ch1"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rat": 1}, "rat: no such option; must be one of rate, count"),
        ({"rate": "fast", "count": 1}, "rate: 'fast'"),
        ({"rate": "1k", "count": 0}, "count: '0'"),
        ({"rate": "1k", "poisson": 1, "count": 1}, "poisson: 1; must be True or False"),
        ({"rate": "1k", "burst": 2, "count": 2}, "burst needs spacing"),
        ({"channels": ["ISR=ch9"], "time": 1}, "channel: 'ISR=ch9'"),
        ({"channels": ["A=ch7"], "time": 1}, "ch7: this instrument has ch0 to ch1"),
        ({"rate": "1k"}, "say when to stop with count, time or stop_on"),
        ({"rate": "1k", "count": 1, "every": "1fs"}, "every"),
    ],
)
def test_wrong_options_are_one_line_before_the_first_strike(fake, options, said):
    with plexor.open(fake.uri) as instrument:
        with pytest.raises(plexor.UsageError) as caught:
            instrument.run(**options)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert fake.starts == 0


def test_options_beside_complete_settings_are_refused(fake):
    with plexor.open(fake.uri) as instrument:
        with pytest.raises(plexor.UsageError, match="rate: give complete settings, or options"):
            instrument.run(settings=SETTINGS, rate="1k")


def test_at_the_end_of_its_block_a_run_is_stopped_and_kept(endless, tmp_path):
    with plexor.open(endless.uri) as instrument:
        instrument.measure(rate="1M", channels=["isr=ch0"], out=tmp_path / "run")
        assert not instrument.last.wait(0.01)
    run = instrument.last.run
    assert run.interrupted
    assert run["isr"].strikes == len(LATENCIES)
    assert (tmp_path / "run" / "run.json").is_file()


def test_a_second_run_at_once_is_refused_and_a_later_one_taken(endless):
    with plexor.open(endless.uri) as instrument:
        measurement = instrument.measure(rate="1M", channels=["isr=ch0"])
        with pytest.raises(plexor.UsageError, match="a run is under way"):
            instrument.run(**ASKED)
        measurement.stop()
        assert measurement.run.interrupted
        instrument.measure(rate="1M", channels=["isr=ch0"])
    assert endless.starts == 2


def test_a_folder_that_exists_is_refused_before_the_first_strike(fake, tmp_path):
    (tmp_path / "notes").write_text("mine")
    with plexor.open(fake.uri) as instrument:
        for take in (instrument.measure, instrument.run):
            with pytest.raises(plexor.UsageError, match="already exists"):
                take(**ASKED, out=tmp_path)
    assert fake.starts == 0
    assert (tmp_path / "notes").read_text() == "mine"


def test_a_run_is_described_by_its_caller(fake):
    with plexor.open(fake.uri) as instrument:
        assert instrument.run(**ASKED, device={"os": "Zephyr"}).device == {"os": "Zephyr"}


def test_listeners_are_told_in_the_caller_s_thread(fake):
    threads = set()

    def told(_):
        threads.add(threading.current_thread())

    with plexor.open(fake.uri) as instrument:
        instrument.run(**ASKED, listeners=Listeners(on_events=told))
    assert threads == {threading.current_thread()}


@pytest.mark.parametrize(
    ("features", "stream", "live", "on_chip"),
    [
        (ALL_FEATURES, Stream.LIVE, True, True),
        (ALL_FEATURES, Stream.LIVE, False, False),
        (ALL_FEATURES, Stream.OFF, False, True),
        (ALL_FEATURES & ~Feature.SNAPSHOT, Stream.LIVE, True, True),
        (ALL_FEATURES & ~Feature.SNAPSHOT, Stream.OFF, True, None),
    ],
)
def test_who_watches_gets_snapshots_from_the_chip_or_the_host(features, stream, live, on_chip):
    geometry = replace(GEOMETRY, features=features)
    with FakeDevice(Scenario(LATENCIES, geometry)) as fake, plexor.open(fake.uri) as instrument:
        found = instrument.watched(replace(SETTINGS, stream=stream), live=live)
    assert (found.report_s is None) == (on_chip is None)
    if on_chip is not None:
        assert found.report_on_chip == on_chip
        instrument.checked(found)


def test_no_device_is_named_at_a_link_that_has_its_own(fake):
    with pytest.raises(plexor.UsageError, match="dut bare: is for sim: links"):
        plexor.open(fake.uri, dut="bare")
