"""What two folders hold that can be compared, and what is said of the rest."""

from fractions import Fraction

import pytest

from plexor.commands.pairs import compared
from plexor.errors import StoreError, UsageError
from plexor.store.run_folder import save
from plexor.sweep import store as sweep_store

from .. import sweeps

NS = Fraction(1, 10**9)


@pytest.fixture
def kept(tmp_path, run_of):
    """Return a function that keeps a run, or a sweep of one knee, in a folder of that name."""

    def keep(name, values=(1000,), *, knee=None, **other):
        folder = tmp_path / name
        if knee is not None:
            result = sweeps.result([], [sweeps.knee("none", "ISR", *knee)], **other)
            sweep_store.save(result, folder)
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
    assert (result.keys, result.invalid, result.notes) == ((), (), ())
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
    kept("a/idle", names=["ISR"])
    kept("b/idle", names=["IST"])
    notes = compared(tmp_path / "a", tmp_path / "b", ()).notes
    assert [note.rpartition(":")[0] for note in notes] == ["idle: ISR", "idle: IST"]


def test_a_channel_of_a_sweep_is_named_with_its_load(kept, tmp_path):
    a, b = kept("a", knee=(50_000, 50_500)), tmp_path / "b"
    sweep_store.save(sweeps.result([], [sweeps.knee("cpu", "ISR", 50_000, 50_500)]), b)
    notes = compared(a, b, ()).notes
    assert [note.partition(":")[0] for note in notes] == ["ISR under cpu", "ISR under none"]


def test_invalid_runs_are_told_by_side_and_reason(kept, tmp_path):
    kept("a/idle", invalid_reasons=("a bin is full", "no end"))
    kept("b/idle", invalid_reasons=("PLL",))
    told = compared(tmp_path / "a", tmp_path / "b", ()).invalid
    assert [text[:8] for text in told] == ["idle: A ", "idle: A ", "idle: B "]
    assert [text.rpartition(": ")[2] for text in told] == ["a bin is full", "no end", "PLL"]


def test_one_key_that_differs_is_a_cause_and_several_are_not_told_apart(kept):
    a = kept("a", device={"os": "x", "cpu": "50 MHz"})
    one = compared(a, kept("b", device={"os": "y", "cpu": "50 MHz"}), ())
    assert (one.keys, one.notes) == (("os",), ())
    two = compared(a, kept("c", device={"os": "y", "cpu": "25 MHz"}), ())
    assert two.keys == ("cpu", "os")
    (note,) = two.notes
    assert "cpu, os" in note


def test_a_run_and_a_sweep_of_one_name_are_refused_with_it(kept, tmp_path):
    kept("a/x")
    kept("b/x", knee=(50_000, 50_500))
    with pytest.raises(UsageError, match=r"x: .*sweep.*run"):
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
