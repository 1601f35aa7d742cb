# SPDX-License-Identifier: Apache-2.0
"""An instrument that sends no events is calibrated all the same, from its histograms."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from bench import SILENT, simulator
from planted import Planted

from plexor import cli
from plexor.experiments.calibration import store
from plexor.experiments.calibration.run import CalibrationGoal, calibrate
from plexor.files.store.run_folder import load
from plexor.model.results import Kind
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

# Of channel 0 no two bins are alike, up or down: one that is taken for another is found out.
ROWS = (
    ((-450, -140, 170, 440), (600, -850, 720, -400)),
    ((-300, 200, -900, 350), (0, 0, 0, 0)),
    (0, 730),
    3234,
    (1900, 2630),
    500,
)
ICEBREAKER = Planted(SILENT, *ROWS)
WIRE_PS = 480
LEAN = Feature.SIMULATED
RICH = ALL_FEATURES & ~(Feature.EVENTS | Feature.RING)
GRID = {
    # A source as slow as the board's, beside which strikes are few.
    "slow": (ICEBREAKER, ("async_fs=2913371000",), 2000),
    # All that goes without events: bins of a tick up to 128 of them, and a matcher that is fast.
    "rich": (
        Planted(
            Geometry(
                channels=2, strikes=1, features=ALL_FEATURES & ~(Feature.EVENTS | Feature.RING)
            ),
            ((-450, -140, 170, 440), (100, -350, 420, -100)),
            ((0, 0, 0, 0), (-300, 200, -400, 350)),
            (0, 340),
            1234,
            (1000, 1340),
        ),
        (),
        20_000,
    ),
    "sixteen": (
        Planted(
            Geometry(
                channels=2,
                strikes=2,
                samples=16,
                tick_fs=500_000,
                phases=8,
                latency_mantissa_bits=5,
                features=LEAN,
            ),
            ((-230, -180, -110, -30, 40, 110, 180, 220), (240, -200, 30, 120, -240, 10, 200, -90)),
            ((90, -220, 200, -110, 240, -180, 130, 0), (-90, 220, -200, 110, -240, 180, -130, 0)),
            (340, 0),
            2760,
            (3340, 3000),
        ),
        ("output_ps.1=2760",),
        20_000,
    ),
    # The whole amount on the board's own geometry.
    "whole": (ICEBREAKER, (), 20_000),
}


def calibrated(planted, options=(), edges=3000, wiring=None):
    """Return the calibration of a planted front-end; jumpers have WIRE_PS."""
    front_end = ",".join((planted.options, *options))
    with simulator("synthetic", planted.geometry, ("--front-end", front_end)) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            assert Feature.EVENTS not in device.identity.geometry.features
            return calibrate(device, CalibrationGoal(edges, wiring or {}, (WIRE_PS, WIRE_PS)))


def assert_planted(planted, found, edges):
    """Assert that instants and delays are those planted, within what is said of them."""
    for entry in found.channels:
        for way in (entry.rise, entry.fall):
            assert way.edges >= edges
            # Of N edges none is known better than to a turn / 2 sqrt(N), of four even bins.
            turn_ps = planted.geometry.phases * planted.tick_ps
            assert max(way.error_ps) < 1.5 * turn_ps / edges**0.5
    deviations = planted.deviations(found)
    assert deviations.max() < 4, deviations
    assert np.sqrt(np.mean(np.square(deviations))) < 1.5
    slack_ps = 4 * max(max(way.error_ps) for e in found.channels for way in (e.rise, e.fall))
    for true_ps, delay_ps, bound_ps in planted.delays(found):
        assert abs(delay_ps - true_ps) <= bound_ps + slack_ps
        assert abs(delay_ps - true_ps) < planted.tick_ps
        assert bound_ps <= planted.tick_ps


@pytest.fixture(scope="module", name="found")
def one_found():
    """Return the calibration of a front-end as uneven as its tick allows, with a jumper to ch1."""
    return calibrated(ICEBREAKER, ("jumper.1=0", f"wire_ps.1={WIRE_PS}"), wiring={0: [1]})


def test_a_jumper_gives_the_way_over_the_pins_within_its_error(found):
    (way,) = found.jumpers
    assert (way.output, way.channel, way.made) == (0, 1, found.made)
    for up, delay_ps, error_ps in (
        (True, way.rise_ps, way.rise_error_ps),
        (False, way.fall_ps, way.fall_error_ps),
    ):
        pins_ps = ICEBREAKER.output_ps + ICEBREAKER.input_ps[1]
        instants = next(entry for entry in found.channels if entry.number == 1)
        slack_ps = 4 * max((instants.rise if up else instants.fall).error_ps)
        assert abs(delay_ps - (pins_ps - np.mean(ICEBREAKER.rows(up)[1]))) <= error_ps + slack_ps
        assert error_ps <= ICEBREAKER.tick_ps


def test_instants_and_delays_are_found_within_their_errors(found):
    assert_planted(ICEBREAKER, found, 3000)
    assert found.source_fs == pytest.approx(413_223_000, rel=0.01)


def test_bins_that_are_taken_for_others_would_be_noticed(found):
    """Or the test above would show nothing: a phase off, or directions or channels swapped."""
    turned = tuple(tuple(np.roll(row, 1).tolist()) for row in ICEBREAKER.rise_ps)
    for wrong in (
        replace(ICEBREAKER, rise_ps=turned),
        replace(ICEBREAKER, rise_ps=ICEBREAKER.fall_ps, fall_ps=ICEBREAKER.rise_ps),
        replace(ICEBREAKER, rise_ps=ICEBREAKER.rise_ps[::-1]),
    ):
        assert wrong.deviations(found).max() > 5
    for wrong in (
        replace(ICEBREAKER, output_ps=ICEBREAKER.output_ps + 3000),
        replace(ICEBREAKER, output_ps=ICEBREAKER.output_ps - 3000),
    ):
        outside = [abs(true - delay) > bound + 400 for true, delay, bound in wrong.delays(found)]
        assert any(outside)


def test_a_run_keeps_the_calibration_and_says_that_it_is_not_corrected(tmp_path, capsys, found):
    path = tmp_path / "found.json"
    with simulator("synthetic:ch0.latency=500ns", SILENT, once=False) as server:
        uri = f"tcp://127.0.0.1:{server.port}"
        with Device(open_link(uri)) as device:
            own = replace(found, serial=device.serial, gateware_hash=device.identity.gateware_hash)
        store.save(own, path)
        common = ("--link", uri, "--rate", "50k", "--count", "50", "--channel", "ISR=ch0")
        kept = ("--calibration", str(path), "--out", str(tmp_path / "run"))
        assert cli.main(["measure", *common, *kept]) == 0
    result = load(tmp_path / "run")
    assert (result.calibration, result.valid) == (own, True)
    assert result.channels[0].measurement(Kind.RISE).statistics.count == 50
    said = " ".join(capsys.readouterr().out.split())
    text = "ISR is not corrected: this instrument sends no events, latencies are whole ticks"
    assert text in said
    # 3.2 ns to the pad, and half a tick until an edge is seen: two ticks of 2.6 ns, give or take.
    late = re.search(r"latencies in ticks are late by that, (\d) ± (\d) ticks", said)
    assert late is not None
    assert abs(int(late[1]) - 2) <= int(late[2]) <= 5


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", GRID)
def test_other_builds_sources_and_amounts_are_as_good(name):
    planted, options, edges = GRID[name]
    assert_planted(planted, calibrated(planted, options, edges), edges)


@pytest.mark.full
@pytest.mark.parametrize(
    ("front_end", "says"),
    [
        ("stuck.1=0", "ch1: asynchronous source, edges up: 0 edges; must be at least 1000"),
        ("dead.0=2", r"ch0: asynchronous source, edges up: none of [\d,]+ edges at phase 2"),
    ],
)
def test_a_defect_ends_it_with_where_and_what(front_end, says):
    with pytest.raises(Exception, match=says) as error:
        calibrated(ICEBREAKER, (front_end,), edges=2000)
    assert "`plexor board selftest` finds the cause" in str(error.value)
