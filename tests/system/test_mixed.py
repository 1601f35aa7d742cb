# SPDX-License-Identifier: Apache-2.0
"""A schedule with a device on the simulated instrument: all modes, and codes that were planted.

The times of the mixed-mode study (2004) are divided by 1000, and so is the time of a byte on the
device's line. The device's clock is ten times as fast as by default.
"""

import csv
import io
import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from plexor import cli
from plexor.base.errors import LinkError
from plexor.library.instrument import Instrument
from plexor.library.specs.options import Target
from plexor.run.session.stop import Stop
from plexor_lab.mixed.message import Reply
from plexor_lab.mixed.mixed import Mixed, measured
from plexor_lab.mixed.model import Mode, Order, Schedule, Status
from plexor_lab.mixed.place import place_of
from plexor_lab.mixed.rows import read_rows, write_rows
from plexor_lab.mixed.run import Callbacks, MixedGoal, run
from plexor_lab.mixed.schedule import entries
from plexor_lab.mixed.spec import MixedSpec
from plexor_lab.mixed.timecode import Timecode

DUT = "freertos:program=executor,baud=9600000,clock=2ns"
COUNT = 8
ALL = ["lab", "mixed", "--dut", DUT, "--period", "71111ns", "--count", str(COUNT), "--limit", "4us"]
CLOCK_PS = 8000
TICK_PS = 500


@pytest.fixture(scope="module")
def all_modes(tmp_path_factory):
    """Return exit code, document, lists and folder of one command that runs all modes."""
    folder = tmp_path_factory.mktemp("mixed")
    out, rows = folder / "m", folder / "rows.csv"
    with pytest.MonkeyPatch.context() as patch:
        printed = io.StringIO()
        patch.setattr("sys.stdout", printed)
        code = cli.main([*ALL, "--json", "--csv", str(rows), "--out", str(out)])
    return code, json.loads(printed.getvalue()), rows.read_text(), out


def test_one_command_runs_all_three_modes_and_the_mixed_mean_is_below_the_normal_one(all_modes):
    code, document, *_ = all_modes
    assert code == 0
    runs = {
        f"{run['mode']}" + ("" if run["distance_steps"] is None else f"-{run['distance_steps']}")
        for run in document["runs"]
    }
    assert runs == {"verify", "normal", "mixed-0", "mixed-1", "mixed-2"}
    figures = document["figures"]
    assert figures["least_safe_steps"] == 1
    assert Fraction(figures["normal_to_mixed"]["mean"]) > 5
    assert document["simulated"] is True


def test_every_entry_has_one_status_and_nothing_else_came(all_modes):
    for name, figures in all_modes[1]["figures"]["runs"].items():
        counts = figures["counts"]
        assert counts.pop("extra") == 0, name
        assert sum(counts.values()) == COUNT
    counts = {name: run["counts"] for name, run in all_modes[1]["figures"]["runs"].items()}
    assert [counts[name]["done"] for name in ("verify", "mixed-1", "mixed-2")] == [COUNT] * 3
    # Issued when it is due, a message of 12.5 µs comes late; the instrument finds it past due.
    assert counts["mixed-0"]["late"] == COUNT
    served = {run["distance_steps"]: run["served"] for run in all_modes[1]["runs"]}
    assert (served[0]["past"], served[0]["struck"]) == (COUNT, 0)
    assert (served[1]["past"], served[1]["struck"]) == (0, COUNT)


def test_due_less_issue_is_the_distance_exactly(all_modes):
    for entry in all_modes[1]["runs"]:
        if entry["mode"] == "mixed":
            apart = {row["due_step"] - row["issue_step"] for row in entry["rows"]}
            assert apart == {entry["distance_steps"]}


def test_the_device_got_every_message(all_modes):
    heard = {run["distance_steps"]: run["heard"] for run in all_modes[1]["runs"] if run["heard"]}
    # A reset, the entries and the question.
    assert heard[1] == {"good": COUNT + 2, "damaged": 0, "missing": 0, "refused": 0}


def test_the_lists_come_back_from_csv_and_from_the_folder(all_modes):
    _, document, text, out = all_modes
    tick_fs, found = read_rows(text)
    kept = Mixed.load(out).result
    assert tick_fs == kept.tick_fs == document["tick_fs"]
    assert found == {run.name: ([*run.rows], [*run.extras]) for run in kept.runs}
    assert write_rows(kept.runs, tick_fs) == text == (out / "rows.csv").read_text()
    assert len([*csv.reader(io.StringIO(text))]) == 1 + 5 * COUNT


def taken(asked, dut=DUT, **more):
    link, dut = place_of(asked, Target(dut=dut))
    with Instrument(link, dut=dut, calibration="none") as instrument:
        return measured(instrument, **replace(asked, **more).keywords())


ASKED = MixedSpec(
    mode="mixed",
    distance=(1, 2),
    ids="random",
    seed=7,
    count=COUNT,
    period=Fraction(71_111, 10**9),
    limit=Fraction(4, 10**6),
)


def test_with_a_message_delay_above_a_step_one_step_fails_and_two_are_the_least_safe():
    """72 ms where a step has 71.1 ms, divided by 1000."""
    found = taken(replace(ASKED, ids="sequential"), f"{DUT},serial_delay=72us")
    counts = {name: summary.counts for name, summary in found.summaries.items()}
    assert counts["mixed-1"][Status.LATE] == COUNT
    assert counts["mixed-2"][Status.DONE] == COUNT
    assert found.least_safe == 2


def test_a_schedule_is_the_same_each_time():
    found = [taken(replace(ASKED, distance=(1,))).result.runs for _ in range(2)]
    assert found[0] == found[1]
    drawn = [row.event_id for row in found[0][0].rows]
    assert len(set(drawn)) > 2
    assert found[0][0].extras == ()


def test_a_run_that_is_stopped_keeps_what_was_measured():
    stop, seen = Stop(), []

    def look(looked):
        seen.append(looked.step)
        if looked.step == 9:
            stop.ask()

    found = taken(replace(ASKED, count=50), told=Callbacks(on_look=look), stop=stop)
    assert found.interrupted
    (only,) = found.runs
    rows = only.rows
    assert 0 < len(rows) <= 6
    assert {row.status for row in rows} == {Status.DONE}
    assert found.invalid_reasons == ()


@pytest.mark.full
def test_at_14_0625_steps_a_second_the_mixed_mean_is_far_below_the_normal_one():
    """The study's own timecode, and its line of 9600 bits per second."""
    asked = MixedSpec(mode="all", distance=(1,), count=2)
    found = taken(asked, "freertos:program=executor")
    assert found.result.timecode.period_s == Fraction(16, 225)
    summaries = found.summaries
    assert {summaries[name].counts[Status.DONE] for name in ("verify", "mixed-1")} == {2}
    normal, mixed = (summaries[name].moments.mean_ticks for name in ("normal", "mixed-1"))
    assert normal / mixed > 300


class Unheard:
    """The line to a device that fires by a list of its own."""

    def send(self, *messages):
        pass

    def replies(self):
        return ()

    def await_reply(self, timeout_s, stop):
        return Reply(0, 0, 0, 0, 0)


PLANTED_COUNT = 30
PLANTED = MixedGoal(
    runs=((Mode.MIXED, 1),),
    timecode=Timecode(8, Fraction(100, 10**6)),
    schedule=Schedule(
        count=PLANTED_COUNT,
        spacing_steps=1,
        ids=16,
        order=Order.SEQUENTIAL,
        seed=1,
        first_step=4,
    ),
    limit_s=Fraction(10, 10**6),
)
LATE_PS = {
    0: 0,  # on its tick, or within the clock in which it is read
    1: 9_900_000,
    2: 10_100_000,
    3: -8_000,
    4: -40_000_000,
    5: 399_900_000,
    6: 320_000,
}
"""What is planted, by the entry's number: picoseconds from its due time. Others are 1 µs late."""
MISSED, WRONG, TWICE = 7, 9, 11
"""One that does not come, one with the id of another, and one that comes again 3 µs later."""


def planted_run(folder, codes=(), wanted=PLANTED):
    """Return a run of a device that fires planted codes, (time in ps, value) each."""
    path = folder / "codes.txt"
    path.write_text("".join(f"{time} {value}\n" for time, value in codes))
    dut = f"synthetic:codes={path}"
    with Instrument("sim:?pace=20us", dut=dut, calibration="none") as instrument:
        found = run(instrument.device, wanted, Unheard())
    return found.result.runs[0], found.runs[0].start_ticks


class FallsSilent(Unheard):
    """The line to a device that replies once only; `stop` is asked for as it falls silent."""

    def __init__(self, stop=None):
        self.stop = stop
        self.waits = 0

    def await_reply(self, timeout_s, stop):
        self.waits += 1
        if self.waits == 1:
            return super().await_reply(timeout_s, stop)
        if self.stop is not None:
            self.stop.ask()
        raise LinkError("no reply")


@pytest.mark.parametrize("asked", [False, True])
def test_runs_before_one_that_does_not_start_are_kept(asked):
    stop = Stop()
    wanted = replace(PLANTED, runs=((Mode.MIXED, 1), (Mode.MIXED, 2)))
    with Instrument("sim:?pace=20us", dut="synthetic", calibration="none") as instrument:
        line = FallsSilent(stop if asked else None)
        found = run(instrument.device, wanted, line, stop=stop).result
    assert [one.name for one in found.runs] == ["mixed-1"]
    assert len(found.runs[0].rows) == PLANTED_COUNT
    assert found.interrupted
    reasons = () if asked else ("mixed-2: not started: no reply",)
    assert found.invalid_reasons == reasons


def seen_ticks(time_ps):
    """Return when the port shows a code: rounded up to a core clock."""
    return -(-time_ps // CLOCK_PS) * CLOCK_PS // TICK_PS


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Return a run with planted codes, and the truth: lateness by number, and extra ids."""
    folder = tmp_path_factory.mktemp("planted")
    empty, start = planted_run(folder)
    due = [row.due_ticks for row in empty.rows]
    codes, truth, extras = [], {}, []
    for number, entry in enumerate(entries(PLANTED.schedule)):
        due_ps = (start + due[number]) * TICK_PS
        time_ps = due_ps + LATE_PS.get(number, 1_000_000)
        # Bit 7 changes with each code, so that two equal ones are seen.
        if number == WRONG:
            codes.append((time_ps, 0x10 + (entry.event_id + 8) % 16))
            extras.append(seen_ticks(time_ps) - start)
        elif number != MISSED:
            codes.append((time_ps, 0x10 + entry.event_id))
            truth[number] = seen_ticks(time_ps) - start - due[number]
        if number == TWICE:
            codes.append((time_ps + 3_000_000, 0x10 + entry.event_id))
            extras.append(seen_ticks(time_ps + 3_000_000) - start)
    codes = [
        (time, value | 0x80 * (place % 2)) for place, (time, value) in enumerate(sorted(codes))
    ]
    found, again = planted_run(folder, codes)
    assert again == start
    return found, truth, extras, folder, codes


def test_planted_codes_have_their_lateness_to_the_tick_both_ways(planted):
    found, truth, extras, *_ = planted
    assert {
        row.number: row.lateness_ticks for row in found.rows if row.lateness_ticks is not None
    } == truth
    assert sorted(extra.time_ticks for extra in found.extras) == sorted(extras)
    assert min(truth.values()) < 0 < max(truth.values())
    assert found.invalid_reasons == ()


def test_planted_codes_are_done_late_early_missed_or_extra_and_nothing_is_lost(planted):
    counts = Counter(row.status for row in planted[0].rows)
    assert counts == {
        Status.DONE: PLANTED_COUNT - 6,
        Status.LATE: 2,
        Status.EARLY: 2,
        Status.MISSED: 2,
    }
    assert counts.total() == PLANTED_COUNT
    assert len(planted[0].extras) == 2
    assert planted[0].served.holds


@pytest.mark.full
def test_at_the_limit_an_entry_is_done_and_with_a_tick_less_it_is_late(planted):
    _, truth, _, folder, codes = planted
    found = {}
    for less in (0, 1):
        limit_s = Fraction((truth[2] - less) * TICK_PS, 10**12)
        wanted = replace(PLANTED, limit_s=limit_s)
        found[less] = planted_run(folder, codes, wanted)[0].rows[2].status
    assert found == {0: Status.DONE, 1: Status.LATE}
