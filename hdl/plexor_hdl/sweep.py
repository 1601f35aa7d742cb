"""The sweep table among the instrument's stages: what goes through it, and what it stops."""

from amaranth.hdl import Module
from amaranth.lib import wiring

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import Space
from plexor_hdl.step_records import StepRecords
from plexor_hdl.step_table import StepTable


class Sweep:
    """Table and records, as submodules of `m`, wired to the stages that they work on."""

    def __init__(self, m: Module, geometry: Geometry) -> None:
        m.submodules.step_table = self.table = StepTable(geometry)
        m.submodules.step_records = self.records = StepRecords(geometry)

    @property
    def level(self):
        """The step source: its edges are the ends of steps."""
        return self.table.level

    @property
    def moving(self):
        """Whether something else than the time may change."""
        return self.table.between | self.table.loading | self.records.busy

    def strike(self, m: Module, bank, run, outputs) -> None:
        """Wire the table between the registers and stimulus 0, and to run control."""
        table = self.table
        m.d.comb += [
            table.clear.eq(run.clear),
            table.control.eq(bank.control),
            table.write_stb.eq(bank.step_stb),
            table.write_place.eq(bank.step_place),
            table.write_data.eq(bank.step_data),
            table.stimulus.eq(bank.stimulus[0]),
            table.step_stb.eq(run.step_stb),
            run.settle_ticks.eq(table.settle_ticks),
            run.more.eq(table.more),
            run.between.eq(table.between),
            run.restart_stb.eq(table.restart_stb),
            outputs.config[0].eq(table.config),
            outputs.table.eq(table.on),
            outputs.restart_stb.eq(table.restart_stb),
        ]

    def record(self, m: Module, bank, run, matcher, measure, reads) -> dict:
        """Wire the records to matcher and memories; return the ports that now read these.

        `reads` are the ports that read the spaces otherwise.
        """
        records = self.records
        m.d.comb += [
            records.clear.eq(run.clear),
            records.on.eq(self.table.on),
            records.step_stb.eq(matcher.step),
            records.final_stb.eq(matcher.final),
            records.end_ticks.eq(matcher.beat.event.time_ticks),
            records.pending.eq(matcher.pending),
            records.i_valid.eq(measure.o_latency_valid),
            records.i_sample.eq(measure.o_latency),
            matcher.resume.eq(records.done_stb),
            run.final_seen.eq(records.final_seen),
            bank.status.step.eq(records.step),
        ]
        connections = (
            (Space.CLASSES, records.i_classes),
            (Space.LATENCY_STATISTICS, records.i_statistics),
            (Space.STEPS, records.read),
        )
        for space, port in connections:
            wiring.connect(m, reads[space], port)
        return {Space.CLASSES: records.classes, Space.LATENCY_STATISTICS: records.statistics}
