"""What counts, wired among the instrument's stages: in one memory, or in the two of snapshots."""

from itertools import chain

from amaranth.lib import wiring

from plexor.protocol.memory import Space
from plexor_hdl.ledger import PARTS

ZOOMS = {
    "latency": ("zoom_rise_ticks", "zoom_fall_ticks"),
    "interval": ("zoom_width_ticks", "zoom_period_ticks"),
}
"""Registers with the first bin of each kind's zoom window, by engine."""


def one_bank(m, ledger, capture, matcher, drop, bank, reads) -> None:
    """Wire all counts into one memory."""
    m.d.comb += [
        ledger.i_sources.eq(capture.amounts),
        ledger.i_decision.eq(matcher.o_decision),
        ledger.i_valid.eq(matcher.o_decision_valid),
        ledger.i_event_valid.eq(matcher.taken),
        ledger.i_source.eq(matcher.o_event.source),
        ledger.i_polarity.eq(matcher.o_event.polarity),
        ledger.i_drop.eq(drop),
        ledger.settle_stb.eq(matcher.final),
        ledger.source_stb.eq(bank.source_stb),
        ledger.source_address.eq(bank.source_address),
        bank.source_value.eq(ledger.source_value),
        matcher.room.eq(ledger.room),
    ]
    for number, space in enumerate(PARTS):
        wiring.connect(m, reads[space], ledger.reads[number])


def one_results(m, geometry, matcher, results, bank, reads) -> None:
    """Wire what is measured to the results of one bank, and these to what reads them."""
    wiring.connect(m, matcher.o_measured, results.i_measured)
    for space, port in zip(results.spaces, results.reads, strict=True):
        wiring.connect(m, reads[space], port)
    for number, zoom in enumerate(chain(*ZOOMS.values())):
        for channel in range(geometry.channels):
            first = results.zoom_first[number << geometry.key_bits | channel]
            m.d.comb += first.eq(bank.channel[channel][zoom])


def two_banks(m, classes, tallies, matcher, measure, drop, reads, snapshots) -> None:
    """Wire the counts that snapshots freeze."""
    m.d.comb += [
        classes.i_valid.eq(measure.o_class_valid),
        classes.i_class.eq(measure.o_class),
        classes.lanes.eq(matcher.counts),
        tallies.i_event_valid.eq(matcher.taken),
        tallies.i_source.eq(matcher.beat.event.source),
        tallies.i_polarity.eq(matcher.beat.event.polarity),
        tallies.event_bank.eq(matcher.beat_bank),
        tallies.drop.eq(drop),
        tallies.drop_bank.eq(snapshots.bank),
    ]
    wiring.connect(m, reads[Space.CLASSES], classes.read)
    wiring.connect(m, reads[Space.EDGES], tallies.edges)
    wiring.connect(m, reads[Space.UPLOAD_DROPS], tallies.drops)
