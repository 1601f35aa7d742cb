# SPDX-License-Identifier: Apache-2.0
"""Runs as pages ask for them: one after the other, shown, stopped, cleared and kept."""

import dataclasses
import threading
import time

import pytest
from tools.scope_bench.planted import PlantedRig

from plexor.base.errors import LinkError, UsageError
from plexor.figures.analyse.analyse import analyse
from plexor.model.results import Kind
from plexor.protocol.registers import RunState
from plexor.scope.conductor import Conductor, books_of, exact_document, final

from .shots import shot_of
from .test_wire import layout, read

WAIT_S = 10.0


class Shown:
    """What pages would be shown."""

    def __init__(self):
        self.documents, self.frames = [], []
        self.changed = threading.Condition()

    def show(self, kind, document):
        with self.changed:
            self.documents.append((kind, document))
            self.changed.notify_all()

    def frame(self, number, data):
        with self.changed:
            self.frames.append(data)
            self.changed.notify_all()

    def last(self, kind):
        return next((found for name, found in reversed(self.documents) if name == kind), None)

    def until(self, condition):
        with self.changed:
            assert self.changed.wait_for(condition, WAIT_S)

    def phase(self, *phases):
        self.until(lambda: self.last("state")["phase"] in phases)


@pytest.fixture
def bench():
    return PlantedRig(channels=2, each_s=0.01)


@pytest.fixture
def shown():
    return Shown()


@pytest.fixture
def conductor(bench, shown, tmp_path):
    found = Conductor(bench, shown, tmp_path)
    yield found
    found.close()


def test_a_run_is_shown_from_its_start_to_its_books(conductor, bench, shown):
    conductor.run({"rate": "20k", "count": "1k"})
    shown.until(lambda: (shown.last("books") or {}).get("state") == "good")
    shown.phase("idle")
    assert bench.runs[0].strikes == 1000
    assert "generated 6,000 = received 6,000" in shown.last("books")["text"]
    phases = [found["phase"] for kind, found in shown.documents if kind == "state"]
    assert [p for n, p in enumerate(phases) if p != phases[n - 1 if n else n]] or phases
    assert {"starting", "running", "idle"} <= set(phases)
    assert len(shown.frames) >= 3
    assert len(shown.last("figures")["rows"]) == 2
    assert shown.last("edges6")["bits"] == 6


@pytest.mark.parametrize("what", ["run", "check", "sweep"])
def test_no_channel_at_all_is_refused_and_nothing_is_struck(conductor, bench, what):
    options = {"low": "1k", "high": "2k"} if what == "sweep" else {"rate": "20k"}
    with pytest.raises(UsageError, match="none is chosen; choose at least one"):
        getattr(conductor, what)({**options, "channels": []})
    assert not bench.runs
    assert not bench.swept


def test_what_is_only_checked_is_not_taken(conductor, bench):
    conductor.check({"rate": "20k"})
    with pytest.raises(UsageError, match="rate"):
        conductor.check({"rate": "x"})
    assert not bench.runs


def test_the_end_of_a_run_of_which_every_event_came_is_exact(run_of):
    values = [9500, 9576, 9576, 9700]
    run = run_of([values], widths=20)
    shot = final(analyse(run), None)
    found = exact_document(3, shot)
    assert found["run"] == 3
    low, widths, counts = found["cells"]["0"]["rise"]
    assert (low, widths, counts) == ([9500, 9576, 9700], [], [1, 2, 1])
    assert found["cells"]["0"]["fall"][0] == [9520, 9596, 9720]
    lost = dataclasses.replace(run, events=run.events[2:])
    assert exact_document(3, final(analyse(lost), None))["cells"] == {}


@pytest.mark.parametrize(("latencies", "doubted"), [([1000] * 9, False), ([None] * 9, True)])
def test_what_is_in_doubt_about_a_run_is_said_when_it_has_ended(
    conductor, bench, shown, run_of, monkeypatch, latencies, doubted
):
    begin = bench.begin

    def begun(options):
        running = begin(options)
        monkeypatch.setattr(running, "result", lambda: run_of([latencies]))
        return running

    monkeypatch.setattr(bench, "begin", begun)
    conductor.run({"rate": "20k", "count": "100"})
    shown.until(lambda: (shown.last("books") or {}).get("state") == "good")
    shown.phase("idle")
    state = shown.last("state")
    assert state["error"] == ""
    assert ("ISR: none of 9 strikes was answered" in state["doubt"]) == doubted


def test_wrong_settings_are_refused_before_anything_is_struck(conductor, bench):
    with pytest.raises(UsageError, match="rate"):
        conductor.run({"rate": "fast"})
    assert bench.runs == []


def test_a_run_without_an_end_goes_on_until_it_is_stopped(conductor, bench, shown):
    conductor.run({"rate": "20k"})
    shown.until(lambda: len(shown.frames) > 3)
    assert shown.last("state")["phase"] == "running"
    conductor.stop()
    shown.phase("idle")
    assert shown.last("books")["state"] == "good"


def test_a_stop_while_a_run_starts_ends_it_too(bench, shown, tmp_path, monkeypatch):
    gate, begin = threading.Event(), bench.begin

    def slow(options):
        gate.wait(WAIT_S)
        return begin(options)

    monkeypatch.setattr(bench, "begin", slow)
    conductor = Conductor(bench, shown, tmp_path)
    conductor.run({"rate": "20k"})
    shown.phase("starting")
    conductor.stop()
    gate.set()
    shown.phase("idle")
    conductor.close()


def test_a_new_run_takes_the_place_of_the_one_under_way(conductor, bench, shown):
    conductor.run({"rate": "20k"})
    shown.phase("running")
    conductor.run({"rate": "50k", "count": "500"})
    shown.until(lambda: len(bench.runs) == 2 and bench.runs[1].strikes == 500)
    shown.phase("idle")
    assert shown.last("state")["options"]["rate"] == "50k"


@pytest.mark.parametrize(("options", "strikes"), [({}, 1), ({"burst": "4", "spacing": "2us"}, 4)])
def test_single_takes_one_strike_or_one_burst(conductor, bench, shown, options, strikes):
    conductor.run({"rate": "20k", **options}, single=True)
    shown.until(lambda: bench.runs and bench.runs[0].strikes == strikes)
    shown.phase("idle")
    assert shown.last("state")["single"]


def test_clear_begins_the_run_under_way_again_from_nothing(conductor, bench, shown):
    conductor.run({"rate": "20k"})
    shown.until(lambda: len(shown.frames) > 3)
    conductor.clear()
    shown.until(lambda: len(bench.runs) == 2)
    shown.until(lambda: shown.last("state")["run"] == 2)
    assert bench.runs[1].settings == bench.runs[0].settings


def test_clear_without_a_run_forgets_the_last(conductor, bench, shown):
    conductor.run({"rate": "20k", "count": "100"})
    shown.until(lambda: (shown.last("books") or {}).get("state") == "good")
    shown.phase("idle")
    conductor.clear()
    shown.until(lambda: shown.last("figures")["rows"] == [])
    with pytest.raises(UsageError, match="no run to keep"):
        conductor.keep()


def test_a_run_is_kept_in_a_new_folder_each_time(conductor, bench, shown, tmp_path):
    conductor.run({"rate": "20k", "count": "100"})
    shown.until(lambda: (shown.last("books") or {}).get("state") == "good")
    shown.phase("idle")
    conductor.keep()
    shown.until(lambda: len(bench.kept) == 1)
    bench.kept[0].mkdir()
    conductor.keep()
    shown.until(lambda: len(bench.kept) == 2)
    assert {path.parent for path in bench.kept} == {tmp_path}
    assert len(set(bench.kept)) == 2
    shown.until(lambda: len(shown.last("state")["kept"]) == 2)


def test_a_run_under_way_is_kept_when_it_has_ended(conductor, bench, shown):
    conductor.run({"rate": "20k"})
    shown.phase("running")
    conductor.keep()
    assert shown.last("state")["keeping"]
    assert bench.kept == []
    conductor.stop()
    shown.until(lambda: len(bench.kept) == 1)


def test_nothing_is_kept_before_the_first_run(conductor):
    with pytest.raises(UsageError, match="no run to keep"):
        conductor.keep()


def test_a_run_that_does_not_start_is_an_error_on_the_page_and_the_next_one_runs(
    conductor, bench, shown, monkeypatch
):
    def dead(options):
        raise LinkError("tcp://x: gone")

    with monkeypatch.context() as patch:
        patch.setattr(bench, "begin", dead)
        conductor.run({"rate": "20k"})
        shown.until(lambda: shown.last("state")["error"] == "tcp://x: gone")
    conductor.run({"rate": "20k", "count": "100"})
    shown.until(lambda: (shown.last("books") or {}).get("state") == "good")


SWEEP = {"low": "10k", "high": "160k", "points": "5", "channels": ["ISR=ch0", "TASK=ch1"]}


def test_a_sweep_is_shown_step_by_step_and_then_where_each_channel_saturates(
    conductor, bench, shown
):
    conductor.sweep(SWEEP)
    shown.until(lambda: (shown.last("sweep") or {}).get("knees"))
    shown.phase("idle")
    seen = {len(found["steps"]) for kind, found in shown.documents if kind == "sweep"}
    assert seen == set(range(6))
    knees = shown.last("sweep")["knees"]
    assert [(knee["passing"], knee["failing"]) for knee in knees] == [
        (40_000, 80_000),
        (80_000, 160_000),
    ]
    conductor.keep()
    shown.until(lambda: len(bench.kept) == 1)
    assert bench.kept[0].name.startswith("sweep-")


@pytest.mark.parametrize("by", ["stop", "run"])
def test_a_sweep_ends_when_it_is_stopped_or_a_run_takes_its_place(conductor, bench, shown, by):
    conductor.sweep({**SWEEP, "points": "1000"})
    shown.until(lambda: len((shown.last("sweep") or {"steps": []})["steps"]) > 1)
    assert shown.last("state")["phase"] == "sweeping"
    if by == "stop":
        conductor.stop()
    else:
        conductor.run({"rate": "20k", "count": "100"})
        shown.until(lambda: (shown.last("books") or {}).get("state") == "good")
    shown.phase("idle")
    assert len(shown.last("sweep")["steps"]) < 1000


def test_a_sweep_takes_the_place_of_a_run(conductor, bench, shown):
    conductor.run({"rate": "20k"})
    shown.phase("running")
    conductor.sweep(SWEEP)
    shown.until(lambda: (shown.last("sweep") or {}).get("knees"))


def test_wrong_options_of_a_sweep_are_an_error_on_the_page(conductor, shown):
    with pytest.raises(UsageError, match="channel"):
        conductor.sweep({**SWEEP, "channels": ["nothing"]})


def test_closing_ends_the_run_under_way(bench, shown, tmp_path):
    conductor = Conductor(bench, shown, tmp_path)
    conductor.run({"rate": "20k"})
    shown.phase("running")
    began = time.monotonic()
    conductor.close()
    assert time.monotonic() - began < WAIT_S


def test_the_light_is_green_only_if_nothing_was_dropped_or_lost(run_of):
    run = run_of([[1000, 2000, None]])
    books = run.accounting
    assert books_of(run)["state"] == "good"

    def state(invalid=(), **changes):
        found = dataclasses.replace(books, **changes)
        return books_of(dataclasses.replace(run, accounting=found, invalid_reasons=invalid))[
            "state"
        ]

    gone = {"received": books.received - 2}
    assert state(**gone, lost_on_link=2) == "doubt"
    assert state(**gone, dropped_on_chip=2) == "doubt"
    assert state(**gone) == "bad"
    assert state(invalid=("clock lost",)) == "bad"


def test_the_instrument_is_let_go_at_the_end(shown, tmp_path, monkeypatch):
    bench, closed = PlantedRig(channels=2, each_s=0.01), []
    monkeypatch.setattr(bench, "close", lambda: closed.append(True))
    Conductor(bench, shown, tmp_path).close()
    assert closed == [True]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_of_the_program_is_said_on_the_page(bench, shown, tmp_path, monkeypatch):
    def broken(options):
        raise ZeroDivisionError("by hand")

    monkeypatch.setattr(bench, "begin", broken)
    conductor = Conductor(bench, shown, tmp_path)
    conductor.run({"rate": "20k", "count": "1k"})
    shown.until(lambda: (shown.last("state") or {}).get("error"))
    assert shown.last("state")["error"] == (
        "the program has a fault: ZeroDivisionError('by hand'); end it and start again"
    )
    conductor.close()


CODES = {"timeline": "<svg>", "texts": {"tasks": "motor"}}
NO_FIGURES = {"heads": [], "rows": [], "traces": {}}
UNKNOWN_BOOKS = {"state": "unknown", "text": ""}


def done(shown, bench, run):
    """Wait for the end of a run."""
    shown.until(lambda: len(bench.runs) == run and shown.last("exact") is not None)
    shown.until(lambda: (shown.last("state")["phase"], shown.last("state")["run"]) == ("idle", run))


def test_a_page_sees_all_of_a_run_begin_and_end(conductor, bench, shown, monkeypatch):
    monkeypatch.setattr(bench, "explain", lambda result: CODES)
    shown.documents.clear()
    conductor.run({"rate": "20k", "count": "1k"})
    done(shown, bench, 1)
    kinds = [kind for kind, _ in shown.documents]
    begun = shown.documents[: kinds.index("figures")]
    assert begun[:3] == [
        ("outliers", shown.documents[0][1]),
        ("books", UNKNOWN_BOOKS),
        ("codes", {"timeline": "", "texts": {}}),
    ]
    states = [document for kind, document in shown.documents if kind == "state"]
    assert [state["phase"] for state in states] == ["starting", "running", "idle"]
    assert {state["run"] for state in states} == {1}
    ended = kinds[kinds.index("exact") :]
    assert [kind for kind in ended if kind not in ("figures", "outliers")] == [
        "exact", "books", "codes", "state",
    ]  # fmt: skip
    assert shown.last("codes") == CODES
    assert (shown.last("exact")["run"], shown.last("figures")["run"]) == (1, 1)
    assert shown.last("figures")["heads"]


def test_each_frame_has_the_next_number_and_only_the_last_one_of_a_run_says_that_it_has_ended(
    conductor, bench, shown
):
    for run in (1, 2):
        conductor.run({"rate": "20k", "count": "1k"})
        done(shown, bench, run)
    headers = [read(data, layout()["header"]) for data in shown.frames]
    assert [found["frame"] for found in headers] == list(range(1, len(headers) + 1))
    running = layout()["flags"]["running"]
    for run in (1, 2):
        own = [found for found in headers if found["run"] == run]
        assert [bool(found["flags"] & running) for found in own] == [True] * (len(own) - 1) + [
            False
        ]
        assert [found["snapshot"] for found in own] == list(range(1, len(own) + 1))
    assert {found["run"] for found in headers} == {1, 2}


def test_the_edges_of_cells_are_shown_once(conductor, bench, shown):
    for run in (1, 2):
        conductor.run({"rate": "20k", "count": "1k"})
        done(shown, bench, run)
    assert [kind for kind, _ in shown.documents if kind.startswith("edges")] == ["edges6"]


def test_a_page_sees_that_the_last_run_is_forgotten(conductor, bench, shown):
    conductor.run({"rate": "20k", "count": "100"})
    done(shown, bench, 1)
    with shown.changed:
        shown.documents.clear()
    conductor.clear()
    shown.until(lambda: shown.last("state") is not None)
    told = dict(shown.documents)
    assert [kind for kind, _ in shown.documents] == [
        "outliers", "figures", "books", "codes", "state",
    ]  # fmt: skip
    assert told["figures"] == {"run": 2, **NO_FIGURES}
    assert told["books"] == UNKNOWN_BOOKS
    assert told["codes"] == {"timeline": "", "texts": {}}
    assert (told["state"]["phase"], told["state"]["run"]) == ("idle", 2)
    assert (told["state"]["options"], told["state"]["single"]) == ({}, False)


def test_a_note_and_a_kept_run_are_listed_at_once(conductor, bench, shown, monkeypatch):
    noted = []
    monkeypatch.setattr(conductor.kept, "note", lambda *told: noted.append(told))
    monkeypatch.setattr(conductor.kept, "listed", lambda: list(noted))
    conductor.note("run-1", "warm")
    assert shown.last("runs") == {"runs": [("run-1", "warm")]}
    conductor.run({"rate": "20k", "count": "100"})
    done(shown, bench, 1)
    noted.append("kept")
    conductor.keep()
    shown.until(lambda: shown.last("runs") == {"runs": [("run-1", "warm"), "kept"]})


def test_kept_runs_are_told_up_to_the_last_three(conductor, bench, shown):
    conductor.run({"rate": "20k", "count": "100"})
    done(shown, bench, 1)
    for number in range(1, 6):
        conductor.keep()
        shown.until(lambda number=number: len(bench.kept) == number)
        bench.kept[-1].mkdir()
    shown.until(lambda: shown.last("state")["kept"] == [str(path) for path in bench.kept[-3:]])


def test_a_run_that_is_kept_while_it_goes_on_is_kept_once(conductor, bench, shown):
    conductor.run({"rate": "20k"})
    shown.phase("running")
    conductor.keep()
    conductor.run({"rate": "20k", "count": "100"})
    done(shown, bench, 2)
    assert len(bench.kept) == 1
    assert not shown.last("state")["keeping"]


def test_the_last_shot_is_the_runs_result_with_what_was_expected_of_it(run_of):
    run = run_of([[1000, 2000, None], [5000] * 3], wall_seconds=4.5)
    books = dataclasses.replace(
        run.accounting, dropped_on_chip=3, frames_lost=2, decode_faults={"CRC": 1, "length": 4}
    )
    run = dataclasses.replace(run, accounting=books)
    first, found = final(analyse(run), None), final(analyse(run), shot_of(run, number=9))
    assert (first.number, found.number) == (1, 10)
    assert (first.progress.expected_strikes, found.progress.expected_strikes) == (None, 100)
    assert (found.progress.strikes, found.progress.events_received) == (3, books.received)
    assert (found.progress.dropped, found.progress.frames_lost) == (3, 2)
    assert found.progress.decode_faults == 5
    assert found.progress.wall_s == 4.5
    assert found.progress.elapsed_s == (run.end_ticks - run.start_ticks) / 10**9
    assert found.progress.state == RunState.DONE


def test_a_channel_with_an_event_less_is_shown_in_bins_and_the_others_to_the_tick(run_of):
    run = run_of([[1000] * 4, [5000] * 4])
    for lost in (0, 1):
        sources = tuple(
            dataclasses.replace(own, generated=own.generated + (own.source == lost))
            for own in run.accounting.sources
        )
        books = dataclasses.replace(run.accounting, sources=sources)
        found = final(analyse(dataclasses.replace(run, accounting=books)), None).exact
        assert {*found} == {(1 - lost, Kind.RISE), (1 - lost, Kind.FALL)}


def test_an_error_that_ended_a_sweep_is_on_the_page(conductor, bench, shown, monkeypatch):
    sweep = bench.sweep

    def ended(*asked):
        return dataclasses.replace(sweep(*asked), error=LinkError("tcp://x: gone"))

    monkeypatch.setattr(bench, "sweep", ended)
    conductor.sweep(SWEEP)
    shown.until(lambda: (shown.last("sweep") or {}).get("knees"))
    shown.until(lambda: shown.last("state")["error"] == "tcp://x: gone")
    monkeypatch.undo()
    conductor.sweep(SWEEP)
    shown.until(lambda: shown.last("state")["phase"] == "sweeping")
    shown.phase("idle")
    assert shown.last("state")["error"] == ""
