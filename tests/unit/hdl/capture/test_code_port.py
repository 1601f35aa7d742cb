# SPDX-License-Identifier: Apache-2.0
"""The code port against planted pins: each code once, with its time, value, skew and TORN."""

import itertools
import random

import pytest

from plexor.protocol.registers import CodeMode
from plexor_hdl.capture.code_port import PORT_CLOCKS, CodePort

from ..simulation import made, simulate

BITS, SAMPLES = 10, 8


def run(levels, settings, strobes=None, triggers=None):
    """Return (clock of the begin, tick, code, skew, torn) of each code of the planted levels.

    Append to `triggers` the clock of each `trigger_stb`, and the value before it.
    """
    dut = made(CodePort, BITS, SAMPLES)
    begins, values = [], []

    async def bench(ctx):
        for name, value in {"mask": (1 << BITS) - 1, **settings}.items():
            ctx.set(dut.settings[name], value)
        await ctx.tick().repeat(3)
        for clock in range(len(levels) + 24):
            ctx.set(dut.pins, levels[min(clock, len(levels) - 1)])
            if strobes is not None:
                late = clock - PORT_CLOCKS + 1
                ctx.set(dut.strobe, strobes[late] if 0 <= late < len(strobes) else 0)
            if ctx.get(dut.o_begin):
                word = ctx.get(dut.o_begin)
                assert word & word - 1 == 0
                begins.append((clock - PORT_CLOCKS, word.bit_length() - 1))
            if triggers is not None and ctx.get(dut.trigger_stb):
                triggers.append((clock, values[-1][0]))
            if ctx.get(dut.o_value):
                value = dut.value
                found = (value.code, value.skew_clocks, value.torn)
                values.append(tuple(ctx.get(field) for field in found))
            await ctx.tick()

    simulate(dut, bench)
    assert len(begins) == len(values)
    return [(*begin, *value) for begin, value in zip(begins, values, strict=True)]


def skewed(rng, before, after, most):
    """Return the levels on the way from one code to another, and the clocks that it takes."""
    bits = [bit for bit in range(BITS) if (before ^ after) >> bit & 1]
    late = {bit: rng.randint(0, most) for bit in bits}
    late[rng.choice(bits)] = 0
    levels = []
    for clock in range(most + 1):
        flipped = sum(1 << bit for bit in bits if late[bit] <= clock)
        levels.append(before ^ flipped)
    return levels, max(late.values())


@pytest.mark.parametrize("settle", [1, 2, 3, 5, 8])
def test_a_change_is_one_code_with_its_id_whatever_the_skew_up_to_the_window(settle):
    rng, level, levels, expected = random.Random(settle), 0, [0] * 4, []
    for _ in range(60):
        code = rng.choice([n for n in range(1 << BITS) if n != level])
        moving, skew = skewed(rng, level, code, settle)
        expected.append((len(levels), 0, code, skew, 0))
        # Back to back where the last clock of the window is quiet, else a clock apart.
        levels += moving + [code] * (rng.randrange(3) + (skew == settle))
        level = code
    settings = {"mode": CodeMode.CHANGE, "settle_clocks": settle, "skew_clocks": settle}
    assert run(levels, settings) == expected


def told(levels, settle, skew):
    """Return what the port's docstring says of levels, an integer for each clock."""
    levels = [*levels, *[levels[-1]] * (2 * settle + 2)]
    changes = [0, *(one ^ other for one, other in itertools.pairwise(levels))]
    found, clock, unsure, last = [], 0, False, 0
    while clock < len(levels) - settle - 1:
        if not changes[clock]:
            clock += 1
            continue
        window = range(clock, clock + settle + 1)
        moving = [at for at in window if changes[at]]
        twice = any(changes[a] & changes[b] for a, b in itertools.combinations(moving, 2))
        unsure = (unsure and clock - last <= skew) or twice or moving[-1] - clock > skew
        last = moving[-1]
        unsettled = last == window[-1] and changes[window[-1] + 1]
        torn = int(unsure or bool(unsettled))
        found.append((clock, 0, levels[window[-1]], last - clock, torn))
        clock += settle + 1
    return found


SETTLES = [(1, 0), (1, 1), (3, 0), (3, 1), (3, 3), (5, 2), (8, 8)]


@pytest.mark.parametrize(("settle", "skew"), SETTLES)
def test_any_levels_give_the_codes_that_the_contract_says(settle, skew):
    rng, levels = random.Random(f"{settle} {skew}"), [0]
    for _ in range(300):
        levels += [levels[-1] ^ (1 << rng.randrange(BITS))] * rng.choice((1, 1, 2, 4, 9))
    settings = {"mode": CodeMode.CHANGE, "settle_clocks": settle, "skew_clocks": skew}
    assert run(levels, settings) == told(levels, settle, skew)


@pytest.mark.parametrize(("settle", "skew"), SETTLES)
def test_no_code_is_wrong_without_the_mark_and_none_far_enough_from_others_has_it(settle, skew):
    rng, level, levels = random.Random(f"{settle} {skew}"), 0, [0] * 12
    codes, last_clocks = [], []
    for _ in range(200):
        code = rng.choice([n for n in range(1 << BITS) if n != level])
        moving, late = skewed(rng, level, code, skew)
        codes.append((len(levels), code))
        last_clocks.append(len(levels) + late)
        gap = rng.randint(skew + 1, settle + 12)
        levels += (moving + [code] * 20)[:gap]
        level = code
    settings = {"mode": CodeMode.CHANGE, "settle_clocks": settle, "skew_clocks": skew}
    found = run(levels, settings)
    assert {(clock, code) for clock, _, code, _, torn in found if not torn} <= set(codes)
    # Behind a code with its whole window and a quiet clock, and before such a gap, all is sure.
    alone = {
        codes[n]
        for n in range(1, len(codes) - 1)
        if codes[n][0] - last_clocks[n - 1] > max(settle, skew) + 1
        and codes[n + 1][0] - codes[n][0] > settle + 1
    }
    assert len(alone) > 10
    assert alone <= {(clock, code) for clock, _, code, _, torn in found if not torn}


def test_one_code_each_four_clocks_is_sustained():
    rng, levels, expected, level = random.Random(4), [0], [], 0
    for _ in range(300):
        level ^= rng.randrange(1, 1 << BITS)
        expected.append((len(levels), 0, level, 0, 0))
        levels += [level] * 4
    assert run(levels, {"mode": CodeMode.CHANGE, "settle_clocks": 3}) == expected


def test_a_pin_that_changes_twice_in_the_window_tears_its_code():
    levels = [0, 0, 5, 4, 5, 5, 5, 5]
    settings = {"mode": CodeMode.CHANGE, "settle_clocks": 3, "skew_clocks": 3}
    assert run(levels, settings) == [(2, 0, 5, 2, 1)]


def test_a_port_that_does_not_settle_tears_its_code_and_begins_another():
    levels = [0, 0, 1, 1, 3, 7, 7, 7, 7]
    settings = {"mode": CodeMode.CHANGE, "settle_clocks": 2, "skew_clocks": 2}
    assert run(levels, settings) == [(2, 0, 3, 2, 1), (5, 0, 7, 0, 0)]


def test_pins_outside_the_mask_make_no_codes_and_read_0():
    levels = [0, 1, 0, 1, 6, 7, 7, 7, 7, 7]
    settings = {"mode": CodeMode.CHANGE, "settle_clocks": 1, "mask": 0x3FE}
    assert run(levels, settings) == [(4, 0, 6, 0, 0)]


def test_a_port_that_is_off_has_no_codes():
    assert not run([0, 5, 9, 3], {}, strobes=[1, 0, 1, 0])


def test_a_strobe_gives_the_tick_and_equal_codes_are_seen():
    levels, strobes, expected, rng = [0], [0], [], random.Random(7)
    for _ in range(200):
        code, tick = rng.randrange(4), rng.randrange(SAMPLES)
        expected.append((len(levels), tick, code, 0, 0))
        levels += [code] * 3
        strobes += [(0xFF << tick) & 0xFF, 0x0F, 0]
    assert run(levels, {"mode": CodeMode.STROBED}, strobes) == expected


def test_two_strobes_in_a_word_and_data_that_do_not_hold_tear_the_code():
    levels = [0, 3, 3, 3, 3, 3, 9, 9, 9]
    strobes = [0, 0b01010000, 0, 0, 1, 0, 0]
    found = run(levels, {"mode": CodeMode.STROBED}, strobes)
    assert found == [(1, 4, 3, 0, 1), (4, 0, 3, 0, 1)]


@pytest.mark.parametrize("settle", [1, 3, 8])
@pytest.mark.parametrize("mode", [CodeMode.CHANGE, CodeMode.STROBED])
def test_each_code_that_triggers_does_so_in_a_fixed_time_but_not_if_it_is_torn(mode, settle):
    rng, asked = random.Random(settle), 0x155
    codes = [rng.choice((asked, asked ^ 1, asked ^ 0x200, 0)) for _ in range(60)]
    levels = [code for code in codes for _ in range(20)]
    # In the fifth code another pin changes within the window.
    levels[81] ^= 0x8
    strobes = [0b100 if clock % 20 == 0 else 0 for clock in range(len(levels))]
    settings = {"mode": mode, "settle_clocks": settle, "trigger_code": asked}
    triggers = []
    told = run(levels, settings, strobes if mode == CodeMode.STROBED else None, triggers)
    waits = settle if mode == CodeMode.CHANGE else 1
    late = PORT_CLOCKS + waits + 2
    expected = [begin + late for begin, _, code, _, torn in told if code == asked and not torn]
    assert [clock for clock, _ in triggers] == expected
    assert len(expected) > 5
    assert any(torn for *_, torn in told)
