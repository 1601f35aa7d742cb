"""The CRC-32 of ISO 3309 follows the bytes of a frame, its low byte first."""

import random
import zlib

import pytest

from plexor_hdl.crc import CrcAppender


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_bytes_are_those_of_the_frame_and_their_crc(bench, seed):
    rng = random.Random(seed)
    frames = [rng.randbytes(length) for length in (1, 6, 7, 40, 200)]
    dut, sent = CrcAppender(), []
    expected = []
    for body in frames:
        expected += [*body, *zlib.crc32(body).to_bytes(4, "little"), None]

    async def drive(ctx):
        for body in frames:
            beats = [{"byte": byte, "end": 0} for byte in body] + [{"byte": 5, "end": 1}]
            await bench.send(ctx, dut.i_bytes, beats, seed)
        while len(sent) < len(expected):
            await ctx.tick()
        await ctx.tick().repeat(10)

    bench.simulate(dut, drive, bench.receiver(dut.o_bytes, sent, seed and seed + 1))
    assert [None if beat >> 8 else beat & 0xFF for beat in sent] == expected
