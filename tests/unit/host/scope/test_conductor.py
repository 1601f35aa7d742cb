# SPDX-License-Identifier: Apache-2.0
"""Runs as pages ask for them: one after the other, shown, stopped, cleared and kept."""

import dataclasses
import threading
import time

import pytest
from tools.scope_bench.planted import PlantedRig

from plexor.base.errors import LinkError, UsageError
from plexor.figures.analyse.analyse import analyse
from plexor.scope.conductor import Conductor, books_of, exact_document, final

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
