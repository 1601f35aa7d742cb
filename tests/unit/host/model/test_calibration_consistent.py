# SPDX-License-Identifier: Apache-2.0
"""What cannot be in a calibration, each bound from both sides."""

from dataclasses import replace

import pytest

from plexor.experiments.calibration.store import CALIBRATION
from plexor.model.calibration import (
    Calibration,
    ChannelInstants,
    Detour,
    Instants,
    PadDelay,
    PinDelay,
    Scale,
)

from ..documented import wrong

WAY = Instants((100, -300, 250, -50), (5,) * 4, 20_000)
GOOD = Calibration(
    *("sim", 7, "sim", True, 1_000_000, "2026-11-22T12:00:00+00:00", 413_000_000),
    channels=(ChannelInstants(0, WAY, WAY), ChannelInstants(7, WAY, WAY)),
    delays=(PadDelay(0, 0, 1500, 1600, 90, 90), PadDelay(7, 7, 1500, 1600, 0, 0)),
)


JUMPER = PinDelay(0, 7, 1500, 1600, 0, 0, "2026")
DETOUR = Detour(0, 7, -100, 900)
SCALE = Scale(7, 2000, "1 PPS on ch7", "2026")


def channel(number=0, **changes):
    return ChannelInstants(number, WAY, replace(WAY, **changes))


def delay(**changes):
    return (replace(GOOD.delays[0], **changes),)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, ""),
        ({"tick_fs": 0}, "tick_fs: 0; must be 1 to 4294967295"),
        ({"tick_fs": (1 << 32) - 1}, ""),
        ({"tick_fs": 1 << 32}, "tick_fs: 4294967296"),
        ({"build_id": (1 << 64) - 1}, ""),
        ({"build_id": 1 << 64}, "build_id"),
        ({"gateware_hash": -1}, "gateware_hash"),
        ({"source_fs": 0}, ""),
        ({"source_fs": -1}, "source_fs: -1"),
        ({"channels": ()}, "channels []"),
        ({"channels": (channel(8),)}, "channels[0].number: 8; must be 0 to 7"),
        ({"channels": (channel(), channel())}, "channels [0, 0]"),
        ({"channels": (channel(late_ps=(0, 0), error_ps=(1, 1)),)}, "[2, 4] phases"),
        ({"channels": (channel(error_ps=(1,) * 3),)}, "[3, 4] phases"),
        ({"channels": (channel(edges=-1),)}, "channels[0].fall.edges: -1; must be 0 or more"),
        (
            {"channels": (channel(error_ps=(-1, 0, 0, 0)),)},
            "fall.error_ps[0]: -1; must",
        ),
        # A bin is a tick of 1000 ps, and its instants may be rounded by 2 ps together.
        ({"channels": (channel(late_ps=(0, 0, 1002, 0)),)}, ""),
        ({"channels": (channel(late_ps=(0, 0, 1003, 0)),)}, "must leave each bin a width"),
        ({"channels": (channel(late_ps=(0, -1003, 0, 0)),)}, "must leave each bin a width"),
        ({"jumpers": (JUMPER,), "detours": (DETOUR,), "scale": SCALE}, ""),
        ({"jumpers": (JUMPER,) * 2}, "jumpers or detours of [(0, 7), (0, 7)]; must be different"),
        ({"detours": (DETOUR,) * 2}, "jumpers or detours of [(0, 7), (0, 7)]; must be different"),
        (
            {"jumpers": (replace(JUMPER, channel=8),)},
            "[0].channel: 8; must be 0 to 7",
        ),
        ({"jumpers": (replace(JUMPER, fall_error_ps=-1),)}, "fall_error_ps: -1; must be 0 to"),
        ({"detours": (replace(DETOUR, least_ps=900),)}, ""),
        ({"detours": (replace(DETOUR, least_ps=901),)}, "detour 901 to 900 ps; must rise"),
        (
            {"detours": (replace(DETOUR, output=-1),)},
            "[0].output: -1; must be 0 to 7",
        ),
        ({"scale": replace(SCALE, fast_ppb=-(10**6))}, ""),
        (
            {"scale": replace(SCALE, fast_ppb=-(10**6) - 1)},
            "fast_ppb: -1000001; must",
        ),
        (
            {"scale": replace(SCALE, fast_ppb=10**6 + 1)},
            "fast_ppb: 1000001; must be",
        ),
        ({"scale": replace(SCALE, error_ppb=10**6)}, ""),
        (
            {"scale": replace(SCALE, error_ppb=10**6 + 1)},
            "error_ppb: 1000001; must be 0 to 1000000",
        ),
        ({"scale": replace(SCALE, error_ppb=-1)}, "error_ppb: -1; must be 0 to 1000000"),
        ({"delays": ()}, ""),
        ({"delays": GOOD.delays[:1] * 2}, "delays of [(0, 0), (0, 0)]; must be different"),
        ({"delays": delay(output=8)}, "delays[0].output: 8; must be 0 to 7"),
        ({"delays": delay(channel=8)}, "delays[0].channel: 8; must be 0 to 7"),
        ({"delays": delay(rise_ps=-(10**12))}, ""),
        (
            {"delays": delay(fall_ps=10**12 + 1)},
            "fall_ps: 1000000000001; must be -1",
        ),
        ({"delays": delay(fall_error_ps=-1)}, "delays[0].fall_error_ps: -1; must be 0"),
    ],
)
def test_what_cannot_be_is_said_and_what_can_is_taken(changes, says):
    calibration = replace(GOOD, **changes)
    found = wrong(CALIBRATION, calibration)
    assert bool(found) == bool(says)
    assert says in found
