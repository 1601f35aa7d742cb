# SPDX-License-Identifier: Apache-2.0
"""Loss: what is generated is received or counted, and nothing that was damaged is believed."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from bench import SMALL, TRUTH, Outcome, assert_equals_truth, run, simulator
from impair import Impairment, Stalls

from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import MAX_WORDS
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link.tcp import TcpLink

NS = Fraction(1, 1_000_000_000)
DEVICE = (
    "synthetic:seed=9,latency=uniform:10ns:100ns,width=uniform:15ns:30ns,"
    "ch1.latency=exponential:30ns"
)
EVENTS_A_STRIKE = 6


def settings(strikes: int) -> Settings:
    """Return random strikes that make an event in 12 clocks, more at times."""
    return Settings(
        strikes=(Stimulus(period_s=600 * NS, width_s=24 * NS, poisson=True, seed=11),),
        channels=(Channel(0), Channel(1, reference="ch0.fall")),
        timeout_s=5000 * NS,
        count=strikes,
    )


def assert_nothing_is_lost_silently(outcome: Outcome) -> None:
    """Assert that every event is received as it was, or counted, by source."""
    truth = assert_equals_truth(outcome)
    books, events = outcome.result.accounting, outcome.result.events
    assert books.holds
    assert books.generated == len(truth.events)
    assert books.generated == books.received + books.dropped_on_chip + books.lost_on_link
    assert books.received == len(events)
    places = events["index"].astype(np.int64)
    assert (np.diff(places) > 0).all()
    for name in ("time_ticks", "source", "polarity"):
        assert np.array_equal(events[name], getattr(truth.events, name)[places]), name
    for entry in books.sources:
        assert entry.received == np.count_nonzero(events["source"] == entry.source)


def measure_lossy(strikes: int, bytes_a_fault: int, folder: Path, stall: str, seed: int) -> Outcome:
    down, up = Impairment(bytes_a_fault, seed), Impairment(600, seed + 1, apart=250)
    outcome = run(
        DEVICE,
        settings(strikes),
        folder,
        geometry=SMALL,
        arguments=("--stall", stall),
        down=down,
        up=up,
    )
    assert_nothing_is_lost_silently(outcome)
    books = outcome.result.accounting
    faults = down.faults.total()
    assert set(down.faults) == {"flip", "drop", "insert"}
    assert books.generated > EVENTS_A_STRIKE * strikes * 0.9
    assert books.dropped_on_chip > 0
    # A damaged delimiter joins two frames: one byte in about a thousand.
    assert 0 < books.frames_lost <= 1.02 * faults + 3
    assert 0 < books.lost_on_link <= MAX_WORDS * books.frames_lost
    print(
        f"{books.generated} generated = {books.received} received + {books.dropped_on_chip}"
        f" dropped on chip + {books.lost_on_link} lost; {faults} faults down,"
        f" {up.faults.total()} up, {books.frames_lost} frames lost"
    )
    return outcome


@pytest.mark.parametrize(
    ("stall", "seed"), [pytest.param("0,1", 1, marks=pytest.mark.full), ("0.4,2", 2)]
)
def test_events_over_a_damaged_link_are_received_or_counted(stall, seed, tmp_path):
    measure_lossy(10_000, 6_000, tmp_path, stall, seed)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("stall", "seed"), [("0,3", 3), ("0.1,4", 4), ("0.5,5", 5)])
def test_ten_million_events_over_a_damaged_link(stall, seed, tmp_path):
    outcome = measure_lossy(570_000, 20_000, tmp_path, stall, seed)
    assert outcome.result.accounting.generated >= 3_400_000


@pytest.mark.parametrize(
    "swallowed_bytes", [*(pytest.param(n, marks=pytest.mark.full) for n in (1, 34_000)), 3000]
)
def test_what_a_stalled_host_loses_is_counted_and_no_figure_of_the_chip_is(
    swallowed_bytes, tmp_path
):
    down = Stalls(60_000, 5_631, swallowed_bytes)
    outcome = run(DEVICE, settings(12_000), tmp_path, geometry=SMALL, down=down)
    assert_nothing_is_lost_silently(outcome)
    books = outcome.result.accounting
    assert down.cut_frames >= 3
    # The last frame may be an answer that is asked for again.
    assert down.cut_frames - 1 <= books.frames_lost <= down.cut_frames
    assert books.lost_on_link > 0


def test_a_whole_link_loses_nothing(tmp_path):
    outcome = run(DEVICE, settings(3000), tmp_path, geometry=SMALL)
    assert_nothing_is_lost_silently(outcome)
    assert outcome.result.accounting.lost_on_link == 0
    assert outcome.result.accounting.frames_lost == 0


NOISE = {
    "random": lambda random: random.bytes(20_000),
    "no delimiter": lambda random: random.integers(1, 256, 20_000, dtype=np.uint8).tobytes(),
    "delimiters": lambda random: bytes(20_000),
    "short frames": lambda random: b"".join(random.bytes(n % 40) + b"\0" for n in range(900)),
}


@pytest.mark.parametrize("noise", NOISE)
def test_an_instrument_that_heard_noise_measures_as_before(noise, tmp_path):
    log = tmp_path / "truth.bin"
    arguments = ("--linger", "100", "--truth", str(log))
    with simulator(DEVICE, SMALL, arguments, once=False) as server:
        link = TcpLink("127.0.0.1", server.port)
        link.write(NOISE[noise](np.random.default_rng(1)))
        with Device(link) as device:
            if noise != "delimiters":
                assert device.read("status", "command_errors") > 0
            result = measure(device, settings(300))
        server.close()
    assert_nothing_is_lost_silently(Outcome(result, np.fromfile(log, TRUTH)))
