# SPDX-License-Identifier: Apache-2.0
"""COBS: what the encoder sends decodes by the contract; the decoder accepts nothing else."""

import random

import pytest

from plexor.protocol.frames import cobs_decode, cobs_encode
from plexor_hdl.lib.cobs import CobsDecoder, CobsEncoder

from ..simulation import made

BLOCK = 254


def bodies(seed):
    """Frames with zeros at every place that matters, and random ones."""
    yield b""
    yield b"\0"
    yield b"\0\0\0"
    yield from (bytes([7]) * length for length in (1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK))
    yield bytes([7]) * BLOCK + b"\0"
    yield bytes([7]) * (BLOCK - 1) + b"\0\0" + bytes([9]) * (BLOCK + 3)
    rng = random.Random(seed)
    for _ in range(6):
        zeros = rng.choice([0.0, 0.02, 0.5])
        length = rng.randrange(1, 700)
        yield bytes(0 if rng.random() < zeros else rng.randrange(256) for _ in range(length))


def encoder_beats(body):
    return [{"byte": byte, "end": 0} for byte in body] + [{"byte": 0, "end": 1}]


def encode(bench, frames, seed):
    dut, sent = made(CobsEncoder), []
    expected = b"".join(cobs_encode(body) + b"\0" for body in frames)

    async def drive(ctx):
        for body in frames:
            await bench.send(ctx, dut.i_bytes, encoder_beats(body), seed)
        while len(sent) < len(expected):
            await ctx.tick()
        await ctx.tick().repeat(20)

    bench.simulate(dut, drive, bench.receiver(dut.o_bytes, sent, seed and seed + 1))
    return bytes(sent), expected


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.full) for n in (None, 2))])
def test_every_frame_is_encoded_as_the_contract_says(bench, seed):
    sent, expected = encode(bench, list(bodies(seed)), seed)
    assert sent == expected


def test_a_byte_each_three_clocks_is_sustained(bench):
    dut, sent, clocks = made(CobsEncoder), [], []
    body = bytes(n * 7 & 0xFF for n in range(2000))

    async def drive(ctx):
        ctx.set(dut.i_bytes.valid, 1)
        for byte in body:
            ctx.set(dut.i_bytes.payload, {"byte": byte, "end": 0})
            clocks.append(0)
            while True:
                _, _, ready = await ctx.tick().sample(dut.i_bytes.ready)
                clocks[-1] += 1
                if ready:
                    break

    bench.simulate(dut, drive, bench.receiver(dut.o_bytes, sent))
    assert sum(clocks) <= 3 * (len(body) + len(body) // BLOCK)


def decoded_frames(beats):
    frames, body = [], bytearray()
    for beat in beats:
        if beat >> 8 & 1:
            frames.append((bytes(body), bool(beat >> 9 & 1)))
            body = bytearray()
        else:
            body.append(beat & 0xFF)
    return frames


def decode(bench, stream, seed):
    dut, beats = made(CobsDecoder), []

    async def drive(ctx):
        await bench.send(ctx, dut.i_bytes, stream, seed)
        await ctx.tick().repeat(20)

    bench.simulate(dut, drive, bench.receiver(dut.o_bytes, beats, seed and seed + 1))
    return decoded_frames(beats)


@pytest.mark.parametrize("seed", [pytest.param(None, marks=pytest.mark.full), 1])
def test_what_was_encoded_is_decoded(bench, seed):
    # An empty body is encoded as one byte, so only frames without bytes between delimiters vanish.
    frames = list(bodies(seed))
    stream = b"\0\0" + b"".join(cobs_encode(body) + b"\0\0" for body in frames)
    assert decode(bench, stream, seed) == [(body, True) for body in frames]


@pytest.mark.parametrize("seed", [3, *(pytest.param(n, marks=pytest.mark.full) for n in (4, 5))])
def test_only_encodings_are_called_good(bench, seed):
    rng = random.Random(seed)
    parts = [
        bytes(rng.randrange(1, rng.choice([4, 256])) for _ in range(rng.randrange(1, 12)))
        for _ in range(150)
    ]
    expected = []
    for part in parts:
        try:
            expected.append((cobs_decode(part), True))
        except ValueError:
            expected.append((None, False))
    found = decode(bench, b"".join(part + b"\0" for part in parts), None)
    assert [(body if good else None, good) for body, good in found] == expected
    assert {good for _, good in expected} == {True, False}
