# SPDX-License-Identifier: Apache-2.0
"""Bounds beside what is measured: the study's on-times, and a kernel's service on four memories.

What is expected comes from the study, from the raw log of the bus, read here by other code, and
from the firmware's generator of N.
"""

from __future__ import annotations

import shutil
import struct
from bisect import bisect_left
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from services import (
    EXAMPLES,
    FITTED,
    FREE,
    LOADED,
    PINS,
    SERVICE,
    TRIED,
    drawn,
    logged,
    measured_csv,
    platform_file,
    rows,
    service,
)

import plexor
from plexor_lab.bound.fitted import fit_services
from plexor_lab.bound.traced import BusTrace, trace_bus
from plexor_sim.regions import regions

ON_TIMES_NS = {1: 51_111, 2: 14_137, 3: 146_400}
FIXED_NS = {1: 41_752, 2: 9_372, 3: 95_688}
PER_SEGMENT_NS = {1: 1_152, 2: 370, 3: 4_100}
NS = (0, 1, 13, 50)
MOST_MEAN, MOST_WORST = Fraction(5, 100), Fraction(15, 100)
SHORT_STRIKES, FULL_STRIKES = 100, 10_000
PLATFORM = TRIED[0]
"""The platform whose bound is tried: it was not fitted."""


def on_width(width_ns: int, n: int) -> plexor.Run:
    dut = f"synthetic:latency=2us,width={width_ns}ns"
    with plexor.open(dut=dut) as instrument:
        return instrument.measure(
            rate="2k", count=10, channels="CreateThread=ch0", device={"N": str(n)}
        ).run


def max_ns(run: plexor.Run) -> Fraction:
    most = run.channels[0].statistics("width").max_ticks
    assert most is not None
    return Fraction(most * run.tick_fs, 10**6)


@pytest.mark.parametrize("number", ON_TIMES_NS)
def test_an_on_time_of_the_study_is_measured_within_a_tick_and_below_its_bound(number: int) -> None:
    run = on_width(ON_TIMES_NS[number], 13)
    tick_ns = Fraction(run.tick_fs, 10**6)
    assert abs(max_ns(run) - ON_TIMES_NS[number]) <= tick_ns
    bound = plexor.Bound(EXAMPLES / "createthread.toml", EXAMPLES / f"platform-{number}.toml")
    assert bound.check(run, kind="on-width").outcome == "pass"


@pytest.mark.parametrize(
    "number",
    [pytest.param(number, marks=pytest.mark.full if number > 1 else ()) for number in ON_TIMES_NS],
)
def test_what_a_segment_adds_is_exact_through_runs(number: int) -> None:
    fixed, slope = FIXED_NS[number], PER_SEGMENT_NS[number]
    found = {n: max_ns(on_width(fixed + slope * n, n)) for n in NS}
    for n in NS:
        assert found[n] - found[0] == slope * n
    bound = plexor.Bound(EXAMPLES / "createthread.toml", EXAMPLES / f"platform-{number}.toml")
    assert {n: bound.total_ns(n) for n in NS} == found


# device/bus.h has the format: the counts below are taken record by record, and share no code with
# what is under test.
RECORD = struct.Struct("<qIIIBBBB")
FETCH, READ, WRITE, RETIRED = range(4)
NOTE = 0x80000038
"""Where the firmware writes N, before each call."""


UNTUNED = "1900"
"""Strikes a second, no multiple of the kernel's ticks: so some of the calls meet one."""


@pytest.fixture(scope="module", params=[120, pytest.param(240, marks=pytest.mark.full)])
def log(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the log of so many calls."""
    return logged(tmp_path_factory.mktemp("bus"), "random:3", request.param, rate=UNTUNED)


@pytest.fixture(scope="module")
def folder(log: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the models of malloc and free, with and without an interrupt."""
    made = tmp_path_factory.mktemp("models")
    for name, pin in PINS.items():
        trace_bus(log, pin=pin, title=name).write(made / f"{name}.toml")
    interrupted = trace_bus(log, title="malloc", interrupts=1)
    interrupted.write(made / "interrupted.toml")
    interrupted.write_map(made / "sections.toml")
    return made


def counted(log: Path, pin: int) -> list[tuple[int, bool, Counter[Any]]]:
    """Return N, whether an interrupt came, and the accesses of each call."""
    found: list[tuple[int, bool, Counter[Any]]] = []
    elf = Path(f"{log}.elf").read_bytes()
    known = regions(elf)
    starts = sorted((first, last, name) for name, (first, last) in known.items())
    n, counts, is_broken = -1, None, False
    with log.open("rb") as file:
        while chunk := file.read(RECORD.size << 16):
            for _, address, data, _, kind, size, flags, _ in RECORD.iter_unpack(chunk):
                if kind == FETCH or (counts is None and kind != WRITE):
                    continue
                if counts is not None:
                    place = bisect_left(starts, (address + 1,)) - 1
                    first, last, name = starts[place]
                    assert first <= address <= last
                    if kind == RETIRED:
                        counts[name, "read" if flags & 2 else "burst_read"] += 1
                        counts["branch", "any"] += flags >> 1 & 1
                    else:
                        word = "write" if kind == WRITE else "read"
                        word = f"burst_{word}" if flags & 1 else word
                        counts[f"{name}{8 * size}", word] += 1
                    # An interrupt's handler begins by saving to the stack with all registers: it
                    # is the only code here that writes the timer's comparator.
                    is_broken |= kind == WRITE and 0x80000048 <= address <= 0x8000004C
                if kind == WRITE and address == NOTE:
                    n = data
                if kind == WRITE and address == 0x80000000 and data >> pin & 1:
                    counts, is_broken = Counter(), False
                if kind == WRITE and address == 0x80000004 and data >> pin & 1:
                    assert counts is not None
                    found.append((n, is_broken, +counts))
                    counts = None
    return found


def modelled(trace: BusTrace, n: int) -> Counter[Any]:
    counts: Counter[Any] = Counter()
    for section in trace.traced.model.sections:
        for each in section.counts:
            times = int(section.repetition.formula.at(n))
            counts[each.region, str(each.access)] += times * each.number
    return +counts


def from_one_on(log: Path, to: Path) -> Path:
    """Write the records of a log without those of calls with N = 0; return the new log."""
    keeps, kept = True, bytearray()
    with log.open("rb") as file:
        while chunk := file.read(RECORD.size << 16):
            for place, record in enumerate(RECORD.iter_unpack(chunk)):
                if record[4] == WRITE and record[1] == NOTE:
                    keeps = record[2] != 0
                if keeps:
                    kept += chunk[place * RECORD.size : (place + 1) * RECORD.size]
    to.write_bytes(kept)
    shutil.copy(f"{log}.elf", f"{to}.elf")
    return to


@pytest.mark.parametrize("pin", [SERVICE, FREE])
def test_the_rows_of_a_trace_are_the_counts_of_the_raw_log(log: Path, pin: int) -> None:
    trace = trace_bus(log, pin=pin)
    calls = counted(log, pin)
    assert trace.traced.calls == len(calls) >= 50
    assert trace.traced.interrupted == sum(broken for _, broken, _ in calls)
    clear = {n: counts for n, broken, counts in calls if not broken}
    assert trace.traced.ns == tuple(sorted(clear))
    excess = 0
    for n, counts in clear.items():
        model = modelled(trace, n)
        assert not counts - model  # never below
        excess += (model - counts).total()
        assert (model - counts).total() <= 0.05 * counts.total()
    assert excess == trace.traced.excess
    # What N adds is exact: the same between any two N that are not 0.
    some = sorted(n for n in clear if n)
    for n, m in pairwise(some):
        heap = [sum(v for k, v in clear[x].items() if k[0].startswith("heap")) for x in (n, m)]
        each = {SERVICE: 2, FREE: 1}[pin]
        assert heap[1] - heap[0] == each * (m - n)


@pytest.mark.parametrize("pin", [SERVICE, pytest.param(FREE, marks=pytest.mark.full)])
def test_where_each_step_is_taken_alike_the_rows_are_the_counts_exactly(
    log: Path, tmp_path: Path, pin: int
) -> None:
    """With N = 0 the kernel takes another way, so no line has all counts; from 1 on one has."""
    log = from_one_on(log, tmp_path / "log")
    trace = trace_bus(log, pin=pin)
    clear = {n: counts for n, broken, counts in counted(log, pin) if not broken}
    assert len(clear) > 20
    assert 0 not in clear
    assert trace.traced.excess == 0
    for n, counts in clear.items():
        assert modelled(trace, n) == counts


@pytest.mark.parametrize(
    "ns", [(1, 50), pytest.param((1, 5, 13, 30, 50), marks=pytest.mark.full)], ids=["short", "full"]
)
def test_a_fit_on_two_platforms_meets_two_others(folder: Path, ns: tuple[int, ...]) -> None:
    for name, platforms in (("measured", FITTED), ("tried", TRIED)):
        text = measured_csv(rows(platforms, ns, PINS))
        (folder / f"{name}.csv").write_text(text)
    found = fit_services([folder / "measured.csv"], [folder / "tried.csv"])
    tried = found.document()["tried"]
    assert len(tried["services"]) == 2 * len(ns) * len(PINS)
    assert tried["mean_error"] <= MOST_MEAN
    assert tried["worst_error"] <= MOST_WORST
    assert tried["plain_mean_error"] > 2 * tried["mean_error"]


@pytest.mark.parametrize(
    "strikes", [SHORT_STRIKES, pytest.param(FULL_STRIKES, marks=pytest.mark.full)]
)
def test_a_fitted_bound_is_never_below_what_is_measured(
    folder: Path, tmp_path: Path, strikes: int
) -> None:
    """At random N, at random phases, and under load."""
    for name in ("measured.csv", "tried.csv"):
        text = (EXAMPLES / name).read_text()
        for platform in (*FITTED, *TRIED):
            text = text.replace(f",{platform}.toml,", f",{platform_file(platform)},")
        (folder / name).write_text(text)
    fitted = fit_services([folder / "measured.csv"], [folder / "tried.csv"])
    times, places = tmp_path / "bound.toml", folder / "sections.toml"
    model = folder / "interrupted.toml"
    fitted.write(times, platform_file(PLATFORM), bound=True, models=[model], region_map=places)
    bound = plexor.Bound(model, times)
    seed = 7
    with plexor.open(dut=service(f"random:{seed}", PLATFORM, LOADED)) as instrument:
        run = instrument.measure(
            rate="500",
            count=strikes,
            dither="1048576ns",
            seed=seed,
            timeout="1400us",
            channels="malloc=ch0",
            load="cpu+critical",
        ).run
    assert run.invalid_reasons == ()
    widths = run.channels[0].samples("width").value_ticks
    assert len(widths) == strikes
    expected = drawn(seed, strikes)
    limits_ns = np.array([float(bound.total_ns(n)) for n in expected])
    measured_ns = widths * (run.tick_fs / 10**6)
    # N is the right one: without an interrupt the time grows with it.
    assert np.corrcoef(expected, measured_ns)[0, 1] > 0.9
    worst = float((measured_ns / limits_ns).max())
    print(f"{strikes} strikes: at most {worst:.1%} of the bound")
    assert worst <= 1


def sustained(app: str) -> tuple[Fraction, Fraction]:
    """Return the bracket of the highest rate at which the interrupt service answers."""
    with plexor.open(dut=f"freertos:app={app}") as instrument:
        swept = instrument.sweep(
            low="150k",
            high="400k",
            points=2,
            resolution="20%",
            criteria="missed<5%",
            dither="1024ns",
            channels="ISR=ch0",
        )
    (knee,) = swept.knees
    assert knee.bracket.passing_hz is not None
    assert knee.bracket.failing_hz is not None
    return knee.bracket.passing_hz, knee.bracket.failing_hz


@pytest.mark.full
def test_without_the_application_the_interrupt_service_reaches_higher_rates() -> None:
    _, most_on = sustained("on")
    least_off, _ = sustained("off")
    assert least_off > most_on
