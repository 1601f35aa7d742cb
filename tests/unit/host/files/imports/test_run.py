# SPDX-License-Identifier: Apache-2.0
"""A capture becomes a run: matched as the host does, labelled, and what was exported comes back."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.figures.analyse.analyse import analyse
from plexor.figures.analyse.rules import rules_of
from plexor.files.imports.capture import ReadRules
from plexor.files.imports.run import import_run
from plexor.files.imports.signals import ChannelSignal, ImportRules, StrikeSignal
from plexor.files.store.run_folder import load, save
from plexor.model.results import Kind
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor.show import facts
from plexor.show.export.formats import export
from plexor.show.terminal.run import text
from plexor.wire.decode.outcomes import outcomes
from plexor.wire.decode.rematch import rematch

from ...show.export import planted
from .captures import sr, vcd

NS = Fraction(1, 10**9)


def wanted(tick_fs=10**6, **other):
    """Return the signals and rules of the planted run."""
    tick_s = Fraction(tick_fs, 10**15)
    fields = {
        "channels": (
            ChannelSignal("ISR", "ISR", deadline_s=planted.DEADLINE * tick_s),
            ChannelSignal("TASK", "TASK"),
        ),
        "strikes": (StrikeSignal("strike0"),),
        "timeout_s": planted.TIMEOUT * tick_s,
    }
    return ImportRules(**fields | other)


def figures(run):
    """Return what must be the same of a run and its import: all of it but bins and times."""
    return {
        channel.name: (
            channel.classes,
            channel.pending,
            channel.active_edges,
            channel.deadline_ticks,
            {
                entry.kind: replace(entry.statistics, min_time_ticks=None, max_time_ticks=None)
                for entry in channel.measurements
            },
        )
        for channel in run.channels
    }


def rows(run):
    events = run.events.copy()
    events["time_ticks"] -= run.start_ticks
    return events.tolist()


@pytest.mark.parametrize("suffix", [".vcd", ".fst", ".sr"])
@pytest.mark.parametrize("tick_fs", planted.TICKS_FS)
def test_an_exported_run_comes_back_exactly(suffix, tick_fs, tmp_path):
    run = planted.run(tick_fs)
    path = tmp_path / f"a{suffix}"
    export(run, [path])
    found = import_run(path, wanted(tick_fs), ReadRules())
    assert found.tick_fs == tick_fs
    assert figures(found) == figures(run)
    assert rows(found) == rows(run)
    assert found.end_ticks - found.start_ticks == run.end_ticks - run.start_ticks
    assert (found.valid, found.started) == (True, run.started)


@st.composite
def drawn_runs(draw):
    """Draw the events of strike0, ISR and TASK, each with one edge a tick at most."""
    found = []
    for source in (8, 0, 1):
        times = draw(st.sets(st.integers(planted.START, 1400), max_size=14))
        found += [(time, source, 1 - n % 2) for n, time in enumerate(sorted(times))]
    return sorted(found, key=lambda row: (row[0], row[1] < 8, row[1]))


@settings(max_examples=50)
@given(
    drawn=drawn_runs(),
    suffix=st.sampled_from([".vcd", ".fst", ".sr"]),
    tick_fs=st.sampled_from(planted.TICKS_FS),
)
def test_any_run_comes_back_exactly(drawn, suffix, tick_fs, tmp_path_factory):
    run = planted.run(tick_fs, rows=drawn)
    path = tmp_path_factory.getbasetemp() / f"drawn{suffix}"
    export(run, [path])
    found = import_run(path, wanted(tick_fs), ReadRules())
    assert figures(found) == figures(run)
    assert rows(found) == rows(run)


def test_a_run_that_answers_another_edge_comes_back_exactly(tmp_path):
    run = planted.run(references=("strike0", "ch0.fall"))
    export(run, [tmp_path / "a.vcd"])
    isr, task = wanted().channels
    asked = wanted(channels=(isr, replace(task, reference="ch0.fall")))
    assert figures(import_run(tmp_path / "a.vcd", asked, ReadRules())) == figures(run)


def test_a_capture_is_matched_by_its_rules(tmp_path):
    changes = [(0, "trig", 0), (0, "irq", 1), (100, "trig", 1), (120, "irq", 0), (125, "irq", 1)]
    changes += [(130, "trig", 0), (300, "trig", 1), (390, "irq", 0), (395, "irq", 1)]
    asked = ImportRules(
        channels=(ChannelSignal("ISR", "irq", invert=True, deadline_s=50 * NS),),
        strikes=(StrikeSignal("trig"),),
        timeout_s=150 * NS,
        policy=Policy.LATEST,
        device={"os": "x"},
    )
    run = import_run(vcd(tmp_path / "a.vcd", changes, end=600), asked, ReadRules())
    (channel,) = run.channels
    assert channel.classes[ResponseClass.ANSWERED] == channel.classes[ResponseClass.LATE] == 1
    rise = channel.measurement(Kind.RISE).statistics
    # All times are multiples of 5 ns, which is the tick.
    assert run.tick_fs == 5 * 10**6
    assert (rise.min_ticks, rise.max_ticks) == (4, 18)
    assert channel.deadline_ticks == 10
    assert (run.settings.policy, run.device) == (Policy.LATEST, {"os": "x"})
    assert run.strikes == 2


def test_it_is_labelled_as_imported_and_as_no_instrument(tmp_path):
    path = sr(tmp_path / "cap.sr", {"trig": (0, [10]), "irq": (1, [15])}, 90, samplerate="24 MHz")
    asked = ImportRules(channels=(ChannelSignal("ISR", "irq"),), strikes=(StrikeSignal("trig"),))
    run = import_run(path, asked, ReadRules())
    assert (run.simulated, run.identity.gateware_hash, run.identity.board) == (False, 0, "")
    printed = text(analyse(run), width=100, colour=False)
    assert "imported" in printed.splitlines()[1]
    assert "measured" not in printed
    assert "idle" not in printed
    assert "imported from cap.sr (sigrok session, edges to 41.6667 ns): strike0 is trig" in printed
    assert facts.instrument(analyse(run)) == "no Plexor: sigrok session, tick 41.67 ns"


def test_edges_that_the_file_cannot_order_are_counted_and_said(tmp_path):
    pins = {"trig": (0, [10, 12, 30, 32]), "irq": (1, [10, 11, 31])}
    asked = ImportRules(channels=(ChannelSignal("ISR", "irq"),), strikes=(StrikeSignal("trig"),))
    run = import_run(sr(tmp_path / "a.sr", pins, 90), asked, ReadRules())
    assert run.imported.unordered == {"ISR": 1}
    assert run.channels[0].measurement(Kind.RISE).statistics.min_ticks == 0
    line = "ISR: 1 response in the same 1 ns as an edge that they may answer; their order is not"
    assert any(line in said for said in facts.imported(analyse(run)))


def test_a_simulated_run_stays_simulated_and_an_invalid_one_invalid(tmp_path):
    for suffix in (".vcd", ".fst", ".sr"):
        path = tmp_path / f"a{suffix}"
        export(planted.lost(planted.run()), [path])
        run = import_run(path, wanted(), ReadRules())
        assert run.simulated
        assert "imported, simulated" in text(analyse(run), width=100, colour=False)
        assert run.invalid_reasons == (
            "the file says that its run is invalid: 2 edges were dropped before they could be "
            "matched",
            "the file says that 2 events of its run are missing",
        )
        assert run.device == {"os": "FreeRTOS 11", "board": r"a, \u201cboard\u201d"} or (
            suffix == ".sr" and run.device == planted.run().device
        )


def test_it_is_stored_and_loaded_as_any_run(tmp_path):
    export(planted.run(), [tmp_path / "a.vcd"])
    run = import_run(tmp_path / "a.vcd", wanted(), ReadRules())
    assert load(save(run, tmp_path / "run")) == run
    assert analyse(run).valid


def test_a_device_that_runs_by_itself_has_periods(tmp_path):
    changes = [(0, "a", 0), *((100 * n, "a", n % 2) for n in range(1, 20))]
    run = import_run(
        vcd(tmp_path / "a.vcd", changes),
        ImportRules(channels=(ChannelSignal("A", "a"),)),
        ReadRules(),
    )
    assert run.channels[0].measurement(Kind.PERIOD).statistics.count == 9
    assert run.strikes == 0
    assert run.end_ticks == 20  # one step after the last change


@pytest.mark.parametrize("deadline", [None, "4 ms", "6 ms"])
def test_a_period_of_more_ticks_than_a_register_holds_is_matched(deadline, tmp_path):
    """Strikes each 10 ms and answers after 5 ms, in steps of 1 ps: 10^10 ticks."""
    changes = [(0, "s", 0), (0, "a", 0)]
    for strike in range(1001, 20 * 10**10, 10**10):
        changes += [(strike, "s", 1), (strike + 10**6 + 3, "s", 0)]
        changes += [(strike + 5 * 10**9, "a", 1), (strike + 5 * 10**9 + 10**6, "a", 0)]
    path = vcd(tmp_path / "a.vcd", changes, timescale="1 ps")
    due_s = None if deadline is None else Fraction(deadline.split()[0]) / 1000
    run = import_run(
        path,
        ImportRules(
            channels=(ChannelSignal("A", "a", deadline_s=due_s),), strikes=(StrikeSignal("s"),)
        ),
        ReadRules(),
    )
    assert (run.tick_fs, run.valid) == (1000, True)
    (channel,) = run.channels
    in_time, late = (0, 20) if deadline == "4 ms" else (20, 0)
    assert channel.classes[ResponseClass.ANSWERED] == in_time
    assert channel.classes[ResponseClass.LATE] == late
    assert channel.classes[ResponseClass.SPURIOUS] == channel.classes[ResponseClass.MISSED] == 0
    save(run, tmp_path / "kept")
    again = load(tmp_path / "kept")
    assert again == run
    rules = rules_of(again, again.channels[0])
    values = rematch(again.events, rules, again.end_ticks).samples[Kind.RISE].value_ticks
    assert values.tolist() == [5 * 10**9] * 20
    told = outcomes(again.events, rules, rematch(again.events, rules, again.end_ticks))
    assert told.latency_ticks.tolist() == [5 * 10**9] * 20


def test_events_are_an_array_of_one_type(tmp_path):
    run = import_run(
        vcd(tmp_path / "a.vcd", [(0, "a", 0)]),
        ImportRules(channels=(ChannelSignal("A", "a"),)),
        ReadRules(),
    )
    assert run.events.dtype == planted.EVENT_DTYPE
    assert np.array_equal(run.events, planted.events_of([]))
