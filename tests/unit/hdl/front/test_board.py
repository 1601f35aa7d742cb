# SPDX-License-Identifier: Apache-2.0
"""The top of a board: what is between its pins and the instrument."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from amaranth.hdl import Elaboratable, IOPort, Module, Signal
from amaranth.sim import Simulator

from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.front import board as boards

GEOMETRY = Geometry(channels=1, strikes=1, samples=4)
WIDTHS = {
    "samples": 4,
    "strikes": 4,
    "load": 1,
    "beat": 1,
    "gate": 1,
    "codes": 3,
    "clock_lost": 1,
    "uart_rx": 1,
    "uart_tx": 1,
    "uart_hold": 1,
    "input_select": 2,
    "loopback_output": 3,
    "reference": 1,
    "core": 1,
    "channels": 1,
    "drives": 8,
    "timecode": 2,
    "timecode_on": 1,
}


class Stub(Elaboratable):
    """Signals by the names that a front-end and an instrument have, and nothing behind them."""

    def __init__(self):
        for name, width in WIDTHS.items():
            setattr(self, name, Signal(width, name=name))
        self.outputs = IOPort(2, name="outputs")

    def elaborate(self, platform):
        return Module()


def test_the_gates_pin_and_a_lost_clock_come_to_the_instrument_in_the_same_clock(monkeypatch):
    front, instrument = Stub(), Stub()
    monkeypatch.setattr(boards, "FrontEnd", lambda *_: front)
    monkeypatch.setattr(boards, "Instrument", lambda *_, **__: None)
    monkeypatch.setattr(boards, "UartInstrument", lambda *_: instrument)
    board = boards.Board(None, None, GEOMETRY, 0, 0)
    levels, found = [0, 1, 1, 0, 1, 0, 0, 1], []

    async def script(ctx):
        for level in levels:
            ctx.set(board.gate, level)
            ctx.set(front.clock_lost, 1 - level)
            found.append(ctx.get(instrument.gate))
            assert ctx.get(instrument.clock_lost) == 1 - level
            for edge in (1, 0):
                await ctx.delay(4e-9)
                ctx.set(front.core, edge)

    simulator = Simulator(board)
    simulator.add_testbench(script)
    simulator.run()
    assert found == levels


@pytest.mark.parametrize("is_low", [False, True])
def test_the_led_follows_the_beat_and_is_dark_while_the_clock_is_lost(monkeypatch, is_low):
    front, instrument = Stub(), Stub()
    monkeypatch.setattr(boards, "FrontEnd", lambda *_: front)
    monkeypatch.setattr(boards, "Instrument", lambda *_, **__: None)
    monkeypatch.setattr(boards, "UartInstrument", lambda *_: instrument)
    board = boards.Board(None, None, GEOMETRY, 0, 0, led_is_low=is_low)

    async def script(ctx):
        for beat, lost in ((0, 0), (1, 0), (1, 1), (0, 1)):
            ctx.set(instrument.beat, beat)
            ctx.set(front.clock_lost, lost)
            assert (ctx.get(board.led) != is_low) == (beat and not lost)

    simulator = Simulator(board)
    simulator.add_testbench(script)
    simulator.run()


def test_code_pins_come_to_the_instrument_three_clocks_late_behind_a_synchroniser_each(monkeypatch):
    front, instrument = Stub(), Stub()
    monkeypatch.setattr(boards, "FrontEnd", lambda *_: front)
    monkeypatch.setattr(boards, "Instrument", lambda *_, **__: None)
    monkeypatch.setattr(boards, "UartInstrument", lambda *_: instrument)
    geometry = replace(GEOMETRY, code_bits=3, features=GEOMETRY.features | Feature.CODES)
    board = boards.Board(None, None, geometry, 0, 0)
    levels, found = [0, 5, 3, 3, 7, 0, 6, 1, 1, 2], []
    assert board.codes is board.ports[-1]

    async def script(ctx):
        for level in levels:
            ctx.set(board.codes, level)
            found.append(ctx.get(instrument.codes))
            for edge in (1, 0):
                await ctx.delay(4e-9)
                ctx.set(front.core, edge)

    simulator = Simulator(board)
    simulator.add_testbench(script)
    simulator.run()
    assert found == [0, 0, 0, *levels[:-3]]


def test_a_timecodes_pads_are_released_until_a_run_asks_for_them(monkeypatch):
    front, instrument, pads = Stub(), Stub(), []
    monkeypatch.setattr(boards, "FrontEnd", lambda *_: front)
    monkeypatch.setattr(boards, "Instrument", lambda *_, **__: None)
    monkeypatch.setattr(boards, "UartInstrument", lambda *_: instrument)
    family = SimpleNamespace(add_pad=lambda m, drive, port, name, off: pads.append((drive, off)))
    geometry = replace(GEOMETRY, timecode_bits=2)
    board = boards.Board(family, None, geometry, 0, 0)
    asked, found = [0, 1, 1, 0, 1], []

    async def script(ctx):
        for on in asked:
            found.append([ctx.get(off) for _, off in pads])
            ctx.set(instrument.timecode_on, on)
            for edge in (1, 0):
                await ctx.delay(4e-9)
                ctx.set(front.core, edge)

    simulator = Simulator(board)
    simulator.add_testbench(script)
    simulator.run()
    # They are released from the first clock on, and follow the register a clock late.
    assert found == [[1, 1], *([1 - on] * 2 for on in asked[:-1])]
