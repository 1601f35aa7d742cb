# SPDX-License-Identifier: Apache-2.0
"""Wires the stages of codes to each other and to the stages of every build."""

from amaranth.hdl import Module, Value
from amaranth.lib import wiring

from plexor.protocol.memory import Space
from plexor.protocol.registers import StopOn
from plexor_hdl.control.run import flag_bit
from plexor_hdl.interfaces import Event
from plexor_hdl.stages import Stages


def wire_codes(m: Module, s: Stages, pins: Value, reads: dict) -> None:
    """Wire the code port's pins, the tables of codes and their read port, and the stall."""
    settings, stop_on = s.bank.code, s.bank.control.stop_on
    tables, stall, measured = s.code_tables, s.stall, s.matcher.o_measured
    m.d.comb += [
        s.capture.codes.eq(pins),
        s.capture.code.eq(settings),
        s.outputs.code_stb.eq(s.capture.trigger_stb),
        s.uplink.value.eq(s.capture.value),
        s.uplink.value_stb.eq(s.capture.value_stb),
        s.bank.status.masked.eq(s.capture.masked),
        s.capture.hold.eq(tables.hold),
        tables.code_stb.eq(s.capture.code_stb),
        tables.code.eq(s.capture.code_value),
        tables.time_ticks.eq(s.capture.event.time_ticks),
        tables.sent_stb.eq(s.capture.sent_stb),
        tables.settings.eq(settings),
        tables.measured.eq(measured.payload),
        tables.measured_valid.eq(measured.valid),
        tables.measured_ready.eq(measured.ready),
        tables.clear_stb.eq(s.run.clear),
        s.matcher.latency_channel.eq(settings.latency_channel),
        stall.settings.eq(settings),
        stall.armed.eq(flag_bit(stop_on, StopOn.STALL)),
        stall.done.eq(s.outputs.done),
        stall.now_ticks.eq(s.run.now_ticks),
        stall.capture.eq(s.run.capture),
        stall.beat_valid.eq(s.capture.o_valid),
        stall.beat_ready.eq(s.capture.o_ready),
        stall.is_event.eq(s.capture.o_beat.is_event),
        # The event of the beat, which comes earlier in the clock than that of a code's value.
        *(stall.event[name].eq(s.capture.o_beat.event[name]) for name in Event().members),
        s.trigger.armed_code.eq(flag_bit(stop_on, StopOn.CODE)),
        s.trigger.code_stb.eq(tables.stop_stb),
        s.trigger.code.index.eq(s.capture.event.index),
        s.trigger.code.time_ticks.eq(s.capture.event.time_ticks),
        s.trigger.stall_stb.eq(stall.stall_stb),
        s.trigger.stall.index.eq(stall.index),
        s.trigger.stall.time_ticks.eq(stall.time_ticks),
    ]
    wiring.connect(m, reads[Space.CODES], tables.read)
