# SPDX-License-Identifier: Apache-2.0
"""What two folders hold that can be compared, and what is said of the rest."""

from fractions import Fraction

import pytest

import plexor
from plexor.base.errors import ApartError, ExitCode, StoreError, UsageError
from plexor.figures.judge.gate import By, FailOn
from plexor.figures.judge.verdict import Outcome
from plexor.files.store.run_folder import save
from plexor.library.compare import Comparison, compared
from plexor.library.run import Run
from plexor.library.scans.sweep import Sweep

from .. import kept_scans, sweeps
from ..plain_text import columns_and_colour

NS = Fraction(1, 10**9)


@pytest.fixture
def kept(tmp_path, run_of):
    """Return a function that keeps a run, or a sweep of one knee, in a folder of that name."""

    def keep(name, values=(1000,), *, knee=None, **other):
        folder = tmp_path / name
        if knee is not None:
            result = sweeps.result([], [sweeps.knee("none", "ISR", *knee)], **other)
            Sweep(result).write(folder)
        else:
            save(run_of([list(values)], **other), folder)
        return folder

    return keep


def found(result, figure):
    """Return (result, channel, before, after) of each difference of a figure."""
    return [
        (each.result, each.channel, each.before, each.after)
        for each in result.differences
        if each.figure == figure
    ]


def test_two_runs_are_compared_without_a_name(kept):
    a, b = kept("a", [1000, 1000]), kept("b", [1000, 1500])
    result = compared(a, b, ())
    assert found(result, "max") == [("", "ISR", 1000 * NS, 1500 * NS)]
    assert (result.differing_keys, result.invalid_reasons, result.notes) == ((), (), ())
    same = compared(a / "run.json", b / "run.json", ())
    assert found(same, "max") == found(result, "max")


def test_results_of_one_name_are_compared_in_order_and_others_are_named(kept, tmp_path):
    for side, value in (("a", 1000), ("b", 2000)):
        kept(f"{side}/idle", [value])
        kept(f"{side}/loaded", [2 * value])
        kept(f"{side}/sweep", knee=(50_000, 50_500))
        kept(f"{side}/only-{side}")
        (tmp_path / side / "notes").mkdir()
        (tmp_path / side / "notes.txt").write_text("mine")
    result = compared(tmp_path / "a", tmp_path / "b", ())
    assert [row[0] for row in found(result, "max")] == ["idle", "loaded"]
    assert [row[0] for row in found(result, "saturation")] == ["sweep"]
    assert [note.partition(":")[0] for note in result.notes] == ["only-a", "only-b"]


def test_a_channel_of_one_run_alone_is_named_with_its_result(kept, tmp_path):
    for side, name in (("a", "ISR"), ("b", "IST")):
        kept(f"{side}/idle", names=[name])
        kept(f"{side}/busy")
    notes = compared(tmp_path / "a", tmp_path / "b", ()).notes
    assert [note.rpartition(":")[0] for note in notes] == ["idle: ISR", "idle: IST"]


def test_a_burst_scan_is_refused_by_its_kind(kept, tmp_path):
    burst = kept_scans.keep("burst", tmp_path)
    with pytest.raises(ApartError, match="holds a burst scan, of which nothing is compared"):
        compared(burst, kept("b"), ())


def test_runs_without_a_common_channel_are_refused(kept):
    a, b = kept("a", names=["ISR"]), kept("b", names=["IST"])
    with pytest.raises(ApartError, match="no channel in common: ISR, and IST") as refused:
        compared(a, b)
    assert f"B ({b})" in str(refused.value)
    assert refused.value.exit_code == 6


def test_sweeps_by_other_criteria_are_refused(kept):
    a = kept("a", knee=(50_000, 50_500))
    b = kept("b", knee=(50_000, 50_500), criteria=("latency<10us@99%",))
    with pytest.raises(ApartError, match="different criteria, missed<1%@95% and latency<10us@99%"):
        compared(a, b)


def test_settings_and_keys_that_differ_are_listed_with_both_values(run_of):
    slow = run_of([[1000]], period=50_000, device={"dut": "one"})
    fast = run_of([[1000]], period=10_000, device={"dut": "one", "rev": "2"})
    (other,) = compared(Run(slow), Run(fast)).others
    assert other.values["rate"] == ("20 kHz", "100 kHz")
    assert other.values["rev"] == ("none", "2")
    assert "dut" not in other.values


def test_one_key_that_differs_is_listed_and_is_a_cause(run_of):
    one, other = (run_of([[1000]], device={"rev": rev}) for rev in "12")
    found = compared(Run(one), Run(other))
    assert (found.others[0].values, found.notes) == ({"rev": ("1", "2")}, ())
    assert "B  the run begun" in found.text()
    assert "rev 2, not 1" in found.text()


def test_a_channel_of_a_sweep_is_named_with_its_load(kept, tmp_path):
    a, b = kept("a", knee=(50_000, 50_500)), tmp_path / "b"
    both = [sweeps.knee(load, "ISR", 50_000, 50_500) for load in ("cpu", "none")]
    Sweep(sweeps.result([], both)).write(b)
    notes = compared(a, b, ()).notes
    assert [note.partition(":")[0] for note in notes] == ["ISR under cpu"]


def test_invalid_runs_are_told_by_side_and_reason(kept, tmp_path):
    kept("a/idle", invalid_reasons=("a bin is full", "no end"))
    kept("b/idle", invalid_reasons=("PLL",))
    told = compared(tmp_path / "a", tmp_path / "b", ()).invalid_reasons
    assert [text[:8] for text in told] == ["idle: A ", "idle: A ", "idle: B "]
    assert [text.rpartition(": ")[2] for text in told] == ["a bin is full", "no end", "PLL"]


def test_one_key_that_differs_is_a_cause_and_several_are_not_told_apart(kept):
    a = kept("a", device={"os": "x", "cpu": "50 MHz"})
    one = compared(a, kept("b", device={"os": "y", "cpu": "50 MHz"}), ())
    assert (one.differing_keys, one.notes) == (("os",), ())
    two = compared(a, kept("c", device={"os": "y", "cpu": "25 MHz"}), ())
    assert two.differing_keys == ("cpu", "os")
    (note,) = two.notes
    assert "cpu, os" in note


def test_a_run_and_a_sweep_of_one_name_are_refused_with_it(kept, tmp_path):
    kept("a/x")
    kept("b/x", knee=(50_000, 50_500))
    with pytest.raises(UsageError, match=r"x: .*one is a run, the other a sweep"):
        compared(tmp_path / "a", tmp_path / "b", ())


def test_folders_without_a_name_in_common_are_refused_with_what_they_hold(kept, tmp_path):
    kept("a/one"), kept("a/two"), kept("b/three")
    with pytest.raises(UsageError) as refused:
        compared(tmp_path / "a", tmp_path / "b", ())
    for part in (str(tmp_path / "a"), str(tmp_path / "b"), "one, two", "three"):
        assert part in str(refused.value)
    with pytest.raises(UsageError, match="one result"):
        compared(tmp_path / "a" / "one", tmp_path / "b", ())


def test_a_folder_without_results_is_refused_with_its_path(kept, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match=str(tmp_path / "empty")):
        compared(tmp_path / "empty", kept("b"), ())


def test_results_at_hand_are_compared_as_those_in_folders(kept):
    a, b = kept("a", [1000, 1000]), kept("b", [1000, 1500])
    at_hand = plexor.compare(plexor.load(a), plexor.load(b))
    assert found(at_hand, "max") == found(plexor.compare(a, str(b)), "max")
    c, d = kept("c", knee=(50_000, 50_500)), kept("d", knee=(40_000, 40_400))
    (row,) = found(plexor.compare(plexor.load(c), d), "saturation")
    assert row[2:] == (50_000, 40_000)


@pytest.mark.parametrize(
    ("after", "fail_on", "outcome", "code"),
    [
        ([1000] * 400, "max>+5%", Outcome.PASS, ExitCode.PASS),
        ([2000] * 400, "max>+5%", Outcome.FAIL, ExitCode.BUDGET),
        ([2000] * 400, (), Outcome.PASS, ExitCode.PASS),
        ([2000] * 400, "missed>+5%", Outcome.TOO_FEW, ExitCode.INVALID),
    ],
)
def test_conditions_are_judged(kept, after, fail_on, outcome, code):
    a, b = kept("a", [1000] * 400), kept("b", after)
    result = plexor.compare(
        a, b, fail_on=fail_on, judge="estimate" if "max" in fail_on else "interval"
    )
    assert (result.outcome, result.exit_code()) == (outcome, code)
    document = result.document()
    assert (document["exit_code"], document["outcome"]) == (code, outcome if fail_on else None)
    assert [entry["outcome"] for entry in document["conditions"]] == [
        entry.outcome for entry in result.judgements
    ]
    assert "max" in result.text()


def test_conditions_may_be_read_already(kept):
    a, b = kept("a", [1000] * 400), kept("b", [2000] * 400)
    condition = FailOn("max", True, Fraction(1, 20))
    assert plexor.compare(a, b, fail_on=[condition], judge=By.ESTIMATE).outcome is Outcome.FAIL


def test_an_invalid_run_proves_nothing(kept):
    a, b = kept("a", [1000] * 9), kept("b", [1000] * 9, invalid_reasons=("PLL",))
    assert plexor.compare(a, b, fail_on="max>+5%", judge="estimate").exit_code() is ExitCode.INVALID
    assert plexor.compare(a, b).exit_code() is ExitCode.PASS


def test_a_condition_on_a_figure_that_neither_has_is_skipped_and_refused_if_alone(kept):
    a, b = kept("a", [1000] * 9), kept("b", [1000] * 9)
    result = plexor.compare(a, b, fail_on="max>+5%,saturation<-2%", judge="estimate")
    assert [condition.figure for condition in result.skipped] == ["saturation"]
    with pytest.raises(UsageError, match=r"^fail_on saturation<-2%: neither result has"):
        plexor.compare(a, b, fail_on="saturation<-2%")


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        ({"fail_on": "p99"}, "fail_on: condition: 'p99'; did you mean p99>"),
        ({"judge": "guess"}, "judge: 'guess'; must be one of interval, estimate"),
        ({"fail_on": "max>+5%"}, "fail_on .*max"),  # a maximum has no interval
    ],
)
def test_conditions_that_cannot_be_judged_are_refused(kept, asked, wrong):
    a, b = kept("a", [1000] * 9), kept("b", [1000] * 9)
    with pytest.raises(UsageError, match=f"^{wrong}"):
        plexor.compare(a, b, **asked)


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Comparison.text) == (100, False)


@pytest.fixture
def slower(run_of):
    """Two runs: the second has latencies that are a tenth longer, so each figure is 1.1 times."""
    first = [100 * n for n in range(40, 440)]
    return [Run(run_of([[time * tenths // 10 for time in first]])) for tenths in (10, 11)]


def test_it_is_a_sentence_where_it_is_shown(slower):
    assert repr(plexor.compare(*slower)).startswith("ISR: B is 1.1 times A at p99, ")
    gated = repr(plexor.compare(*slower, fail_on="p50>+50%"))
    assert gated.splitlines()[-1] == "pass"


def test_each_change_is_a_part_with_its_interval(slower):
    change = plexor.compare(*slower).change["ISR"]
    assert change.p99 == pytest.approx(0.1, abs=0.001)
    assert change.p99 is not None
    assert change.p99.least is not None
    assert change.p99.least <= change.p99 <= change.p99.most
    assert change.p99.after == pytest.approx(1.1 * change.p99.before, rel=0.001)
    assert change["p50"] == change.p50
    assert repr(change.max) == "+10 %"
    with pytest.raises(AttributeError, match="p98: not compared"):
        _ = change.p98
    with pytest.raises(UsageError, match="'p98': not compared; must be one of answered, min"):
        _ = change["p98"]


def test_of_several_each_change_is_named_by_the_letter_of_its_run(slower):
    found = plexor.compare(slower[0], slower)
    assert found.change["B: ISR"].mean == 0
    assert found.change["C: ISR"].mean == pytest.approx(0.1, abs=0.001)
    assert repr(found).count("\n") == 1
