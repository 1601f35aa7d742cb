# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the twin, one at a time; a measurement on the gateware must see each."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from plexor.model.settings import Channel, Settings, Stimulus, TableStep
from plexor_sim.devices import cpp_device
from plexor_sim.packages import default_cache
from plexor_sim.serve import GATEWARE, TWIN
from plexor_sim.toolchain import LIGHT, Unit
from plexor_sim.twin.build import TWIN_SOURCES, compile_twin, link_twin, twin_objects
from tools.twin.conform import Taken, differences, prepared, taken
from tools.twin.draw import Measurement, drawn

_SEEDS = range(1, 17)
_BOARD = "ulx3s-25f"
_NS = Fraction(1, 1_000_000_000)


_STRIKES = (Stimulus(period_s=4000 * _NS),)
_PULSES = "synthetic:width=uniform:1ns:10ns,latency=300ns"


def _planted(dut: str, channel: Channel, table: tuple[TableStep, ...] = ()) -> Measurement:
    count = None if table else 100
    settings = Settings(_STRIKES, (channel, Channel(1)), count=count, table=table)
    return Measurement(_BOARD, dut, settings)


_PLANTED = (
    _planted(_PULSES, Channel(0, filter_s=6 * _NS)),
    _planted("synthetic:latency=300ns", Channel(0, deadline_s=300 * _NS)),
    _planted("synthetic", Channel(0), (TableStep(4000 * _NS, 20), TableStep(5000 * _NS, 20))),
)
"""Pulses around a filter's length, latencies at a deadline, and steps of a sweep table."""


@dataclass(frozen=True)
class Fault:
    """A text in a source of the twin, and what takes its place."""

    file: str
    right: str
    wrong: str


FAULTS = (
    Fault("stimulus.cpp", "state_ ^= state_ >> 7", "state_ ^= state_ >> 9"),
    Fault("stimulus.cpp", "fraction_ &= ", "fraction_ = 0; fraction_ &= "),
    Fault("stimulus.cpp", "++in_burst_ != burst_count_", "++in_burst_ < burst_count_ - 1"),
    Fault("stimulus.cpp", "rise_ticks_ + width_ticks_;", "rise_ticks_ + width_ticks_ + 1;"),
    Fault("channel.cpp", "if (held_.level == passed_level_) return;", ""),
    Fault("channel.cpp", "edge.tick - held_.tick >= filter_ticks_", "edge.tick > held_.tick"),
    Fault(
        "matcher.cpp", "value_ticks <= rules.deadline_ticks", "value_ticks < rules.deadline_ticks"
    ),
    Fault("matcher.cpp", "ticks - state.queue[state.first].ticks > timeout_ticks_) {", "false) {"),
    Fault("matcher.cpp", "response_ticks - state.matched_ticks <= timeout_ticks_", "true"),
    Fault("matcher.cpp", "state.has_active = state.is_high = true", "state.has_active = true"),
    Fault("results.cpp", "length - mantissa - 1", "length - mantissa"),
    Fault("results.cpp", "value < min_ticks", "value <= min_ticks"),
    Fault("results.cpp", "first_ticks + 1, 0, most", "first_ticks, 0, most"),
    Fault("instrument.cpp", "waiting_[place - 1].key > key", "false"),
    Fault("instrument.cpp", "kSettleClocks = 2", "kSettleClocks = 3"),
    Fault(
        "instrument.cpp", "kStepClocks * geometry_.samples", "kStepClocks * geometry_.samples + 1"
    ),
    Fault("uplink.cpp", "zeros += end - start", "zeros += 1"),
)


def run() -> int:
    """Plant each fault; return 1 if one is not seen."""
    measurements = [*_PLANTED, *(drawn(seed, (_BOARD,)) for seed in _SEEDS)]
    known: list[tuple[Measurement, Taken]] = []
    for measurement in measurements:
        expected = taken(measurement, prepared(measurement, GATEWARE))
        found = taken(measurement, prepared(measurement, TWIN))
        if not found.handed_over and not differences(found, expected):
            known.append((measurement, expected))
    unseen = 0
    with tempfile.TemporaryDirectory() as folder:
        parts = _parts(Path(folder))
        for number, fault in enumerate(FAULTS):
            seen = _seen(fault, number, parts, known)
            unseen += not seen
            print(f"{fault.file}: {fault.wrong or 'nothing'}: {seen or 'NOT SEEN'}", flush=True)
    print(f"{len(FAULTS) - unseen} of {len(FAULTS)} faults in the twin were seen")
    return int(unseen > 0)


def _parts(folder: Path) -> dict[str, Path]:
    """Compile each source of the twin alone, into a folder; return the objects by source."""
    sources = sorted(TWIN_SOURCES.glob("*.cpp"))
    contract = twin_objects(default_cache(), print)
    compile_twin([Unit(source, (LIGHT,)) for source in sources], contract, folder)
    return {
        source.name: folder / f"{source.stem}-{number}.o" for number, source in enumerate(sources)
    }


def _seen(
    fault: Fault, number: int, parts: dict[str, Path], known: list[tuple[Measurement, Taken]]
) -> str:
    """Return how the first run that sees a fault differs; empty if none does.

    Raises ValueError if the fault no longer applies.
    """
    source = TWIN_SOURCES / fault.file
    text = source.read_text()
    if text.count(fault.right) != 1:
        raise ValueError(f"{fault.file}: {fault.right!r} must be there once")
    cache = default_cache()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        changed = folder / fault.file
        changed.write_text(text.replace(fault.right, fault.wrong))
        compile_twin([Unit(changed, (LIGHT,))], twin_objects(cache, print), folder)
        objects = [*(parts | {fault.file: folder / f"{source.stem}-0.o"}).values()]
        wrong = link_twin(cpp_device("synthetic"), objects, f"fault {number}", cache, print, folder)
        for measurement, expected in known:
            ready = replace(prepared(measurement, TWIN), executable=wrong)
            found = taken(measurement, ready)
            if found.handed_over:
                return "handed over"
            if what := differences(found, expected):
                return what[0]
    return ""
