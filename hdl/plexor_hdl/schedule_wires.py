# SPDX-License-Identifier: Apache-2.0
"""Wires schedule, timecode and lamps to the stages of every build."""

from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Member, Out

from plexor.protocol.geometry import Geometry
from plexor_hdl.stages import Stages
from plexor_hdl.stimulus.schedule import PLACE_BITS


def optional_pins(geometry: Geometry) -> dict[str, Member]:
    """Return the instrument's ports to pins that only some boards have."""
    pins = {
        "codes": In(geometry.code_bits),
        "timecode": Out(geometry.timecode_bits),
        "timecode_on": Out(min(geometry.timecode_bits, 1)),
        "lamps": Out(geometry.lamps),
        "lamps_back": In(geometry.lamps),
    }
    return {name: pin for name, pin in pins.items() if pin.shape}


def wire_schedule(m: Module, s: Stages, pins: Any) -> None:
    """Wire those of the three that the build has. `pins` has the ports of `optional_pins`."""
    schedule, timecode, status = s.schedule, s.timecode, s.bank.status
    if schedule is not None:
        m.d.comb += [
            schedule.forget_stb.eq(s.bank.action.forget),
            schedule.write_stb.eq(s.bank.schedule_stb),
            schedule.write_place.eq(s.bank.step_place[:PLACE_BITS]),
            schedule.write_data.eq(s.bank.written),
            schedule.low.eq(s.timebase.low),
            schedule.epoch.eq(s.timebase.epoch),
            schedule.capture.eq(s.run.capture),
            schedule.idle.eq(s.outputs.due_idle),
            schedule.strike_stb.eq(s.outputs.strikes[-1]),
            s.outputs.due_stb.eq(schedule.due_stb),
            s.outputs.due_ticks.eq(schedule.phase_ticks),
            s.outputs.due_waits.eq(schedule.waits),
            status.schedule_waiting.eq(schedule.waiting),
            status.schedule_refused.eq(schedule.refused),
            status.schedule_past.eq(schedule.past),
            status.schedule_id.eq(schedule.last_id),
        ]
    if timecode is not None:
        m.d.comb += [
            timecode.start_stb.eq(s.run.start_stb),
            timecode.strike_stb.eq(s.outputs.strikes[0]),
            timecode.gray.eq(s.bank.schedule.timecode_gray),
            timecode.on.eq(s.bank.schedule.timecode_on),
            pins.timecode.eq(timecode.pins),
            pins.timecode_on.eq(s.bank.schedule.timecode_on),
        ]
    if s.lamps is not None:
        _wire_lamps(m, s, pins)


def _wire_lamps(m: Module, s: Stages, pins: Any) -> None:
    """Show codes on the lamps, or due times in a build without a code port."""
    lamps = s.lamps
    m.d.comb += [
        lamps.low.eq(s.timebase.low),
        lamps.epoch.eq(s.timebase.epoch),
        lamps.backs.eq(pins.lamps_back),
        pins.lamps.eq(lamps.pads),
        s.bank.status.lamp_faults.eq(lamps.faults),
    ]
    if s.code_tables is not None:
        m.d.comb += [
            lamps.show_stb.eq(s.capture.code_stb),
            lamps.number.eq(s.capture.code_value.code),
        ]
    elif s.schedule is not None:
        m.d.comb += [
            lamps.show_stb.eq(s.schedule.struck_stb),
            lamps.number.eq(s.schedule.last_id),
        ]
