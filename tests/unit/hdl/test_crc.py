"""The serialiser: words leave low byte first and the CRC-32 of ISO 3309 follows."""

import random
import zlib

import pytest

from plexor_hdl.crc import FrameSerialiser


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_bytes_are_those_of_the_words_and_their_crc(bench, seed):
    rng = random.Random(seed)
    frames = [[rng.getrandbits(32) for _ in range(length)] for length in (1, 6, 7, 40)]
    dut, sent = FrameSerialiser(), []
    expected = []
    for words in frames:
        body = b"".join(word.to_bytes(4, "little") for word in words)
        expected += [*body, *zlib.crc32(body).to_bytes(4, "little"), None]

    async def drive(ctx):
        for words in frames:
            beats = [{"word": word, "end": 0} for word in words] + [{"word": 5, "end": 1}]
            await bench.send(ctx, dut.i_words, beats, seed)
        while len(sent) < len(expected):
            await ctx.tick()
        await ctx.tick().repeat(10)

    bench.simulate(dut, drive, bench.receiver(dut.o_bytes, sent, seed and seed + 1))
    assert [None if beat >> 8 else beat & 0xFF for beat in sent] == expected
