# SPDX-License-Identifier: Apache-2.0
"""Decides which stages a build has."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from amaranth.hdl import Cat, Value

from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.capture.capture import Capture
from plexor_hdl.capture.pins import Pins
from plexor_hdl.capture.timebase import Timebase
from plexor_hdl.control.bus_arbiter import SharedBus
from plexor_hdl.control.command import Command
from plexor_hdl.control.flags import Flags
from plexor_hdl.control.lamps import Lamps
from plexor_hdl.control.last_counted import LastCounted
from plexor_hdl.control.registers import RegisterBank
from plexor_hdl.control.run import RunControl
from plexor_hdl.control.snapshot import Snapshots
from plexor_hdl.control.stall import Stall
from plexor_hdl.interfaces import several_kinds
from plexor_hdl.lib.blocks import Blocks
from plexor_hdl.match.matcher import Matcher
from plexor_hdl.match.trigger import Trigger
from plexor_hdl.results.code_tables import CodeTables
from plexor_hdl.results.counts import Counts
from plexor_hdl.results.results import Results
from plexor_hdl.results.source_counts import SourceCounts
from plexor_hdl.results.step_copies import StepCopies
from plexor_hdl.stimulus.outputs import Outputs
from plexor_hdl.stimulus.schedule import Schedule
from plexor_hdl.stimulus.step_table import StepTable
from plexor_hdl.stimulus.timecode import Timecode
from plexor_hdl.uplink.access import Access
from plexor_hdl.uplink.dumper import Dumper
from plexor_hdl.uplink.link_bytes import LinkBytes
from plexor_hdl.uplink.link_rows import LinkRows
from plexor_hdl.uplink.link_words import LinkWords
from plexor_hdl.uplink.packetizer import Packetizer
from plexor_hdl.uplink.ring import Ring
from plexor_hdl.uplink.uplink import Uplink

MEASURED = (
    Feature.FALL
    | Feature.INTERVALS
    | Feature.ZOOM
    | Feature.SUM_SQUARES
    | Feature.EXTREMES
    | Feature.SNAPSHOT
    | Feature.EARLY
)
"""Features of a build that measures several kinds of values. It has all of them, any other none."""
NEEDED = {
    **dict.fromkeys(MEASURED, MEASURED | Feature.MATCH),
    Feature.SWEEP: MEASURED,
    Feature.RING: Feature.EVENTS | MEASURED,
    Feature.CODES: Feature.EVENTS | MEASURED,
    Feature.LONG_FILTER: Feature.FILTER | Feature.MATCH,
}
"""Features that need others."""


@dataclass(frozen=True)
class Stages:
    """The stages of a build, by their submodules' names; None for stages that a build lacks."""

    timebase: Timebase
    bank: RegisterBank
    command: Command
    run: RunControl
    flags: Flags
    trigger: Trigger | None
    snapshots: Snapshots | None
    outputs: Outputs
    pins: Pins
    capture: Capture
    matcher: Matcher | None
    results: Results | None
    counts: Counts | SourceCounts
    last_counted: LastCounted | None
    uplink: Uplink
    dumper: Dumper | None
    packetizer: Packetizer
    link: LinkBytes | LinkWords
    rows: LinkRows | None
    table: StepTable | None
    records: StepCopies | None
    ring: Ring | None
    access: Access | None
    shared_bus: SharedBus | None
    code_tables: CodeTables | None
    stall: Stall | None
    schedule: Schedule | None
    timecode: Timecode | None
    lamps: Lamps | None

    @property
    def results_idle(self) -> Value:
        """A bit for each of results and tables of codes: nothing is on its way to it."""
        return Cat(stage.idle for stage in self._results)

    @property
    def results_clearing(self) -> Value:
        """A bit for each of results and tables of codes: it is being cleared."""
        return Cat(stage.clear_busy for stage in self._results)

    @property
    def start_waits(self) -> Value:
        """A bit for each stage, besides those that clear, which a run's start waits for."""
        table = [] if self.table is None else [self.table.loading]
        return Cat(*table, [] if self.schedule is None else [self.schedule.near_wrap])

    @property
    def _results(self) -> Iterator[Any]:
        return (stage for stage in (self.results, self.code_tables) if stage is not None)

    def there(self) -> Iterator[tuple[str, Any]]:
        """Yield name and stage of each stage that the build has."""
        for field in fields(self):
            stage = getattr(self, field.name)
            if stage is not None:
                yield field.name, stage


def check_features(geometry: Geometry) -> None:
    """Raise ValueError for a feature or a memory without a feature that it needs."""
    for feature in geometry.features:
        for missing in NEEDED.get(feature, Feature(0)) & ~geometry.features:
            names = f"{feature.name} without {missing.name}"
            raise ValueError(f"features: {names}; must be both, or no {feature.name}")
    if not geometry.features & (Feature.MATCH | Feature.EVENTS):
        raise ValueError("features: neither MATCH nor EVENTS; must be one of them, or both")
    if geometry.deep_depth and Feature.EVENTS not in geometry.features:
        raise ValueError(f"deep_depth: {geometry.deep_depth}; must be 0 without EVENTS")


def stages_of(
    geometry: Geometry,
    bank: RegisterBank,
    *,
    loop_clocks: int,
    datagrams: bool,
    access: bool,
    blocks: Blocks,
) -> Stages:
    """Return a build's stages. What follows the bank is as for Instrument."""
    sweep, ring = Feature.SWEEP in geometry.features, Feature.RING in geometry.features
    matches, schedule = Feature.MATCH in geometry.features, Feature.SCHEDULE in geometry.features
    codes = bool(geometry.code_bits)
    # Small builds use a block RAM, because cells are scarcer.
    loop_style = "auto" if several_kinds(geometry) else "block"
    return Stages(
        timebase=Timebase(geometry),
        bank=bank,
        command=Command(datagrams=datagrams, dumps=not matches),
        run=RunControl(geometry, tells_sent=not matches),
        flags=Flags(),
        # Index and time need room in every stage from the matcher on, so only some builds do this.
        trigger=Trigger(geometry, keeps=codes or ring) if matches else None,
        snapshots=Snapshots(geometry) if matches else None,
        outputs=Outputs(geometry, schedule=schedule),
        pins=Pins(geometry, loop_clocks, loop_style),
        capture=Capture(geometry, matches=matches),
        matcher=Matcher(geometry) if matches else None,
        results=Results(geometry) if matches else None,
        counts=Counts(geometry) if matches else SourceCounts(geometry),
        last_counted=LastCounted(1 + codes, steps=sweep) if matches else None,
        uplink=Uplink(geometry, blocks, ring=ring, tells_sent=not matches),
        dumper=Dumper(geometry) if matches else None,
        packetizer=Packetizer(),
        link=LinkWords() if datagrams else LinkBytes(),
        rows=None if datagrams else LinkRows(),
        table=StepTable(geometry) if sweep else None,
        records=StepCopies(geometry) if sweep else None,
        ring=Ring(geometry) if ring else None,
        access=Access(geometry) if access else None,
        shared_bus=SharedBus() if access else None,
        code_tables=CodeTables(geometry) if codes else None,
        stall=Stall() if codes else None,
        schedule=Schedule(geometry) if schedule else None,
        timecode=Timecode(geometry.timecode_bits) if geometry.timecode_bits else None,
        lamps=Lamps(geometry.lamps) if geometry.lamps else None,
    )
