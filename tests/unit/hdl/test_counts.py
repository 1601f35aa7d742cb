"""Many counts in one memory: visits add to them, and reads see them."""

import random

from amaranth.hdl import Cat

from plexor_hdl.counts import LIMB_BITS, LIMBS, Counts

from .simulation import made

PLACE_BITS, NARROW_BITS, WIDE_BITS = 3, 5, 9
PLACES = range(1 << PLACE_BITS)


def counts():
    return Counts(PLACE_BITS, PLACE_BITS + 2, Cat, NARROW_BITS, WIDE_BITS)


async def visit(ctx, dut, following, *, live=1, wipe=0, **addends):
    """Make a visit that begins in this clock, which is one of limb 0; return strobes seen.

    If it is live, the next one is to `following`.
    """
    for name, value in {"addend": 0, "narrow": 0, "wide": 0, **addends}.items():
        ctx.set(getattr(dut, name), value)
    ctx.set(dut.place, following)
    ctx.set(dut.wipe, wipe)
    wraps = 0
    for limb in range(LIMBS):
        assert ctx.get(dut.limb) == limb
        ctx.set(dut.live, live and limb == LIMBS - 1)
        wraps += ctx.get(dut.saturated_stb)
        await ctx.tick()
    return wraps


async def read(ctx, dut, place):
    count = 0
    ctx.set(dut.read, 1)
    ctx.set(dut.live, 0)
    for limb in range(LIMBS):
        ctx.set(dut.read_row, limb << PLACE_BITS | place)
        await ctx.tick()
        ctx.set(dut.read, 0)
        await ctx.tick()
        count |= ctx.get(dut.word) << limb * LIMB_BITS
        ctx.set(dut.read, 1)
    ctx.set(dut.read, 0)
    return count


def test_a_count_is_the_sum_of_its_addends_and_of_what_its_samples_grew_by(bench):
    dut, rng = made(counts), random.Random(1)
    totals = dict.fromkeys(PLACES, 0)

    async def drive(ctx):
        for place in PLACES:
            await visit(ctx, dut, (place + 1) % len(PLACES), wipe=1)
        place = 0
        for _ in range(3000):
            live = rng.random() < 0.9
            if place < 6:
                bits = NARROW_BITS if place < 3 else WIDE_BITS
                most = (1 << bits) - 1
                grown = totals[place] + rng.choice((0, rng.randint(0, most), most))
                how = {"narrow": place < 3, "wide": place >= 3, "addend": ~grown & most}
            else:
                addend = rng.choice((0, 1, 0xFFFF, rng.randrange(1 << 16)))
                how, grown = {"addend": addend}, totals[place] + addend
            following = (place + 1) % len(PLACES)
            await visit(ctx, dut, following, live=live, **how)
            if live:
                totals[place], place = grown, following
        await visit(ctx, dut, 0, live=0)
        assert {place: await read(ctx, dut, place) for place in PLACES} == totals
        assert max(totals.values()) > 1 << LIMB_BITS

    bench.simulate(dut, drive)
