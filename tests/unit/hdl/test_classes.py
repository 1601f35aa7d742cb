"""Classes: each response in its class, channel and bank; the lanes' counts beside them."""

import random
from collections import Counter

import pytest

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import CLASSES, ResponseClass
from plexor_hdl.classes import LANE_CLASSES, Classes
from plexor_hdl.interfaces import READ_CLOCKS

from .simulation import made, simulate

COUNTED = (
    ResponseClass.ANSWERED,
    ResponseClass.LATE,
    ResponseClass.DUPLICATE,
    ResponseClass.SPURIOUS,
)


async def read_all(ctx, dut, channels, bank):
    """Return the 64-bit counts of a bank, one address a clock."""
    words = []
    ctx.set(dut.read.bank, bank)
    count = channels * CLASSES * 2
    for clock in range(count + READ_CLOCKS):
        if clock >= READ_CLOCKS:
            words.append(ctx.get(dut.read.data))
        ctx.set(dut.read.address, min(clock, count - 1))
        await ctx.tick()
    return [low | high << 32 for low, high in zip(words[::2], words[1::2], strict=True)]


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("banks", [1, 2])
def test_every_count_is_read_from_its_channel_class_and_bank(channels, banks):
    geometry = Geometry(channels=channels)
    dut, rng = made(Classes, geometry, banks), random.Random(channels + banks)
    truth = Counter()

    async def drive(ctx):
        for bank in range(banks):
            for channel in range(channels):
                for response_class, name in LANE_CLASSES.items():
                    value = rng.getrandbits(48)
                    ctx.set(dut.lanes[bank][channel][name], value)
                    truth[bank, channel, response_class] = value
        for _ in range(400):
            valid = rng.random() < 0.8
            key = (rng.randrange(banks), rng.randrange(channels), rng.choice(COUNTED))
            ctx.set(dut.i_valid, valid)
            ctx.set(dut.i_class.bank, key[0])
            ctx.set(dut.i_class.channel, key[1])
            ctx.set(dut.i_class.response_class, key[2])
            truth[key] += valid
            await ctx.tick()
        ctx.set(dut.i_valid, 0)
        await ctx.tick().repeat(10)
        for bank in range(banks):
            assert await read_all(ctx, dut, channels, bank) == [
                truth[bank, channel, response_class]
                for channel in range(channels)
                for response_class in ResponseClass
            ]
        assert not ctx.get(dut.saturated)

    simulate(dut, drive)
