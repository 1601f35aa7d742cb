# SPDX-License-Identifier: Apache-2.0
"""`sim:?board=NAME` is the instrument that the board's file says, simulated."""

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from plexor.base.errors import UsageError
from plexor.model.results import Kind
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Feature
from plexor.protocol.memory import ResponseClass
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_hdl.build.profiles import PROFILES

CONSTRAINTS = Path(__file__).parents[2] / "constraints"
BOARDS = sorted(path.stem for path in CONSTRAINTS.glob("*.toml"))
ONCE = ("hx8k-evn",)
"""One in each run of the tests; the others in full: a simulator is built for each."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in ONCE else pytest.mark.full) for name in BOARDS]
)
def test_a_simulated_board_is_the_boards_build_at_its_clock(name):
    file = tomllib.loads((CONSTRAINTS / f"{name}.toml").read_text())
    build = PROFILES[file["profile"]].geometry
    struck = Settings(
        strikes=(Stimulus(0, period_s=Fraction(1, 20_000)),), channels=(Channel(0),), count=50
    )
    with Device(open_link(f"sim:synthetic:latency=2us?board={name}")) as device:
        identity = device.identity
        (channel,) = measure(device, struck).channels
    assert (identity.board, identity.simulated) == (file["identity"], True)
    found = identity.geometry
    codes = file["pins"].get("codes", ())
    port = Feature.CODES if codes else Feature(0)
    assert (found.features, found.code_bits) == (
        build.features | port | Feature.SIMULATED,
        len(codes),
    )
    clock_mhz = 1e9 / (found.tick_fs * found.samples)
    assert clock_mhz == pytest.approx(file["clock"]["core_mhz"], rel=1e-6)
    for parameter in ("channels", "strikes", "samples", "phases", "deep_depth"):
        assert getattr(found, parameter) == getattr(build, parameter)
    assert channel.classes[ResponseClass.ANSWERED] == channel.strikes == 50
    rises = channel.measurement(Kind.RISE)
    assert rises.statistics.min_ticks == -(-2_000_000_000 // found.tick_fs)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("board=nosuch", "board: 'nosuch'; must be one of alchitry-cu, "),
        ("board=hx8k-evn&channels=3", "board: hx8k-evn has its own parameters; leave out --cha"),
    ],
)
def test_a_board_that_is_none_or_is_changed_is_refused(query, says):
    with pytest.raises(UsageError, match=says):
        open_link(f"sim:synthetic?{query}")
