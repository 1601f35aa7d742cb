# SPDX-License-Identifier: Apache-2.0
"""Systems side by side: planted figures, their changes by arithmetic, and the reference apart."""

import dataclasses
import json
from fractions import Fraction
from pathlib import Path

import pytest

from plexor import cli
from plexor.base.errors import InvalidRunError, UsageError
from plexor.figures.analyse.analyse import analyse
from plexor.files.store.run_folder import save as save_run
from plexor.library.scans.sweep import Sweep
from plexor.model.settings import Settings, Stimulus
from plexor_lab.study.reference import STATEMENTS, Role
from plexor_lab.study.systems import (
    Jitter,
    PinTiming,
    SystemRow,
    changes,
    guideline,
    inequalities,
    load_of,
)

from ...sweeps import figures, knee, result, step
from .planted import CE30, CENET, GOLDEN, US, one_system, systems, written

STUDY = Path(__file__).resolve().parents[5] / "docs" / "study.md"


def loaded(run, name="ce30:load=polygons"):
    """Return the report of a run under load."""
    settings = dataclasses.replace(run.settings, load=True)
    return analyse(dataclasses.replace(run, settings=settings, device={"dut": name}))


def idle(run, **device):
    return analyse(dataclasses.replace(run, device=device or {"dut": "ce30"}))


def test_a_run_gives_latency_and_jitter_and_the_sweep_the_rest(run_of):
    run = run_of([[3000] * 100 + [7000], [9000] * 101])
    row, *_ = systems(("s1", CE30), ("m1", idle(run)))
    assert row.timing[Role.INTERRUPT].median_s == 3 * US
    assert row.timing[Role.INTERRUPT].jitter_s is None  # fewer than 128
    assert row.timing[Role.INTERRUPT].rate_hz == 20_000
    assert row.timing[Role.TASK].taken_from == "m1"
    assert row.saturation[Role.TASK].bracket.passing_hz == 60_000


@pytest.mark.parametrize(
    ("jitter", "expected"),
    [(Jitter.SPAN_128, 4 * US), (Jitter.PEAK_TO_PEAK, 50 * US), (Jitter.RMS, None)],
)
def test_each_jitter_is_the_one_that_was_asked_for(run_of, jitter, expected):
    values = [51_000, 1000, *[1000, 5000] * 64]
    row, *_ = systems(("m1", idle(run_of([values], period=90_000))), jitter=jitter)
    found = row.timing[Role.INTERRUPT].jitter_s
    if expected is None:
        mean = Fraction(sum(values), len(values))
        variance = sum((value - mean) ** 2 for value in values) / len(values)
        assert float(found) == pytest.approx(float(variance) ** 0.5 * 1e-9, rel=1e-9)
    else:
        assert found == expected


def test_each_jitter_of_a_sweep_is_of_its_lowest_rate():
    for jitter, expected in ((Jitter.SPAN_128, 90), (Jitter.PEAK_TO_PEAK, 90), (Jitter.RMS, 22.5)):
        rows = systems(("s1", CE30), jitter=jitter)
        assert rows[1].timing[Role.TASK].jitter_s == Fraction(expected) * US


def test_a_lowest_rate_that_failed_gives_no_latency():
    steps = [step("none", 20_000, figures("IST", missed=900)), step("none", 40_000, figures("IST"))]
    sweep = result(steps, [knee("none", "IST", None, 20_000)])
    row, *_ = systems(("s1", sweep))
    assert row.timing == {}
    assert "below 20 kHz" in written((row,), [("s1", sweep)])


@pytest.mark.parametrize(
    ("before", "after"), [((None, 20_000), (30_000, 31_000)), ((30_000, 31_000), (None, 20_000))]
)
def test_what_has_no_saturation_frequency_has_no_change(before, after):
    sweep = one_system("x", {("none", "IST"): before, ("cpu", "IST"): after})
    assert changes(systems(("s", sweep))) == ()


def test_an_open_bracket_bounds_no_change():
    sweep = one_system("x", {("none", "IST"): (50_000, None), ("cpu", "IST"): (25_000, 26_000)})
    (change,) = changes(systems(("s", sweep)))
    assert (change.part, change.least, change.most) == (
        None,
        None,
        Fraction(26_000, 50_000) - 1,
    )
    text = written(systems(("s", sweep)), [("s", sweep)])
    assert "above 50 kHz" in text
    assert "at most -48" in text
    assert "-50" not in text


def test_a_change_to_above_what_was_carried_is_at_least_that():
    ended = dataclasses.replace(
        knee("cpu", "IST", 90_000, None, instrument_hz=Fraction(91_000)), strikes=10
    )
    sweep = one_system("x", {("none", "IST"): (50_000, 60_000)})
    sweep = dataclasses.replace(sweep, knees=(*sweep.knees, ended))
    (change,) = changes(systems(("s", sweep)))
    assert (change.part, change.most) == (None, None)
    assert change.least == Fraction(1, 2)
    assert "at least +50" in written(systems(("s", sweep)), [("s", sweep)])


def test_a_tasks_jitter_is_compared_with_its_own_idle_and_with_others_under_the_same_load():
    def row(system, load, jitter_us):
        jitter_s = None if jitter_us is None else jitter_us * US
        timing = {Role.TASK: PinTiming(US, jitter_s, None, "simulated", "")}
        return SystemRow(system, load, timing)

    rows = [
        row("a", "none", 1),
        row("a", "disk", 2),
        row("a", "net", 3),
        row("b", "none", 4),
        row("b", "disk", 5),
        row("b", "net", None),
        row("c", "net", 6),
        SystemRow("c", "disk"),
    ]
    assert [
        (i.system, i.load, i.other_system, i.other_load, i.jitter_s / US, i.other_s / US)
        for i in inequalities(rows)
    ] == [
        ("a", "disk", "a", "none", 2, 1),
        ("a", "disk", "b", "disk", 2, 5),
        ("a", "net", "a", "none", 3, 1),
        ("a", "net", "c", "net", 3, 6),
        ("b", "disk", "b", "none", 5, 4),
        ("b", "disk", "a", "disk", 5, 2),
        ("c", "net", "a", "net", 6, 3),
    ]


def test_what_is_doubtful_is_said():
    bent = dataclasses.replace(
        CE30,
        interrupted=True,
        criteria=("late<1%@95%",),
        knees=(knee("none", "IST", 25_000, 40_000, passing_above_hz=(Fraction(80_000),)),),
        device={"system": "other"},
    )
    sweeps = [("s1", CE30), ("s2", bent)]
    text = written(systems(*sweeps), sweeps)
    assert "s2: the sweep was interrupted\n" in text
    assert "s2: none, IST: not monotonic: 80 kHz passed above" in text
    assert "saturation frequencies by different criteria cannot be compared\n" in text
    assert "interrupted" not in GOLDEN


def test_measured_figures_say_so_beside_simulated_ones():
    board = dataclasses.replace(CENET, simulated=False, steps=())
    mixed = dataclasses.replace(board, knees=board.knees[2:], device={"system": "ce30"})
    only_idle = dataclasses.replace(CE30, knees=CE30.knees[:2])
    rows = systems(("s1", only_idle), ("s2", mixed))
    assert {change.source for change in changes(rows)} == {"simulated and measured"}
    line = written(rows, []).splitlines()[4]
    assert line.split() == ["measured", "measured"]


def test_the_load_of_a_run_is_its_key_or_the_devices_option(run_of):
    run = run_of([[1000]])
    assert load_of(analyse(run)) == "none"
    assert load_of(loaded(run)) == "polygons"
    assert load_of(loaded(run, "ce30:seed=3")) == "on"
    other = dataclasses.replace(loaded(run).result, device={"dut": "x:load=cpu", "load": "two"})
    assert load_of(analyse(other)) == "two"
    ran = dataclasses.replace(other, device_load="cpu")
    assert load_of(analyse(ran)) == "cpu"
    assert load_of(analyse(dataclasses.replace(ran, device_load="none"))) == "none"


@pytest.mark.parametrize("kind", ["sweeps", "runs"])
def test_two_of_the_same_system_are_refused(run_of, kind):
    entry = CE30 if kind == "sweeps" else idle(run_of([[1000]]))
    with pytest.raises(UsageError, match="b, a: both are of ce30, load none") as caught:
        systems(("a", entry), ("b", entry))
    assert "\n" not in str(caught.value)
    renamed = {"system": "another"}
    other = (
        dataclasses.replace(CE30, device=renamed)
        if kind == "sweeps"
        else idle(run_of([[1000]]), **renamed)
    )
    assert {row.system for row in systems(("a", entry), ("b", other))} == {"ce30", "another"}


def test_what_cannot_be_placed_is_refused(run_of):
    with pytest.raises(UsageError, match="m: the system has no name"):
        systems(("m", idle(run_of([[1000]]), board="x")))
    with pytest.raises(UsageError, match="m: 3 channels; must be one or two"):
        systems(("m", idle(run_of([[1000]] * 3))))
    with pytest.raises(InvalidRunError, match="m: a bin is saturated"):
        systems(("m", idle(run_of([[1000]], invalid_reasons=("a bin is saturated",)))))


def test_a_device_that_runs_by_itself_has_no_rate(run_of):
    free = run_of([[1000] * 9], settings=Settings(strikes=(), channels=()))
    row, *_ = systems(("m", idle(free)))
    assert row.timing[Role.INTERRUPT].rate_hz is None
    strikes = (Stimulus(period_s=Fraction(1, 5000)),)
    timed = run_of([[1000] * 9], settings=Settings(strikes=strikes, channels=()))
    row, *_ = systems(("m", idle(timed)))
    assert row.timing[Role.INTERRUPT].rate_hz == 5000


def test_the_advice_changes_at_ten_and_at_a_thousand_microseconds():
    bands = [guideline(us * US) for us in (Fraction(999, 100), 10, 999, 1000)]
    assert [text.split(":")[0] for text in bands] == [
        "microseconds",
        "tens to hundreds of microseconds",
        "tens to hundreds of microseconds",
        "milliseconds",
    ]


def test_the_document_has_each_statement_of_the_reference():
    lines = STUDY.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split("|")] for line in lines if line.startswith("| R")]
    assert {row[1]: row[3] for row in cells} == {entry.row: entry.text for entry in STATEMENTS}
    assert [entry.row for entry in STATEMENTS] == [f"R{n}" for n in range(1, 16)]


@pytest.fixture
def kept(tmp_path, run_of):
    """Return a folder with two sweeps and two runs."""
    Sweep(CE30).write(tmp_path / "s1")
    Sweep(CENET).write(tmp_path / "s2")
    for name, report in (
        ("m1", idle(run_of([[3000] * 200]))),
        ("m2", loaded(run_of([[4000] * 9]))),
    ):
        save_run(report.result, tmp_path / name)
    return tmp_path


def test_the_command_reads_what_was_kept(kept, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert cli.main(["lab", "table", str(kept / "s1"), str(kept / "s2")]) == 0
    out = capsys.readouterr().out
    # Paths differ, all else is as the golden text.
    assert out.splitlines()[:9] == GOLDEN.splitlines()[:9]
    assert "\x1b" not in out


def test_the_document_for_machines_is_exact(kept, capsys):
    paths = [str(kept / name) for name in ("s1", "m1", "m2")]
    assert cli.main(["lab", "table", *paths, "--json", "--interval", "2ms"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "plexor.table/1"
    first, second = found["rows"]
    assert first["timing"]["interrupt"]["median_s"] == "3/1000000"
    assert second["timing"]["interrupt"]["median_s"] == "1/250000"
    assert second["timing"]["task"]["taken_from"] == paths[0]
    assert second["saturation"]["task"]["bracket"]["passing_hz"] == "27000"
    assert [(c["role"], c["part"]) for c in found["changes"]] == [
        ("interrupt", "-1/5"),
        ("task", "-11/20"),
    ]
    assert [c["holds"] for c in found["inequalities"]] == [False]
    assert len(found["reference"]["statements"]) == 15
    assert found["advice"].startswith("milliseconds")
    assert cli.main(["lab", "table", *paths, "--json", "--no-reference"]) == 0
    assert "reference" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["s1", "s1"], 2, "both are of ce30, load none"),
        (["m1", "m1"], 2, "both are of ce30, load none"),
        (["empty"], 2, "empty: holds no run, scan or schedule; must be a folder of --out"),
        (["nowhere"], 2, "does not exist"),
        (["bent"], 2, "sweep.json: cannot read: format 7"),
        (["s1", "--interval", "0"], 2, "Invalid value for '--interval': '0'; must be above 0"),
        (["s1", "--jitter", "p99"], 2, "'p99' is not one of"),
        ([], 2, "Missing argument"),
    ],
)
def test_what_is_wrong_is_one_line(kept, capsys, arguments, code, says):
    (kept / "empty").mkdir()
    (kept / "bent").mkdir()
    (kept / "bent" / "sweep.json").write_text('{"format": 7}')
    paths = [a if a.startswith("-") or a in ("0", "p99") else str(kept / a) for a in arguments]
    assert cli.main(["lab", "table", *paths]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert err.count("\n") == 1


def test_a_run_that_proves_nothing_ends_with_4(kept, capsys, run_of):
    save_run(idle(run_of([[1000]], invalid_reasons=("books",))).result, kept / "bad")
    assert cli.main(["lab", "table", str(kept / "bad")]) == 4
    assert capsys.readouterr().err == f"plexor: {kept / 'bad'}: books\n"


def test_a_jitter_that_is_the_same_is_not_lower():
    def jitter(load, ticks):
        timing = {Role.TASK: PinTiming(US, ticks * US, None, "simulated", "")}
        return SystemRow("a", load, timing)

    rows = [[jitter("none", 3), jitter("cpu", ticks)] for ticks in (2, 3, 4)]
    assert [inequalities(pair)[0].holds for pair in rows] == [True, False, False]


@pytest.mark.parametrize(("strikes", "known"), [(5, False), (6, True)])
def test_a_median_of_too_few_strikes_is_none(run_of, strikes, known):
    """All n of them lie below the median with a chance of 1 in 2**n: 2.5 % is between 5 and 6."""
    row, *_ = systems(("m1", idle(run_of([[3000] * strikes]))))
    assert (row.timing[Role.INTERRUPT].median_s is not None) == known
    assert ("3 µs" in written((row,), [], reference=False)) == known


def test_a_pin_whose_saturation_is_known_under_one_load_alone_has_no_change():
    """The interrupt's is known idle and loaded; the task's idle alone, or loaded alone."""
    for load in ("none", "cpu"):
        knees = {("none", "IST"): (50_000, 60_000), ("cpu", "IST"): (40_000, 50_000)}
        rows = systems(("s", one_system("x", knees | {(load, "APP"): (20_000, 30_000)})))
        assert [(change.load, change.role) for change in changes(rows)] == [("cpu", Role.INTERRUPT)]
