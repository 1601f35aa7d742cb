# SPDX-License-Identifier: Apache-2.0
"""Runs whose events the host alone matches: to the bit what the golden model makes of the pins.

The instrument is told to send no results, as one without matcher and results has none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from bench import NEEDED, PLACES, Outcome, run, simulator
from impair import Impairment

from plexor.figures.analyse.analyse import analyse
from plexor.figures.analyse.stopped import stopped
from plexor.model.results import ChannelResult, Kind, SnapshotResult
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Feature
from plexor.protocol.memory import ResponseClass, Space, key
from plexor.protocol.registers import Policy, StopReason
from plexor.run.session.replay import replay
from plexor.run.session.session import measure
from plexor.run.session.stop import Stop
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_hdl.build import boards
from plexor_sim.golden import instrument as golden

US = Fraction(1, 10**6)
BOARDS = {name: boards.simulated(name) for name in ("ulx3s-25f", "hx8k-evn-counts")}
EVENTS = {name: boards.simulated(name) for name in ("hx8k-evn", "icebreaker")}
"""Boards whose chip does not match."""
MORE_EVENTS = {"pico-ice": boards.simulated("pico-ice")}
"""One that has the same profile as another, in the long form alone."""
OWN = {"bursts": Feature.BURST, "dither": Feature.DITHER, "Poisson": Feature.POISSON}
"""What the chip must have for a case."""
BOOKS = (Space.EDGES, Space.UPLOAD_DROPS)
"""What accounts for events. It is no result."""
STRIKES = 1000
MOST = 1_000_000
"""Strikes of a run that is stopped long before."""


@dataclass(frozen=True)
class Case:
    """A device, how it is struck, and how its answers are matched."""

    dut: str
    strike: Stimulus = Stimulus(period_s=100 * US, width_s=US)  # noqa: RUF009
    channels: tuple[Channel, ...] = (Channel(0), Channel(1))
    policy: Policy = Policy.OLDEST
    timeout_s: Fraction = 250 * US
    early_s: Fraction = Fraction(0)
    window_min_s: Fraction = Fraction(0)

    def settings(self, strikes: int, spaces: tuple[Space, ...]) -> Settings:
        return Settings(
            strikes=(replace(self.strike, count=strikes),),
            channels=self.channels,
            policy=self.policy,
            timeout_s=self.timeout_s,
            early_s=self.early_s,
            window_min_s=self.window_min_s,
            spaces=spaces,
            keep_events=False,
        )


LATE = (Channel(0, deadline_s=30 * US), Channel(1, deadline_s=Fraction(0)))
CASES = {
    "drops and late answers": Case("latency=uniform:1us:60us,width=1us,drop=0.1", channels=LATE),
    "latest strike": Case(
        "latency=uniform:1us:180us,width=1us,drop=0.05", policy=Policy.LATEST, channels=LATE
    ),
    "window": Case(
        "latency=uniform:1us:60us,width=1us,spurious=20000",
        policy=Policy.WINDOW,
        window_min_s=10 * US,
    ),
    "spurious and duplicate edges": Case(
        "latency=20us,width=300ns,spurious=30000,duplicate=0.1,duplicate_delay=uniform:1us:40us"
    ),
    "masked": Case("mask=3ms:1ms,latency=4us,width=1us"),
    "early": Case(
        "latency=uniform:85us:99us,width=1us", early_s=20 * US, timeout_s=60 * US, channels=LATE
    ),
    "either edge": Case(
        "latency=uniform:1us:60us,width=9us",
        channels=(Channel(0, either=True), Channel(1, invert=True)),
    ),
    "the strike's trailing edge, and a chain": Case(
        "latency=5us,width=2us,ch1.after=ch0,ch1.latency=uniform:1us:9us",
        channels=(Channel(0, reference="strike0.fall"), Channel(1, reference="ch0")),
    ),
    "bursts": Case(
        "latency=uniform:2us:9us,width=1us,queue=5",
        Stimulus(period_s=400 * US, width_s=US, burst=4, spacing_s=12 * US),
    ),
    "dither": Case(
        "latency=uniform:1us:60us,width=1us",
        Stimulus(period_s=100 * US, width_s=US, dither_s=Fraction(32768, 10**9)),
    ),
    "Poisson": Case(
        "latency=uniform:1us:60us,width=1us,drop=0.1",
        Stimulus(period_s=150 * US, width_s=US, poisson=True),
    ),
}


def taken(case: Case, folder: Path, strikes: int, **how: object) -> Outcome:
    return run(f"synthetic:{case.dut}", case.settings(strikes, BOOKS), folder, **how)


def assert_channel_is_the_hosts(channel: ChannelResult, truth: golden.Results) -> None:
    number = channel.number
    assert [channel.classes[kind] for kind in ResponseClass] == truth.classes[number].tolist()
    assert channel.pending == truth.pending[number]
    assert {measurement.kind for measurement in channel.measurements} == set(Kind)
    for measurement in channel.measurements:
        statistics_space, bins_space, zoom_space, kind = PLACES[measurement.kind]
        row, where = key(truth.geometry, kind, number), f"ch{number} {measurement.kind}"
        assert not measurement.on_chip, where
        features = truth.geometry.features
        if NEEDED.get(measurement.kind, Feature(0)) not in features:
            continue
        expected, found = truth.statistics[statistics_space][row], measurement.statistics
        names = ["count", "sum_ticks"]
        names += ["sum_sq_ticks2"] if Feature.SUM_SQUARES in features else []
        if expected.count and Feature.EXTREMES in features:
            names += [
                f"{end}_{what}"
                for end in ("min", "max")
                for what in ("ticks", "index", "time_ticks")
            ]
        for name in names:
            assert getattr(found, name) == getattr(expected, name), f"{where} {name}"
        assert np.array_equal(measurement.bins.counts, truth.bins[bins_space][row]), where
        if measurement.zoom is not None:
            assert np.array_equal(measurement.zoom.counts, truth.bins[zoom_space][row]), where


@pytest.mark.parametrize("strikes", [STRIKES, pytest.param(20_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", CASES)
def test_the_host_has_to_the_bit_what_a_chip_has(name, strikes, tmp_path):
    outcome = taken(CASES[name], tmp_path, strikes, geometry=BOARDS["ulx3s-25f"])
    truth, result = outcome.golden(), outcome.result
    assert result.valid, result.invalid_reasons
    assert {f"ch{n}: classes" for n in (0, 1)} <= set(result.computed_on_host)
    assert all(m.zoom is not None for channel in result.channels for m in channel.measurements)
    for channel in result.channels:
        assert_channel_is_the_hosts(channel, truth)


@pytest.mark.parametrize("strikes", [STRIKES, pytest.param(20_000, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    ("board", "name"),
    [
        pytest.param(board, name, marks=() if board in EVENTS else pytest.mark.full)
        for board, geometry in (EVENTS | MORE_EVENTS).items()
        for name in CASES
        if OWN.get(name, Feature(0)) in geometry.features
    ],
)
def test_a_board_that_only_sends_events_has_what_a_chip_with_all_has(
    board, name, strikes, tmp_path
):
    settings = replace(CASES[name].settings(strikes, BOOKS), spaces=None)
    geometry = (EVENTS | MORE_EVENTS)[board]
    outcome = run(f"synthetic:{CASES[name].dut}", settings, tmp_path, geometry=geometry)
    truth, result = outcome.golden(), outcome.result
    assert result.valid, result.invalid_reasons
    assert all(m.zoom is not None for channel in result.channels for m in channel.measurements)
    for channel in result.channels:
        assert_channel_is_the_hosts(channel, truth)


@pytest.mark.parametrize("board", EVENTS)
@pytest.mark.parametrize(
    ("name", "events"),
    [
        # Of 1,000 strikes and their answers one edge each is left; a tenth of them has no answer.
        ("drops and late answers", 2.8),
        # The strike's trailing edge is what is answered.
        ("the strike's trailing edge, and a chain", 4),
    ],
)
def test_with_active_edges_alone_latencies_are_the_same_and_the_link_has_half(
    board, name, events, tmp_path
):
    settings = replace(CASES[name].settings(STRIKES, BOOKS), spaces=None, active_only=True)
    outcome = run(f"synthetic:{CASES[name].dut}", settings, tmp_path, geometry=EVENTS[board])
    truth, result = outcome.golden(), outcome.result
    assert result.valid, result.invalid_reasons
    assert result.strikes == STRIKES
    assert result.accounting.received == pytest.approx(events * STRIKES, rel=0.05)
    for channel in result.channels:
        assert_channel_is_the_hosts(channel, truth)
        assert channel.measurement(Kind.RISE).statistics.count
        assert not channel.measurement(Kind.WIDTH).statistics.count


@pytest.mark.parametrize("board", [*EVENTS, "ulx3s-25f"])
@pytest.mark.parametrize(
    ("dut", "stop", "reason"),
    [
        ("latency=list:PATH", {"latency_over_s": 30 * US}, StopReason.LATENCY),
        ("latency=1us,mask=3ms:1ms", {"stop_on_missed": True}, StopReason.MISSED),
    ],
)
def test_a_run_stops_for_the_same_event_whoever_looks_for_it(board, dut, stop, reason, tmp_path):
    """The 51st strike is answered late, or the first one in the mask is missed."""
    (tmp_path / "list").write_text("5000000\n" * 50 + "40000000\n" + "5000000\n" * 1000)
    case = Case(dut.replace("PATH", str(tmp_path / "list")), channels=(Channel(0),))
    settings = replace(case.settings(MOST, BOOKS), spaces=None, keep_events=True, **stop)
    outcome = run(
        f"synthetic:{case.dut}",
        settings,
        tmp_path,
        geometry=(BOARDS | EVENTS)[board],
    )
    result = outcome.result
    assert result.valid, result.invalid_reasons
    assert result.stop_reason == reason
    found = stopped(analyse(result))
    assert found.strike <= result.strikes < MOST
    answers_ps, strikes_ps = outcome.edges_ps(0), outcome.edges_ps(SOURCE_STRIKE)
    assert found.channel == "ch0"
    if reason == StopReason.LATENCY:
        late = int(np.flatnonzero(answers_ps - strikes_ps[: len(answers_ps)] > 30_000_000)[0])
        assert found.strike == late + 1 == 51
        assert abs(result.trigger_ticks - answers_ps[late] * 1000 / result.tick_fs) <= 1
    else:
        answers = np.searchsorted(answers_ps, strikes_ps + 50_000_000)
        unanswered = answers == np.searchsorted(answers_ps, strikes_ps)
        assert found.strike == int(np.flatnonzero(unanswered)[0]) + 1
    near = result.trace["index"]
    assert result.trigger_index in near
    assert (np.diff(near.astype(np.int64)) == 1).all()


def test_a_small_board_with_fewer_features_has_the_same_figures(tmp_path):
    """Its geometry has other bins, and no windows of one-tick bins."""
    case = CASES["drops and late answers"]
    outcome = taken(case, tmp_path, 300, geometry=BOARDS["hx8k-evn-counts"])
    truth = outcome.golden()
    assert outcome.result.valid, outcome.result.invalid_reasons
    for channel in outcome.result.channels:
        assert_channel_is_the_hosts(channel, truth)


@pytest.mark.parametrize("strikes", [STRIKES, pytest.param(20_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", CASES)
def test_with_frames_lost_what_is_said_is_true_and_the_rest_is_counted(name, strikes, tmp_path):
    case = CASES[name]
    lossy = Impairment(5000, seed=4)
    outcome = taken(case, tmp_path, strikes, geometry=BOARDS["ulx3s-25f"], down=lossy)
    truth, result = outcome.golden(), outcome.result
    sources = {source.source: source for source in result.accounting.sources}
    lost = result.accounting.lost_on_link
    assert lost
    assert not result.valid
    said = [
        reason for reason in result.invalid_reasons if "its figures are of the others" in reason
    ]
    assert len(said) == len(result.channels) == 2
    for channel in result.channels:
        assert channel.conserved
        rest = truth.classes[channel.number] - np.array(
            [channel.classes[kind] for kind in ResponseClass]
        )
        assert rest.min() >= 0
        matched = rest[ResponseClass.ANSWERED] + rest[ResponseClass.LATE]
        pending = truth.pending[channel.number] - channel.pending
        assert pending >= 0
        lost_strikes = rest[ResponseClass.STRIKES]
        open_strikes = matched + rest[ResponseClass.MISSED] + pending
        assert open_strikes == channel.unknown_strikes + lost_strikes
        if channel.reference == "strike0":
            assert lost_strikes <= sources[SOURCE_STRIKE].lost
        for measurement in channel.measurements:
            space, bins_space, _, kind = PLACES[measurement.kind]
            row = key(truth.geometry, kind, channel.number)
            expected, found = truth.statistics[space][row], measurement.statistics
            assert found.count <= expected.count
            assert (measurement.bins.counts <= truth.bins[bins_space][row]).all()
            if found.count:
                assert found.min_ticks >= expected.min_ticks
                assert found.max_ticks <= expected.max_ticks
        rise = channel.measurement(Kind.RISE)
        assert (
            rise.statistics.count
            == channel.classes[ResponseClass.ANSWERED] + (channel.classes[ResponseClass.LATE])
        )


@pytest.mark.parametrize("faults", [None, Impairment(5000, seed=4)])
def test_a_recording_without_results_is_replayed_to_the_same_figures(faults, tmp_path):
    """The recording has the bytes that came, and so its gaps."""
    case = CASES["drops and late answers"]
    outcome = taken(case, tmp_path, STRIKES, geometry=BOARDS["ulx3s-25f"], down=faults)
    (tmp_path / "wire.bin").write_bytes(outcome.wire)
    again = replay(tmp_path / "wire.bin")
    assert again.channels == outcome.result.channels
    assert bool(again.channels[0].unknown_strikes) == (faults is not None)


def test_snapshots_come_from_the_host_while_a_run_goes_on():
    """They need no event kept, and each holds what came until then. The third ends the run."""
    seen: list[SnapshotResult] = []
    stop = Stop()

    def take(snapshot: SnapshotResult) -> None:
        seen.append(snapshot)
        if len(seen) == 3:
            stop.ask()

    case = CASES["drops and late answers"]
    settings = replace(case.settings(MOST, BOOKS), report_s=Fraction(1, 1000), report_on_chip=False)
    with (
        simulator(f"synthetic:{case.dut}", BOARDS["ulx3s-25f"]) as server,
        Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device,
    ):
        result = measure(device, settings, on_snapshot=take, stop=stop)
    assert len(seen) >= 3
    counts = [snapshot.channels[0].strikes for snapshot in seen]
    assert counts == sorted(set(counts))
    assert counts[-1] <= result.channels[0].strikes < MOST
    for snapshot in seen:
        assert not snapshot.on_chip
        for channel in snapshot.channels:
            assert channel.conserved
