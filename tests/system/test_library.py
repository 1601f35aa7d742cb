# SPDX-License-Identifier: Apache-2.0
"""The library: a script that measures, at a simulated instrument, over TCP, and replayed."""

import asyncio
import threading

import numpy as np
import pytest
from bench import TRUTH, Outcome, simulator

import plexor
from plexor.model.results import Kind
from plexor.protocol.memory import LatencyKind
from plexor_sim.golden.memory import bins_of

DEVICE = "synthetic:seed=3,latency=lognormal:5us:0.4,drop=0.01,duplicate=0.02"
ASKED = {"rate": "40k", "count": "1500", "every": "2ms", "dither": "8192ns"}
ASKED["channels"] = ["ISR=ch0", "TASK=ch1"]
SAMPLES = {Kind.RISE: LatencyKind.RISE, Kind.FALL: LatencyKind.FALL}


@pytest.fixture(scope="module")
def taken(tmp_path_factory):
    """A measurement over TCP: its snapshots, its run, the truth of the pins, and a recording."""
    folder = tmp_path_factory.mktemp("library")
    log, wire = folder / "truth.bin", folder / "wire.bin"
    with simulator(DEVICE, arguments=("--truth", str(log))) as server:
        with plexor.open(f"tcp://127.0.0.1:{server.port}", record=wire) as instrument:
            snapshots = list(instrument.measure(**ASKED))
        server.close()
    return snapshots, snapshots[-1].run, np.fromfile(log, TRUTH), wire


def test_each_snapshot_is_what_the_chip_held_after_so_many_events(taken):
    snapshots, run, pins, _ = taken
    truth = Outcome(run.result, pins).golden()
    assert len(snapshots) >= 5
    assert [s.final for s in snapshots] == [False] * (len(snapshots) - 1) + [True]
    for snapshot in snapshots[:-1]:
        for reading in snapshot.channels:
            for kind, of_truth in SAMPLES.items():
                samples = truth.latency_samples[of_truth, reading.number]
                values = samples.value_ticks[samples.index < snapshot.result.events]
                bins = reading.result.measurement(kind).bins
                numbers = bins_of(values, bins.mantissa_bits)
                assert np.array_equal(bins.counts, np.bincount(numbers, minlength=len(bins.counts)))
                assert reading.statistics(kind).count == len(values)
                assert reading.statistics(kind).max_ticks == values.max()


def test_a_histogram_has_the_latencies_between_its_edges_in_seconds(taken):
    _, run, pins, _ = taken
    truth = Outcome(run.result, pins).golden()
    for reading in run.channels:
        values = truth.latency_samples[LatencyKind.RISE, reading.number].value_ticks
        edges, counts = reading.histogram()
        assert counts.sum() == len(values)
        # Half a tick less, so that no value lies on an edge.
        again, _ = np.histogram(values * 0.5e-9 + 0.25e-9, bins=edges)
        assert np.array_equal(again, counts)


def script(link, **options):
    """The measurement of README's script."""
    found = []
    with plexor.open(link) as instrument:
        for snapshot in instrument.measure(**options):
            found.append((snapshot.number, snapshot["ISR"].histogram()))
        run = snapshot.run
    return found, run


def assert_same(found, snapshots):
    """Assert that the snapshots that both have are the same, to the last bin, and so the end."""
    known = {snapshot.number: snapshot["ISR"].histogram() for snapshot in snapshots}
    shared = [(number, histogram) for number, histogram in found if number in known]
    assert len(shared) > len(known) // 2
    for number, (edges, counts) in shared:
        assert np.array_equal(edges, known[number][0])
        assert np.array_equal(counts, known[number][1])


def test_a_recording_gives_the_same_snapshots_and_the_same_run(taken):
    snapshots, run, _, wire = taken
    for options in ({}, {"channels": ASKED["channels"]}, ASKED):
        if "channels" in options:
            found, again = script(f"file:{wire}", **options)
            assert_same(found, snapshots)
        else:
            with plexor.open(f"file:{wire}") as instrument:
                again = instrument.run()
        assert again.accounting.sources == run.accounting.sources
        assert again.accounting.holds
        assert np.array_equal(again.events, run.events)
        assert again.valid


def test_a_recording_refuses_other_settings_than_its_own(taken):
    with plexor.open(f"file:{taken[3]}") as instrument:
        with pytest.raises(plexor.UsageError, match=r"was recorded with .*; leave options out"):
            instrument.run(**{**ASKED, "rate": "50k"})


@pytest.mark.full
def test_a_simulated_instrument_is_measured_by_the_same_script():
    found, run = script("sim:?dut=synthetic:latency=3us", **ASKED)
    assert len(found) >= 5
    (edges, counts), (last_edges, last_counts) = found[-1][1], run["ISR"].histogram()
    assert np.array_equal(edges, last_edges)
    assert np.array_equal(counts, last_counts)
    # Planted: 3 µs, to within the two ticks that sampling costs.
    assert run["ISR"].strikes == run["ISR"].answered == counts.sum() == 1500
    assert 3e-6 - 1e-9 <= run["ISR"].min_s <= run["ISR"].max_s <= 3e-6 + 1e-9


def test_a_reader_with_an_exception_loses_nothing_that_was_measured(tmp_path):
    def work(instrument):
        with instrument:
            for _ in instrument.measure(rate="100k", every="1ms", out=tmp_path / "run"):
                raise RuntimeError("mine")

    instrument = plexor.open("sim:?dut=synthetic")
    with pytest.raises(RuntimeError, match="mine"):
        work(instrument)
    run = instrument.last.run
    assert run.interrupted
    assert run.valid
    assert run["ch0"].answered >= 99
    assert (tmp_path / "run" / "run.json").is_file()


@pytest.mark.parametrize("count", ["1k", pytest.param("5k", marks=pytest.mark.full)])
def test_events_come_in_order_and_none_is_missing_for_a_slow_reader(count):
    with plexor.open("sim:?dut=synthetic") as instrument:
        measurement = instrument.measure(rate="500k", count=count)
        come = []
        for batch in measurement.events():
            threading.Event().wait(0.01)
            come.append(batch)
        run = measurement.run
    events = np.concatenate(come)
    assert np.array_equal(events, run.events[run.events["index"] >= events["index"][0]])
    assert len(events) > 0.9 * len(run.events)
    assert run.accounting.holds


def test_snapshots_are_iterated_by_asyncio_and_a_run_is_stopped_from_there():
    async def watch(measurement):
        numbers = []
        async for snapshot in measurement:
            numbers.append(snapshot.number)
            if len(numbers) == 3:
                measurement.stop()
        return numbers, snapshot

    with plexor.open("sim:?dut=synthetic") as instrument:
        numbers, last = asyncio.run(watch(instrument.measure(rate="100k", every="1ms")))
    assert numbers == sorted(set(numbers))
    assert last.final
    assert last.run.interrupted
    assert last["ch0"].strikes == last.run["ch0"].strikes
