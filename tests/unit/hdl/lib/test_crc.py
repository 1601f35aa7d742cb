# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The CRC-32 of ISO 3309, a few bits a clock, and out again low byte first."""

import random
import zlib

import pytest

from plexor_hdl.lib.crc import MOST_BITS, FrameCrc

from ..simulation import made


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_the_crc_is_that_of_the_bits_and_leaves_a_byte_at_a_time(bench, bits):
    rng = random.Random(bits)
    dut = made(FrameCrc, bits)

    async def take(ctx, body):
        for byte in body:
            for at in range(0, 8, bits):
                if rng.random() < 0.3:
                    ctx.set(dut.step, 0)
                    await ctx.tick()
                ctx.set(dut.step, 1)
                ctx.set(dut.data, byte >> at & (1 << bits) - 1)
                await ctx.tick()
        ctx.set(dut.step, 0)

    async def drive(ctx):
        for length in (1, 6, 7, 40, 200):
            body = rng.randbytes(length)
            crc = zlib.crc32(body).to_bytes(4, "little")
            await take(ctx, body + crc)
            assert ctx.get(dut.matched)
            await take(ctx, b"x")
            assert not ctx.get(dut.matched)
            ctx.set(dut.start, 1)
            await ctx.tick()
            ctx.set(dut.start, 0)
            await take(ctx, body)
            assert ctx.get(dut.crc).to_bytes(4, "little") == crc
            ctx.set(dut.shift, 1)
            for byte in crc:
                assert ctx.get(dut.low) == byte
                await take(ctx, rng.randbytes(1))
            ctx.set(dut.shift, 0)
            ctx.set(dut.start, 1)
            await ctx.tick()
            ctx.set(dut.start, 0)

    bench.simulate(dut, drive)


@pytest.mark.parametrize("bits", [0, MOST_BITS + 1])
def test_other_numbers_of_bits_are_refused(bits):
    with pytest.raises(ValueError, match=f"bits: {bits}; must be 1 to 8"):
        FrameCrc(bits)
