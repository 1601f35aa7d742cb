# SPDX-License-Identifier: Apache-2.0
"""The pins between the core and the device: which instants are sampled, when strikes happen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plexor.protocol.geometry import Geometry
from plexor_sim.riscv import DeviceBuild
from plexor_sim.server import SimulatorError

# Wide ports, one word, and a tick that is not a whole number of ps.
GEOMETRIES = {
    "W16": Geometry(channels=8, strikes=2, samples=16, tick_fs=500_000),
    "W8": Geometry(channels=2, strikes=1, samples=8, tick_fs=1_000_000),
    "W4": Geometry(channels=2, strikes=2, samples=4, tick_fs=833_333),
}

Build = Callable[[Geometry, DeviceBuild], Path]
Play = Callable[..., Any]
Script = list[tuple[int, int, int]]


@pytest.fixture(
    params=[pytest.param(n, marks=() if n == "W8" else pytest.mark.full) for n in GEOMETRIES],
    name="geometry",
)
def each_geometry(request: pytest.FixtureRequest) -> Geometry:
    return GEOMETRIES[request.param]


@pytest.fixture(name="pins")
def probe_with_script(
    geometry: Geometry, simulator: Build, scripted: DeviceBuild, play: Play, tmp_path: Path
) -> Callable[..., Any]:
    """Return a function that plays strike words to a script of (offset_ps, channel, level)."""
    executable = simulator(geometry, scripted)

    def run(strikes: list[int], script: Script, options: str = "") -> Any:
        path = tmp_path / "script"
        path.write_text("".join(f"{t} {channel} {level}\n" for t, channel, level in script))
        return play(executable, geometry, strikes, f"script={path}{options}")

    return run


def first_tick(geometry: Geometry, start_ps: int) -> int:
    """Return the tick whose time, in whole ps rounded down, is start_ps."""
    tick = -(-start_ps * 1000 // geometry.tick_fs)
    assert tick * geometry.tick_fs // 1000 == start_ps
    return tick


def level_at(truth: Script, channel: int, tick: int, geometry: Geometry) -> int:
    """Return what the tick must sample: the level after every edge at or before its instant."""
    level = 0
    for time_ps, source, after in truth:
        if source == channel and time_ps * 1000 <= tick * geometry.tick_fs:
            level = after
    return level


def edges_around_instants(geometry: Geometry, start: int) -> Script:
    """Return offsets from the tick `start`: edges on, just before and just after instants."""
    start_ps = start * geometry.tick_fs // 1000
    script: Script = []
    level = 1
    for step in range(120):
        # 37 ticks apart: every position inside a word of 4, 8 or 16.
        instant_ps = (start + 5 + 37 * step // 4) * geometry.tick_fs // 1000
        script.append((instant_ps + step % 3 - 1 - start_ps, step % 2, level))
        level ^= step % 2
    return sorted(script)


@pytest.mark.parametrize("options", ["", ",quiet=0"], ids=["quiet promised", "never quiet"])
def test_an_edge_on_the_instant_is_sampled_and_one_ps_later_is_not(
    geometry: Geometry, pins: Callable[..., Any], options: str
) -> None:
    played = pins([1], edges_around_instants(geometry, 0), options)
    start_ps = next(time for time, source, _ in played.truth if source == 8)
    start = first_tick(geometry, start_ps)
    assert start % geometry.samples == 0
    channel_edges = [entry for entry in played.truth if entry[1] < 2]
    assert len(channel_edges) == 120
    for channel in range(2):
        expected = [
            level_at(channel_edges, channel, start + tick, geometry)
            for tick in range(len(played.samples[channel]))
        ]
        assert played.samples[channel] == expected
        assert 1 in expected


def test_strikes_happen_on_their_tick_in_whole_ps_rounded_down(
    geometry: Geometry, pins: Callable[..., Any]
) -> None:
    width = geometry.samples
    # Strike 0 rises on the first tick and in word 3 for one tick, each word one tick later.
    words = [1, 0, 0] + [1 << (n % width) for n in range(3 * width)]
    played = pins(words, [])
    found = [(time, level) for time, source, level in played.truth if source == 8]
    start = first_tick(geometry, found[0][0])
    highs = sorted(
        start + word * width + tick
        for word, bits in enumerate(words)
        for tick in range(width)
        if bits >> tick & 1
    )
    expected = []
    for tick in highs:
        if tick - 1 not in highs:
            expected.append((tick * geometry.tick_fs // 1000, 1))
        if tick + 1 not in highs:
            expected.append(((tick + 1) * geometry.tick_fs // 1000, 0))
    assert found == expected


def test_the_load_changes_at_the_first_tick_of_its_clock(
    geometry: Geometry, pins: Callable[..., Any]
) -> None:
    played = pins([1], [])
    start = first_tick(geometry, next(time for time, source, _ in played.truth if source == 8))
    load = [(time, level) for time, source, level in played.truth if source == 16]
    rise, fall = (start + word * geometry.samples for word in (128, 256))
    assert load == [
        (rise * geometry.tick_fs // 1000, 1),
        (fall * geometry.tick_fs // 1000, 0),
    ]


def test_the_truth_is_ordered_by_time_then_strikes_channels_load(
    geometry: Geometry, pins: Callable[..., Any]
) -> None:
    load_offset = 128 * geometry.samples * geometry.tick_fs // 1000
    script = [(0, 1, 1), (0, 0, 1), (load_offset, 0, 0), (load_offset + 1, 1, 0)]
    truth = pins([1], script).truth
    times = [time for time, _, _ in truth]
    assert times == sorted(times)
    assert [source for time, source, _ in truth if time == times[0]] == [8, 1, 0]
    load_ps = next(time for time, source, _ in truth if source == 16)
    if geometry.tick_fs % 1000 == 0:  # else the offset's rounding may part them by a ps
        assert [source for time, source, _ in truth if time == load_ps] == [0, 16]


def test_channels_that_the_instrument_does_not_have_are_not_connected(
    simulator: Build, scripted: DeviceBuild, play: Play, tmp_path: Path
) -> None:
    geometry = GEOMETRIES["W8"]
    (tmp_path / "script").write_text("1000 5 1\n2000 0 1\n")
    played = play(simulator(geometry, scripted), geometry, [1], f"script={tmp_path / 'script'}")
    assert {source for _, source, _ in played.truth} == {0, 8, 16}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("throw=1", "error: scripted: as asked for"),
        ("late=1", "error: device: an edge of channel 0 at .* ps; must lie in"),
    ],
)
def test_a_device_that_fails_ends_the_simulation_with_one_line_and_code_3(
    simulator: Build, scripted: DeviceBuild, play: Play, tmp_path: Path, options: str, sentence: str
) -> None:
    geometry = GEOMETRIES["W8"]
    (tmp_path / "script").write_text("1000 0 1\n")
    options += f",script={tmp_path / 'script'}"
    with pytest.raises(SimulatorError, match=sentence) as caught:
        play(simulator(geometry, scripted), geometry, [1], options)
    assert caught.value.exit_code == 3
