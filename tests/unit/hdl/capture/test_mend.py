# SPDX-License-Identifier: Apache-2.0
"""The mender, every word of the sampler behind every state, against a walk over samples."""

import itertools

import pytest

from plexor_hdl.capture.mend import MEND_CLOCKS, REACH, Mend

from ..simulation import made, simulate


def edges_of(samples):
    """Return the places whose sample differs from the one before."""
    return [place for place in range(1, len(samples)) if samples[place] != samples[place - 1]]


def walked(samples):
    """Return samples in order: of three edges in a row that stand alone the middle one is left."""
    places, mended = set(edges_of(samples)), []
    for place in sorted(places):
        three = {place - 1, place, place + 1}
        if three <= places and not {place - 2, place + 2} & places:
            mended.append(place)
    found = list(samples)
    for place in mended:
        found[place - 1], found[place] = found[place], found[place - 1]
    return found, mended


def words_of(samples, width):
    """Return samples as words, oldest in bit 0."""
    rows = [samples[start : start + width] for start in range(0, len(samples), width)]
    return [sum(bit << place for place, bit in enumerate(row)) for row in rows]


def given(width, words):
    """Return the words and the strobes that a mender gives for words, one each clock."""
    dut = made(Mend, width)
    found = []

    async def bench(ctx):
        for word in [*words, *[0] * MEND_CLOCKS]:
            ctx.set(dut.word, word)
            found.append((ctx.get(dut.o_word), ctx.get(dut.mended)))
            await ctx.tick()

    simulate(dut, bench)
    return found[MEND_CLOCKS:]


def expected(width, words):
    """Return what `given` must return, by a walk over all samples. Before the first, all are 0."""
    samples = [0] * width + [word >> bit & 1 for word in [*words, 0, 0] for bit in range(width)]
    found, mended = walked(samples)
    rows = words_of(found, width)
    strobes = [any(place // width == row for place in mended) for row in range(len(rows))]
    return list(zip(rows, map(int, strobes), strict=True))[1 : 1 + len(words)]


@pytest.mark.parametrize("width", [4, pytest.param(8, marks=pytest.mark.full)])
def test_every_word_is_mended_behind_every_word_and_before_every_word(width):
    """Three words of four samples have every REACH before and behind, and every word between."""
    near = range(1 << REACH)
    words = [
        word
        for before, own, behind in itertools.product(near, range(1 << width), near)
        for word in (before << width - REACH, own, behind)
    ]
    assert given(width, words) == expected(width, words)


@pytest.mark.parametrize("width", [4, 8, 16])
@pytest.mark.parametrize("level", [0, 1])
def test_an_edge_between_exchanged_instants_is_one_edge_wherever_it_comes(width, level):
    for place in range(width, 3 * width):
        straight = [level] * place + [1 - level] * (4 * width - place)
        samples = list(straight)
        # The phase of `place - 1` samples after that of `place`.
        samples[place - 1], samples[place] = samples[place], samples[place - 1]
        assert len(edges_of(samples)) == 3
        found = given(width, [level * ((1 << width) - 1), *words_of(samples, width)])[1:]
        assert [word for word, _ in found] == words_of(straight, width)
        assert [row for row, (_, mended) in enumerate(found) if mended] == [place // width]


@pytest.mark.parametrize("pulse", [(1,), (2,), (1, 1, 1), (1, 2), (2, 1), (1, 1, 1, 1)])
def test_pulses_that_a_swap_does_not_make_stay(pulse):
    """A pulse, and trains of pulses that are not three edges in a row."""
    samples, level = [0] * 12, 1
    for width in pulse:
        samples += [level] * width
        level = 1 - level
    samples += [level] * (40 - len(samples))
    words = words_of(samples, 8)
    assert [word for word, _ in given(8, words)] == words
