# SPDX-License-Identifier: Apache-2.0
"""Options of devices: a user's units become the device's, and both sides know the same ones."""

from __future__ import annotations

import re

import pytest

from plexor_sim.device_forms import Distribution, Time, Whole, time_text
from plexor_sim.device_options import RISCV, SYNTHETIC, VERILOG, Option, checked
from plexor_sim.devices import NAMES, explained
from plexor_sim.presets import PRESETS

from .synthetic_player import Play, player


@pytest.fixture(scope="module")
def play() -> Play:
    return player()


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("latency=300ns", "latency=300000"),
        ("latency=1.5us,seed=7", "latency=1500000,seed=7"),
        ("ch3.latency=fixed:2ms", "ch3.latency=fixed:2000000000"),
        ("latency=0", "latency=0"),
        ("latency=250fs", None),
        ("latency=1000fs", "latency=1"),
        ("latency=.5µs", "latency=500000"),
        ("latency=uniform:1ns:2ns", "latency=uniform:1000:2000"),
        ("width=normal:2us:30ns", "width=normal:2000000:30000"),
        ("service=lognormal:1us:0.8", "service=lognormal:1000000:0.8"),
        ("latency=exponential:5ns", "latency=exponential:5000"),
        ("latency=list:/a/b+c*d", "latency=list:/a/b+c*d"),
        ("latency=0.9*5ns+0.1*uniform:1ns:1us", "latency=0.9*5000+0.1*uniform:1000:1000000"),
        ("latency=1*300", None),
        ("clock=10ns,phase=1ns,grid=1ns", "clock_ps=10000,phase_ps=1000,grid_fs=1000000"),
        ("grid=0", "grid_fs=0"),
        ("mask=7us:2us:500ns", "mask=7000000:2000000:500000"),
        ("tick=1ms", "tick=1000000000"),
        ("deaf=4us:4us", "deaf=4000000:4000000"),
        ("spurious=20k", "spurious=20000.0"),
        ("spurious=1.5MHz", "spurious=1500000.0"),
        ("drop=0.25,duplicate=1e-3", "drop=0.25,duplicate=1e-3"),
        ("ch1.after=ch0-fall", "ch1.after=ch0-fall"),
        ("gap=1000s", "gap=1000000000000000"),
        ("gap=1001s", None),
        ("latency=300", None),
        ("", ""),
    ],
)
def test_times_with_units_become_whole_picoseconds(text: str, taken: str | None) -> None:
    if taken is None:
        with pytest.raises(ValueError, match="with a unit, such as 300ns, of whole ps"):
            checked(SYNTHETIC, text, "synthetic")
    else:
        assert checked(SYNTHETIC, text, "synthetic") == taken


@pytest.mark.parametrize("name", [*NAMES, "dut.toml"])
def test_every_option_is_explained_by_value_range_default_and_meaning(name: str) -> None:
    for entry in explained(name)["options"]:
        assert all(entry[part] for part in ("name", "value", "range", "default", "meaning"))


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_written_as_a_user_would(name: str) -> None:
    for key, value in PRESETS[name].items():
        assert checked(SYNTHETIC, f"{key}={value}", name)


def test_the_device_has_the_options_that_are_declared_and_no_other(play: Play) -> None:
    said = play("colour=red", []).error
    names = re.sub(r" and, with or without chN\.,|\n", ",", said.partition("options are ")[2])
    known = {name.strip() for name in names.split(",")} - {""}
    assert known == {option.key or option.name for option in SYNTHETIC}


def _as_declared(option: Option) -> str:
    return checked(SYNTHETIC, f"{option.name}={option.default}", "synthetic")


def test_defaults_are_those_of_the_device(play: Play) -> None:
    others = ("none", "latency", "width", "service", "load_name")
    defaults = [
        _as_declared(option)
        for option in SYNTHETIC
        if option.name != "after" and option.default not in others
    ]
    assert len(defaults) == 19
    strikes = [1_000_000 + 700_000 * n for n in range(40)]
    # What makes every default tell: requests that wait, are lost, come twice.
    told = "drop=0.1,duplicate=0.3,spurious=20000,queue=3,latency=uniform:1:900000,width=300000"
    for own in (told, f"{told},overload=2000000,service=900000", "clock_ps=700,width=9"):
        given = [text for text in defaults if text.partition("=")[0] + "=" not in own]
        expected = play(own, strikes).edges
        assert play(",".join([*given, own]), strikes).edges == expected
        assert len(expected) > 40


RANGED = {
    option.key or option.name: Time() if isinstance(option.form, Distribution) else option.form
    for option in SYNTHETIC
    if isinstance(option.form, Distribution | Time | Whole) and option.name not in ("seed", "grid")
}


@pytest.mark.parametrize("key", RANGED)
def test_the_device_takes_what_is_in_range_and_nothing_beyond(play: Play, key: str) -> None:
    form = RANGED[key]
    for value, code in ((form.low, 0), (form.high, 0), (form.low - 1, 2), (form.high + 1, 2)):
        assert play(f"{key}={value}", [], end_ps=1).code == code, value


@pytest.mark.parametrize(
    ("file", "options"), [("riscv.cpp", RISCV), ("verilog.h", VERILOG)], ids=["riscv", "verilog"]
)
def test_the_other_devices_have_the_options_that_are_declared(
    file: str, options: tuple[Option, ...]
) -> None:
    from plexor_sim import devices  # noqa: PLC0415

    text = (devices._DEVICE / file).read_text()
    known = set(re.findall(r'\b(?:key|name) == "(\w+)"', text))
    known |= set(re.findall(r'key\.rfind\("(\w+)\."', text))
    assert known == {option.key or option.name for option in options}
    text = text.replace("kMostPs)", f"{10**12})")
    bounds = re.findall(r'"(\w+)"\)[^;]*?, value, ([-\d\']+), ([-\d\']+)\)', text)
    assert len(bounds) > 3
    for key, low, high in bounds:
        form = next(o.form for o in options if (o.key or o.name) == key)
        if isinstance(form, Time | Whole):
            found = [int(bound.replace("'", "")) for bound in (low, high)]
            assert found == [form.low, form.high], key


@pytest.mark.parametrize(
    ("units", "unit", "text"),
    [
        (0, "ps", "0"),
        (1, "ps", "1ps"),
        (10**15, "ps", "1000s"),
        (5, "fs", "5fs"),
        (10**9, "fs", "1us"),
    ],
)
def test_a_range_is_said_in_the_largest_whole_unit(units: int, unit: str, text: str) -> None:
    assert time_text(units, unit) == text


@pytest.mark.parametrize(
    ("text", "taken"),
    [("0", "0"), ("50", "50"), ("random", str(255 | 1 << 8)), ("random:7", str(255 | 7 << 8))],
)
def test_blocks_are_a_number_or_drawn_with_a_seed(text: str, taken: str) -> None:
    assert checked(RISCV, f"blocks={text}", "freertos") == f"blocks={taken}"


@pytest.mark.parametrize("text", ["51", "-1", "random:256", "random:", "some"])
def test_other_blocks_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"blocks={text}: must be a whole number from 0 to 50"):
        checked(RISCV, f"blocks={text}", "freertos")
