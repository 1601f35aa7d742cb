# SPDX-License-Identifier: Apache-2.0
"""The simulated front-end: every edge in the sample that the planted instants say."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import InputSelect
from plexor_sim.front_end import front_end_options
from plexor_sim.riscv import DeviceBuild
from plexor_sim.server import Server, SimulatorError

Build = Callable[..., Path]
Play = Callable[..., Any]

GEOMETRIES = {
    "W16": Geometry(channels=2, strikes=1, samples=16, tick_fs=500_000, phases=8),
    "W4": Geometry(channels=2, strikes=2, samples=4, tick_fs=833_333, phases=4),
}
RISE = {"W16": (0, 220, -240, 210, -40, 180, -230, 100), "W4": (-400, 410, -390, 300)}
FALL = {"W16": (240, -200, 30, 120, -240, 10, 200, -90), "W4": (0, 0, 350, -410)}
INPUT_PS = (0, 1357)


@pytest.fixture(params=["W16", pytest.param("W4", marks=pytest.mark.full)], name="name")
def each_geometry(request: pytest.FixtureRequest) -> str:
    return request.param


def planted(name: str) -> str:
    """Return the options of the front-end."""
    parts = [f"input_ps.1={INPUT_PS[1]}"]
    for channel in range(2):
        parts.append(f"rise.{channel}={':'.join(map(str, RISE[name]))}")
        parts.append(f"fall.{channel}={':'.join(map(str, FALL[name]))}")
    return ",".join(parts)


def seen_at(time_ps: int, level: int, name: str) -> int:
    """Return the first tick, from 0, whose instant for that direction is at or after a time."""
    geometry = GEOMETRIES[name]
    late = (FALL, RISE)[level][name]
    tick = 0
    while tick * geometry.tick_fs + late[tick % geometry.phases] * 1000 < time_ps * 1000:
        tick += 1
    return tick


def expected(edges: list[tuple[int, int]], first: int, count: int, name: str) -> list[int]:
    """Return the level of each tick from `first`: of the last edge, in their order, it shows.

    An edge that a later one overtakes, for its own direction is sampled sooner, is not seen.
    """
    ticks = [(seen_at(time, level, name), level) for time, level in edges]
    samples = []
    for tick in range(first, first + count):
        shown = [level for at, level in ticks if at <= tick]
        samples.append(shown[-1] if shown else 0)
    return samples


def script(name: str, path: Path) -> str:
    """Write random edges, some nearer to each other than a tick, and return the device's option."""
    geometry = GEOMETRIES[name]
    rng = random.Random(name)
    lines, time, levels = [], 0, [0, 0]
    while time < 230 * geometry.samples * geometry.tick_fs // 1000:
        time += rng.choice((rng.randint(1, 400), rng.randint(400, 40_000)))
        channel = rng.randint(0, 1)
        levels[channel] ^= 1
        lines.append(f"{time} {channel} {levels[channel]}\n")
    path.write_text("".join(lines))
    return f"script={path}"


def of_channel(truth: Any, channel: int) -> list[tuple[int, int]]:
    return [(time + INPUT_PS[channel], level) for time, source, level in truth if source == channel]


def test_every_edge_is_in_the_sample_of_its_instant(
    name: str, simulator: Build, scripted: DeviceBuild, play: Play, tmp_path: Path
) -> None:
    geometry = GEOMETRIES[name]
    options = script(name, tmp_path / "script")
    arguments = ["--front-end", planted(name)]
    played = play(simulator(geometry, scripted), geometry, [1], options, arguments)
    start_ps = next(time for time, source, _ in played.truth if source == 8)
    first = round(start_ps * 1000 / geometry.tick_fs)
    for channel in range(2):
        edges = of_channel(played.truth, channel)
        assert len(edges) > 25
        samples = played.samples[channel]
        assert samples == expected(edges, first, len(samples), name)
        assert 1 in samples


WORDS = [1, 0, 0, 0x0FF0, 0, 0xFFFF, 0, 0, 0x8000, 0, 0x5A3C]
OUTPUT_PS, BACK_PS, LOOP_PS, WIRE_PS = 2345, 1730, (4100, 6411), 480


def struck(play: Play, executable: Path, options: str) -> Any:
    """Return what the samplers have of WORDS, with a planted front-end and the pads' edges."""
    geometry = GEOMETRIES["W16"]
    ways = f"output_ps.0={OUTPUT_PS},back_ps.0={BACK_PS}"
    ways += "".join(f",loop_ps.{channel}={way}" for channel, way in enumerate(LOOP_PS))
    arguments = ["--front-end", f"{planted('W16')},{ways}{options}"]
    played = play(executable, geometry, WORDS, "", arguments)
    pads = [(time, level) for time, source, level in played.truth if source == 8]
    # What the log and the device have of a strike is at its pad.
    assert (pads[0][0] - OUTPUT_PS) % 500 == 0
    return played, pads, (pads[0][0] - OUTPUT_PS) // 500


@pytest.mark.full
def test_loopback_shows_the_strikes_after_the_ways_back_and_not_those_of_the_channels_pins(
    simulator: Build, scripted: DeviceBuild, play: Play
) -> None:
    executable = simulator(GEOMETRIES["W16"], scripted, InputSelect.LOOPBACK)
    played, pads, first = struck(play, executable, "")
    for channel in range(2):
        edges = [(time + BACK_PS + LOOP_PS[channel], level) for time, level in pads]
        samples = played.samples[channel]
        assert samples == expected(edges, first, len(samples), "W16")
        assert 1 in samples


def test_a_jumper_shows_the_strikes_after_its_wire_and_the_way_of_the_channels_pin(
    simulator: Build, scripted: DeviceBuild, play: Play
) -> None:
    executable = simulator(GEOMETRIES["W16"], scripted)
    played, pads, first = struck(play, executable, f",jumper.1=0,wire_ps.1={WIRE_PS}")
    edges = [(time + WIRE_PS + INPUT_PS[1], level) for time, level in pads]
    samples = played.samples[1]
    assert samples == expected(edges, first, len(samples), "W16")
    assert 1 in samples
    assert 1 not in played.samples[0]


@pytest.mark.full
def test_low_inputs_show_nothing_of_the_pins(
    simulator: Build, scripted: DeviceBuild, play: Play, tmp_path: Path
) -> None:
    geometry = GEOMETRIES["W16"]
    options = script("W16", tmp_path / "script")
    played = play(simulator(geometry, scripted, InputSelect.LOW), geometry, [1], options)
    assert any(source < 2 for _, source, _ in played.truth)
    assert not any(map(any, played.samples))


@pytest.mark.full
def test_the_oscillator_comes_to_all_channels_with_its_period_by_the_multiplexers_ways(
    simulator: Build, scripted: DeviceBuild, play: Play
) -> None:
    geometry = GEOMETRIES["W16"]
    executable = simulator(geometry, scripted, InputSelect.ASYNCHRONOUS)
    # The multiplexer's way to channel 1 is 3 ticks longer; its pin's is not in it.
    options = ["--front-end", "async_fs=20000500,async_jitter_ps=0,loop_ps.1=1500,input_ps.1=9000"]
    played = play(executable, geometry, [], "", options)
    one, other = played.samples
    assert one[:-3] == other[3:]
    rises = [tick for tick in range(1, len(one)) if one[tick] and not one[tick - 1]]
    assert len(rises) > 90
    # 20.0005 ns are 40.001 ticks.
    assert {b - a for a, b in pairwise(rises)} <= {40, 41}


@pytest.mark.parametrize(("stuck", "level"), [("0", 0), ("1", 1)])
def test_a_stuck_channel_shows_its_level(
    simulator: Build, scripted: DeviceBuild, play: Play, tmp_path: Path, stuck: str, level: int
) -> None:
    geometry = GEOMETRIES["W16"]
    options = script("W16", tmp_path / "script")
    arguments = ["--front-end", f"stuck.1={stuck}"]
    played = play(simulator(geometry, scripted), geometry, [1], options, arguments)
    assert set(played.samples[1]) == {level}
    assert set(played.samples[0]) == {0, 1}


def test_a_dead_phase_shows_0_and_the_others_are_as_before(
    simulator: Build, scripted: DeviceBuild, play: Play, tmp_path: Path
) -> None:
    geometry = GEOMETRIES["W16"]
    options = script("W16", tmp_path / "script")
    sound, dead = (
        play(simulator(geometry, scripted), geometry, [1], options, ["--front-end", text])
        for text in ("", "dead.0=3")
    )
    expected = [0 if tick % 8 == 3 else level for tick, level in enumerate(sound.samples[0])]
    assert dead.samples[0] == expected != sound.samples[0]


def since_first(truth: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return the records with times from the first: a client may come at any time."""
    return [(time_ps - truth[0][0], source, level) for time_ps, source, level in truth]


def test_swapped_pins_come_to_each_others_channels(
    simulator: Build, scripted: DeviceBuild, play: Play, tmp_path: Path
) -> None:
    geometry = GEOMETRIES["W16"]
    options = script("W16", tmp_path / "script")
    straight, swapped = (
        play(simulator(geometry, scripted), geometry, [1], options, ["--front-end", text])
        for text in ("", "swap=0:1")
    )
    assert swapped.samples == straight.samples[::-1]
    assert since_first(swapped.truth) == since_first(straight.truth)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("rise.0=1:2:3", "8 numbers are needed"),
        ("rise.2=0:0:0:0:0:0:0:0", "must be 0 to 1"),
        ("rise.0=0:-600:0:0:0:0:0:0", "from -499 to 499"),
        ("rise.0=300:-300:0:0:0:0:0:0", "each instant must be later"),
        ("dead.0=8", "from 0 to 7"),
        ("swap=0", "two channels"),
        ("swap=0:5", "from 0 to 1"),
        ("stuck.0=2", "from 0 to 1"),
        ("colour=red", "no such option of the front-end"),
        ("colour.0=red", "no such option of the front-end"),
        ("output_ps.1=5", "must be 0 to 0"),
        ("back_ps.1=5", "must be 0 to 0"),
        ("jumper.0=1", "from 0 to 0"),
        ("async_fs=1", "an integer from 2000000"),
    ],
)
def test_an_option_that_cannot_be_taken_is_one_line(
    simulator: Build, scripted: DeviceBuild, options: str, says: str
) -> None:
    with pytest.raises(SimulatorError, match=says) as caught:
        Server(simulator(GEOMETRIES["W16"], scripted), "", ["--front-end", options]).close()
    assert caught.value.exit_code == 2


def test_a_seed_plants_instants_up_and_down_on_each_channel_within_the_spread() -> None:
    geometry = GEOMETRIES["W16"]
    text = front_end_options("sampler=seed:7,spread_ps=90,stuck.0=1", geometry)
    assert text == front_end_options("sampler=seed:7,stuck.0=1,spread_ps=90", geometry)
    assert text != front_end_options("sampler=seed:8,spread_ps=90,stuck.0=1", geometry)
    options = dict(item.split("=") for item in text.split(","))
    assert options.pop("stuck.0") == "1"
    assert sorted(options) == ["fall.0", "fall.1", "rise.0", "rise.1"]
    numbers = [int(n) for value in options.values() for n in value.split(":")]
    assert len(numbers) == 4 * 8
    assert max(map(abs, numbers)) <= 90
    assert len(set(options.values())) == 4


def test_a_file_holds_an_option_a_line(tmp_path: Path) -> None:
    path = tmp_path / "planted.txt"
    path.write_text("# the first channel\nrise.0 = 1:2:3:4\n\nfall.0=0:0:0:1 # late\n")
    text = front_end_options(f"sampler={path},dead.1=2", Geometry())
    assert text == "rise.0=1:2:3:4,fall.0=0:0:0:1,dead.1=2"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sampler", "must be key=value"),
        ("sampler=seed:x", "must be seed:N"),
        ("sampler=seed:1,spread_ps=500", "must be 0 to 499"),
        ("sampler=seed:1,spread_ps=-1", "must be 0 to 499"),
        ("spread_ps=9", "give that too"),
        ("sampler=nowhere.txt", "No such file"),
        ("sampler={bad}", "must be key=value"),
    ],
)
def test_a_wrong_plan_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("rise.0\n")
    with pytest.raises(ValueError, match=says) as caught:
        front_end_options(text.format(bad=bad), Geometry())
    assert str(caught.value).startswith("front-end: ")
