"""What the capture sees: every pin's word in the clock of its time, driven ones later."""

import random
from types import SimpleNamespace

import pytest
from amaranth.hdl import Elaboratable, Module, Signal
from amaranth.lib import data

from plexor_hdl.capture.pins import wire_pins

from ..simulation import simulate

SAMPLES, STRIKES, CHANNELS = 4, 2, 3


def words(count, name):
    return Signal(data.ArrayLayout(SAMPLES, count), name=name)


class Wired(Elaboratable):
    """Pins with signals in place of all that is around them."""

    def __init__(self, loop_clocks, sweep) -> None:
        self._loop_clocks = loop_clocks
        bit = Signal
        self.sweep = SimpleNamespace(level=bit(name="level")) if sweep else None
        self.instrument = SimpleNamespace(
            samples=bit(SAMPLES * CHANNELS, name="samples"),
            strikes=bit(SAMPLES * STRIKES, name="strikes"),
            gate=bit(name="gate"),
            load=bit(name="load"),
        )
        stimulus = data.StructLayout({"enable": 1, "width_ticks": 8})
        self.bank = SimpleNamespace(
            stimulus=[Signal(stimulus, name=f"bank{number}") for number in range(STRIKES)],
            control=SimpleNamespace(load=bit(name="bank_load")),
        )
        self.run = SimpleNamespace(
            **{
                name: bit(name=name)
                for name in ("start_stb", "stop", "stimuli_done", "strike_stb", "striking")
            },
            capture=bit(name="run_capture"),
        )
        self.outputs = SimpleNamespace(
            config=[Signal(stimulus, name=f"config{number}") for number in range(STRIKES)],
            levels=words(STRIKES, "levels"),
            active=words(STRIKES, "active"),
            **{
                name: bit(name=f"outputs_{name}")
                for name in ("start_stb", "stop", "gate", "done", "strike_stb", "striking")
            },
        )
        ends = 1 + bool(sweep)
        self.capture = SimpleNamespace(
            words=words(STRIKES + CHANNELS + ends, "words"),
            capture=bit(name="capture"),
            strike_enables=bit(STRIKES, name="enables"),
        )

    def elaborate(self, platform):
        m = Module()
        parts = (self.instrument, self.bank, self.run, self.outputs, self.capture, self.sweep)
        wire_pins(m, *parts, self._loop_clocks, "block")
        return m


@pytest.mark.parametrize("loop_clocks", [0, 2, 4, 5])
@pytest.mark.parametrize("sweep", [False, True])
def test_what_is_driven_is_seen_with_the_samples_of_its_time(loop_clocks, sweep):
    dut, rng, given = Wired(loop_clocks, sweep), random.Random(loop_clocks), []

    async def bench(ctx):
        for clock in range(60):
            active = [rng.getrandbits(SAMPLES) for _ in range(STRIKES)]
            samples = [rng.getrandbits(SAMPLES) for _ in range(CHANNELS)]
            load, level, captures = (rng.getrandbits(1) for _ in range(3))
            given.append((active, samples, load, level, captures))
            ctx.set(dut.outputs.active, active)
            ctx.set(dut.instrument.samples, sum(w << SAMPLES * n for n, w in enumerate(samples)))
            ctx.set(dut.bank.control.load, load)
            ctx.set(dut.run.capture, captures)
            if sweep:
                ctx.set(dut.sweep.level, level)
            if clock > loop_clocks:
                driven, sampled = given[clock - 1 - loop_clocks], given[clock - 1]
                ends = [driven[2], driven[3]][: 1 + sweep]
                expected = driven[0] + sampled[1] + [end * ((1 << SAMPLES) - 1) for end in ends]
                assert list(ctx.get(dut.capture.words)) == expected
                assert ctx.get(dut.capture.capture) == sampled[4]
            await ctx.tick()

    simulate(dut, bench)


def test_pins_have_the_levels_and_all_but_stimulus_0_the_banks_settings():
    dut = Wired(2, sweep=True)

    async def bench(ctx):
        ctx.set(dut.outputs.levels, [5, 10])
        ctx.set(dut.bank.stimulus[0], {"enable": 0, "width_ticks": 7})
        ctx.set(dut.bank.stimulus[1], {"enable": 1, "width_ticks": 9})
        ctx.set(dut.bank.control.load, 1)
        await ctx.tick()
        assert ctx.get(dut.instrument.strikes) == 5 | 10 << SAMPLES
        assert ctx.get(dut.instrument.load) == 1
        assert ctx.get(dut.outputs.config[1].width_ticks) == 9
        # The sweep table gives those of stimulus 0.
        assert ctx.get(dut.outputs.config[0].width_ticks) == 0
        assert ctx.get(dut.capture.strike_enables) == 0b10

    simulate(dut, bench)
