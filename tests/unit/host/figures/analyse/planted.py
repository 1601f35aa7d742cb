# SPDX-License-Identifier: Apache-2.0
"""A calibration with known instants and delays, for tests of what it corrects."""

from plexor.model.calibration import Calibration, ChannelInstants, Instants, PadDelay

UP = Instants((100, -300, 250, -50), (5,) * 4, 20_000)
DOWN = Instants((0, 40, -40, 0), (5,) * 4, 20_000)
OTHER = Instants((-200, 0, 200, 0), (5,) * 4, 20_000)
CALIBRATION = Calibration(
    serial="sim",
    gateware_hash=0x1234_5678_9ABC_DEF0,
    board="sim",
    simulated=True,
    tick_fs=1_000_000,
    made="2026-11-22T12:00:00+00:00",
    source_fs=413_000_000,
    channels=(ChannelInstants(0, UP, DOWN), ChannelInstants(1, OTHER, OTHER)),
    delays=(PadDelay(0, 0, 1500, 1600, 90, 90), PadDelay(0, 1, 2000, 2000, 90, 90)),
)
