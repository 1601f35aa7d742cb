"""The sweep table among the instrument's stages: what goes through it, and what it stops."""

from amaranth.hdl import Module
from amaranth.lib import wiring

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import Space, entries
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS, SpaceRead
from plexor_hdl.results.step_copies import StepCopies
from plexor_hdl.stimulus.step_table import StepTable


class Sweep:
    """Table and records, as submodules of `m`, wired to the stages that they work on."""

    def __init__(self, m: Module, geometry: Geometry) -> None:
        self._geometry = geometry
        m.submodules.step_table = self.table = StepTable(geometry)
        m.submodules.step_copies = self.records = StepCopies(geometry)

    @property
    def level(self):
        """The step source: its edges are the ends of steps."""
        return self.table.level

    def strike(self, m: Module, bank, run, outputs) -> None:
        """Wire the table between the registers and stimulus 0, and to run control."""
        table = self.table
        m.d.comb += [
            table.clear.eq(run.clear),
            table.control.eq(bank.control),
            table.write_stb.eq(bank.step_stb),
            table.write_place.eq(bank.step_place),
            table.write_data.eq(bank.written),
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

    def record(self, m: Module, bank, run, matcher, results, ledger, reads) -> dict:
        """Wire the records to matcher and memories; return the ports that now read some of these.

        `reads` are the ports that read the spaces otherwise.
        """
        records, measured = self.records, matcher.o_measured
        m.d.comb += [
            records.clear.eq(run.clear),
            records.on.eq(self.table.on),
            records.step_stb.eq(matcher.step),
            records.final_stb.eq(matcher.final),
            records.end_ticks.eq(matcher.o_event.time_ticks),
            records.pending.eq(matcher.pending),
            records.idle.eq(ledger.idle & results.idle),
            records.i_valid.eq(measured.valid & measured.ready),
            records.i_measured.eq(measured.payload),
            ledger.copying.eq(records.copying),
            ledger.copy.eq(records.copy),
            records.copy_word.eq(ledger.copy_word),
            matcher.resume.eq(records.done_stb),
            bank.status.step.eq(records.step),
        ]
        wiring.connect(m, reads[Space.LATENCY_STATISTICS], records.i_statistics)
        wiring.connect(m, reads[Space.STEPS], records.read)
        found = {Space.LATENCY_STATISTICS: records.statistics}
        # Of both statistics that are read at the port whose upper address bit is low.
        if entries(self._geometry, Space.INTERVAL_STATISTICS):
            theirs = reads[Space.INTERVAL_STATISTICS]
            found[Space.INTERVAL_STATISTICS] = other = SpaceRead().create(path=("intervals",))
            m.d.comb += [
                other.address.eq(theirs.address | records.reading.replicate(SPACE_ADDRESS_BITS)),
                other.bank.eq(theirs.bank),
                theirs.data.eq(other.data),
                theirs.some.eq(other.some),
            ]
        return found
