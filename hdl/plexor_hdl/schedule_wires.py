"""Wires the schedule and the timecode to the stages of every build."""

from amaranth.hdl import Module, Value

from plexor_hdl.stages import Stages
from plexor_hdl.stimulus.schedule import PLACE_BITS


def wire_schedule(m: Module, s: Stages, pins: Value | None) -> None:
    """Wire the schedule to registers, timebase and the last strike output; and the timecode."""
    schedule, status = s.schedule, s.bank.status
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
        s.outputs.due_waits.eq(schedule.waiting.any()),
        status.schedule_waiting.eq(schedule.waiting),
        status.schedule_refused.eq(schedule.refused),
        status.schedule_past.eq(schedule.past),
        status.schedule_id.eq(schedule.last_id),
    ]
    if s.timecode is not None:
        m.d.comb += [
            s.timecode.start_stb.eq(s.run.start_stb),
            s.timecode.strike_stb.eq(s.outputs.strikes[0]),
            s.timecode.gray.eq(s.bank.schedule.timecode_gray),
            pins.eq(s.timecode.pins),
        ]
