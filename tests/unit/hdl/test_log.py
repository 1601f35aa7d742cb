"""LOG frames say what the entry said, once."""

import pytest

from plexor.protocol.frames import FrameType, LogCode
from plexor_hdl.log import Log


@pytest.mark.parametrize("seed", [None, 1])
def test_each_entry_gives_one_log_frame(bench, seed):
    dut, beats = Log(), []
    entries = [
        (LogCode.STARTED, 0, 123),
        (LogCode.TRIGGERED, (1 << 48) - 1, (1 << 64) - 1),
        (LogCode.STOPPED, 3, 1 << 40),
    ]

    async def drive(ctx):
        items = [{"code": code, "index": index, "base_ticks": at} for code, index, at in entries]
        await bench.send(ctx, dut.i_entries, items, seed)
        await ctx.tick().repeat(30)

    bench.simulate(dut, drive, bench.receiver(dut.o_words, beats, seed))
    frames, rest = bench.frames_of_beats(beats)
    assert rest == b""
    assert [(f.type, f.tag, f.index, f.base_ticks, f.payload) for f in frames] == [
        (FrameType.LOG, *entry, b"") for entry in entries
    ]
