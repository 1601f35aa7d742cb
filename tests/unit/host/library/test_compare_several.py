# SPDX-License-Identifier: Apache-2.0
"""Several results compared with a first one, and ratios: by the figures of published tables."""

from fractions import Fraction

import pytest

import plexor
from plexor.base.errors import UsageError
from plexor.files.store.run_folder import save
from plexor.library.compare import compared
from plexor.library.run import Run
from plexor.library.scans.sweep import Sweep
from plexor.model.results import Identity
from plexor.protocol.geometry import Geometry
from plexor_lab.study import mixed_mode
from plexor_lab.study.iltiming import CONFIGURATIONS, DEVICE, ROWS, Latency, replay_ps

from .. import sweeps

US = Fraction(1, 10**6)
PICOSECONDS = Identity(Geometry(tick_fs=1000), 1)


@pytest.fixture
def run(run_of):
    """Return a function that makes a run of these latencies in ns."""

    def make(*latencies_ns, **other):
        return Run(run_of([list(latencies_ns)], **other))

    return make


@pytest.fixture
def tables(run_of):
    """Runs of the article's Tables 2, 3 and 4: their IST latencies, replayed in picoseconds."""
    return [
        Run(
            run_of(
                [list(replay_ps(row, 40))],
                names=["IST"],
                period=10**9,
                identity=PICOSECONDS,
                device={**DEVICE, **CONFIGURATIONS[row.table]},
            )
        )
        for row in ROWS
        if row.latency == Latency.IST
    ]


def changes(result, figure):
    """Return {letter: (before, after)} of a figure, in µs."""
    return {
        entry.side: (entry.before and entry.before / US, entry.after and entry.after / US)
        for entry in result.differences
        if entry.figure == figure
    }


def test_three_tables_are_compared_exactly_with_the_first(tables):
    result = plexor.compare(tables[0], tables[1:])
    for figure, (first, *others) in {
        "min": ("23.5", "7.5", "21.7"),
        "mean": ("32.2", "8.4", "22.7"),
        "max": ("122.6", "36.0", "26.8"),
        "peak_to_peak": ("99.1", "28.5", "5.1"),
    }.items():
        pairs = {
            letter: (Fraction(first), Fraction(x)) for letter, x in zip("BC", others, strict=True)
        }
        assert changes(result, figure) == pairs, figure


def test_heavy_load_has_2_74_times_the_variance_in_text_page_and_document(run_of):
    """Figures 11 and 12 of the mixed-mode study: 0.000378 and 0.001035 ms², 9.4 % more mean."""
    idle, loaded = (
        Run(
            run_of(
                [list(mixed_mode.replay_ps(row, 1000))],
                names=["event"],
                period=10**9,
                identity=PICOSECONDS,
            )
        )
        for row in mixed_mode.ROWS[2:]
    )
    usual = plexor.compare(idle, loaded)
    assert "variance" not in usual.text() + usual.page().partition("<h2>Differences")[2]
    result = plexor.compare(idle, loaded, columns="variance")
    line = next(line for line in result.text().splitlines() if " variance " in line)
    assert line.split()[1:] == [
        "variance",
        "378",
        "µs²",
        "1,035",
        "µs²",
        "+173.81",
        "%",
        "x2.738",
        "-",
    ]
    assert "<td>1,035 µs²</td>" in result.page()
    assert "<td>x2.738</td>" in result.page()
    (entry,) = (e for e in result.document()["differences"] if e["figure"] == "variance")
    assert (entry["unit"], round(entry["ratio"], 2)) == ("s²", 2.74)
    (entry,) = (e for e in result.document()["differences"] if e["figure"] == "mean")
    assert round(100 * (entry["ratio"] - 1), 1) == 9.4


def test_a_cause_is_doubted_of_each_that_differs_in_more_than_one_key(tables):
    result = plexor.compare(tables[1], [tables[0], tables[2]])
    assert [(other.letter, other.differing_keys) for other in result.others] == [
        ("B", ("debug link", "rtc")),
        ("C", ("TLB pool",)),
    ]
    assert result.differing_keys == ("TLB pool", "debug link", "rtc")
    (note,) = result.notes
    assert note.startswith("A and B: 2 keys of the configuration differ (debug link, rtc)")
    document = result.document()
    assert [(each["run"], each["differing_keys"]) for each in document["runs"]] == [
        ("B", ["debug link", "rtc"]),
        ("C", ["TLB pool"]),
    ]
    assert document["runs"][0]["differing"]["debug link"] == {"before": "off", "after": "on"}


def test_the_slow_path_takes_137_5_times_as_long_as_the_fast_one(run):
    # Averages of 0.061 and 8.389 µs; minimum and maximum of the slow path 7.543 and 13.409 µs.
    fast = run(*[61] * 7)
    slow = run(7543, 13_409, *[7556] * 4, 7547)
    result = plexor.compare(fast, slow)
    (mean,) = [entry for entry in result.differences if entry.figure == "mean"]
    assert (mean.before, mean.after) == (Fraction(61, 1000) * US, Fraction(8389, 1000) * US)
    assert mean.ratio == Fraction(8389, 61)
    assert round(float(mean.ratio), 1) == 137.5
    assert "x137.5" in result.text()
    (entry,) = [e for e in result.document()["differences"] if e["figure"] == "mean"]
    assert entry["ratio"] == pytest.approx(137.5246, abs=1e-4)
    assert entry["run"] == "B"


def test_two_context_switches_differ_by_7_835_us(run):
    result = plexor.compare(run(*[14_245] * 5), run(*[6_410] * 5))
    (mean,) = [entry for entry in result.differences if entry.figure == "mean"]
    assert mean.before - mean.after == Fraction(7835, 1000) * US
    assert round(float(mean.change), 3) == -0.55


def test_a_figure_that_one_of_them_has_is_there_of_all(run):
    result = compared(run(1000, 1000), [run(1000, 1000), run(1000, None)])
    assert {e.side: e.after for e in result.differences if e.figure == "missed"} == {
        "B": 0,
        "C": Fraction(1, 2),
    }
    result = compared(run(1000), [run(None), run(2000)])
    assert changes(result, "mean") == {"B": (1, None), "C": (1, 2)}


def test_what_one_of_several_has_alone_is_told_with_both_letters(run, run_of):
    a = run(1000, names=["ISR"], invalid_reasons=("a bin is full",))
    two = run_of([[1000], [2000]], names=["ISR", "TASK"], invalid_reasons=("no end",))
    c = Run(two)
    result = compared(a, [run(1000, names=["ISR"]), c])
    assert result.notes == ("A and C: TASK: is in only one of the two",)
    assert result.invalid_reasons == (
        "A is an INVALID RUN: a bin is full",
        "C is an INVALID RUN: no end",
    )


def test_conditions_are_judged_of_each_and_one_that_breaks_is_enough(run):
    a, b, c = (run(*[value] * 400) for value in (1000, 1010, 1100))
    result = plexor.compare(a, [b, c], fail_on="p50>+5%")
    assert [(e.difference.side, e.outcome.value) for e in result.judgements] == [
        ("B", "pass"),
        ("C", "fail"),
    ]
    assert result.exit_code() == 1
    assert [entry["run"] for entry in result.document()["conditions"]] == ["B", "C"]
    assert plexor.compare(a, [b, b], fail_on="p50>+5%").exit_code() == 0


def test_a_list_of_one_is_compared_as_the_one_itself(run):
    a, b = run(1000, 1000), run(1000, 1500)
    assert plexor.compare(a, [b]).document() == plexor.compare(a, b).document()


@pytest.mark.parametrize("others", [0, 26])
def test_more_results_than_letters_and_none_at_all_are_refused(run, others):
    one = run(1000)
    with pytest.raises(UsageError, match=rf"^compare: {others + 1} results; must be 2 to 26$"):
        compared(one, [one] * others)
    assert compared(one, [one] * 25).others[-1].letter == "Z"


def test_folders_are_compared_by_name_with_each_of_the_others(tmp_path, run_of):
    for side, value, knee in (("a", 1000, 50_000), ("b", 1500, 40_000), ("c", 500, 60_000)):
        save(run_of([[value]]), tmp_path / side / "idle")
        result = sweeps.result([], [sweeps.knee("none", "ISR", knee, knee + 500)])
        Sweep(result).write(tmp_path / side / "swept")
    result = compared(tmp_path / "a", [tmp_path / "b", tmp_path / "c"])
    assert [(e.name, e.ratio) for e in result.differences if e.figure in ("max", "saturation")] == [
        ("B: idle: ISR", Fraction(3, 2)),
        ("B: swept: ISR", Fraction(4, 5)),
        ("C: idle: ISR", Fraction(1, 2)),
        ("C: swept: ISR", Fraction(6, 5)),
    ]
    swept = sweeps.result([], [sweeps.knee("none", "ISR", 50_000, 50_500)])
    Sweep(swept).write(tmp_path / "d" / "idle")
    with pytest.raises(UsageError, match=r"^idle: A and C: one is a run, the other a sweep"):
        compared(tmp_path / "a", [tmp_path / "b", tmp_path / "d"])


def test_ten_results_are_mapped_to_their_folders_in_text_and_document(run_of, tmp_path):
    folders = [tmp_path / f"night {n}" for n in range(10)]
    for n, folder in enumerate(folders):
        save(run_of([[1000 + n] * 400]), folder)
    found = plexor.compare(folders[0], folders[1:])
    lines = found.text(width=400).splitlines()
    for letter, folder, line in zip("ABCDEFGHIJ", folders, lines, strict=False):
        assert line.startswith(f"{letter}  {folder}")
    document = found.document()
    assert document["first"] == {"run": "A", "place": str(folders[0])}
    assert [(each["run"], each["place"]) for each in document["runs"]] == [
        (letter, str(folder)) for letter, folder in zip("BCDEFGHIJ", folders[1:], strict=True)
    ]


def test_a_percentile_of_too_few_samples_has_no_value_beside_two_others_either(run):
    few = [run(*range(1000, 1900)) for _ in range(3)]
    found = compared(few[0], few[1:])
    tail = [entry for entry in found.differences if entry.figure == "p99.9"]
    assert [(entry.before, entry.after) for entry in tail] == [(None, None)] * 2
    assert {entry.needs for entry in tail} == {3688}
    (row,) = (line for line in found.text(width=200).splitlines() if " p99.9 " in line)
    assert row.count("too few") == 3
