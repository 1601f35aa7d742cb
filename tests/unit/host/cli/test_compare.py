# SPDX-License-Identifier: Apache-2.0
"""`plexor compare`: what it compares, what it says, and how it ends."""

import json
from fractions import Fraction

import numpy as np
import pytest

from plexor import cli
from plexor.files.store.run_folder import save
from plexor.library.scans.sweep import Sweep

from .. import sweeps

README = "saturation<-2%,p99>+5%"


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def kept(tmp_path, run_of):
    """Return a function that keeps a run, or a sweep of one knee, in a folder of that name."""

    def keep(name, values=None, *, knee=None, **other):
        folder = tmp_path / name
        if knee is not None:
            result = sweeps.result([], [sweeps.knee("none", "ISR", *knee)], **other)
            Sweep(result).write(folder)
        else:
            save(run_of([values], **other), folder)
        return str(folder)

    return keep


def compare(capsys, *arguments):
    code = cli.main(["compare", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_condition_that_runs_have_not_is_skipped_with_a_note(kept, capsys):
    runs = kept("a", [1000] * 400), kept("b", [1100] * 400)
    code, out, err = compare(capsys, *runs, "--fail-on", README)
    assert code == 1
    assert (
        "plexor: --fail-on saturation<-2%: skipped, because neither result has this figure\n" in err
    )
    assert "TOO LARGE ISR p99>+5%: +10.00 %, between +10.00% and +10.00%\n" in out
    assert out.endswith("FAIL: 1 of 1 changes are too large\n")


def test_a_condition_that_sweeps_have_not_is_skipped_with_a_note(kept, capsys):
    folders = kept("a", knee=(50_000, 50_500)), kept("b", knee=(45_000, 45_450))
    code, out, err = compare(capsys, *folders, "--fail-on", README)
    assert code == 1
    assert "--fail-on p99>+5%: skipped" in err
    assert "TOO LARGE ISR saturation<-2%: -10.00 %" in out


@pytest.mark.parametrize(
    ("latency", "knee", "code"),
    [(1000, (50_000, 50_500), 0), (1060, (50_000, 50_500), 1), (1000, (45_000, 45_450), 1)],
)
def test_folders_of_runs_and_sweeps_are_judged_together(kept, capsys, latency, knee, code):
    kept("main/idle", [1000] * 400)
    kept("main/sweep", knee=(50_000, 50_500))
    kept("branch/idle", [latency] * 400)
    kept("branch/sweep", knee=knee)
    folders = (
        kept("main/only", [1] * 9).rsplit("/", 1)[0],
        kept("branch/new", [1]).rsplit("/", 1)[0],
    )
    found, out, err = compare(capsys, *folders, "--fail-on", README)
    assert found == code
    assert "idle: ISR p99>+5%" in out
    assert "sweep: ISR saturation<-2%" in out
    assert "skipped" not in err
    assert "plexor: new: is in only one of the two\n" in err
    assert "plexor: only: is in only one of the two\n" in err


def test_conditions_of_which_none_applies_are_an_error(kept, capsys):
    runs = kept("a", [1000] * 400), kept("b", [1000] * 400)
    code, out, err = compare(capsys, *runs, "--fail-on", "saturation<-2%")
    assert (code, out) == (2, "")
    assert "--fail-on saturation<-2%: neither result has this figure" in err


def test_a_run_and_a_sweep_are_not_compared(kept, capsys):
    code, out, err = compare(capsys, kept("a", [1000]), kept("b", knee=(50_000, 50_500)))
    assert (code, out) == (6, "")
    assert "one is a run, the other a sweep" in err


def test_folders_without_a_name_in_common_are_an_error(kept, capsys):
    kept("a/one", [1000]), kept("b/two", [1000])
    folders = (kept("a/three", [1]).rsplit("/", 1)[0], kept("b/four", [1]).rsplit("/", 1)[0])
    code, _, err = compare(capsys, *folders)
    assert code == 6
    assert "hold one, three and four, two; both must be a single result, or folders" in err


def test_several_runs_stand_beside_the_first(kept, capsys):
    runs = kept("a", [1000] * 400), kept("b", [1370] * 400), kept("c", [500] * 400)
    code, out, err = compare(capsys, *runs, "--fail-on", "p50>+40%")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [
        ["A", runs[0]],
        ["B", f"{runs[1]}:"],
        ["C", f"{runs[2]}:"],
    ]
    assert lines[4].split()[:5] == ["channel", "figure", "A", "B", "C"]
    place = next(n for n, line in enumerate(lines) if line.split()[1:2] == ["mean"])
    assert lines[place].startswith("ISR")
    assert lines[place].split()[2:8] == ["1", "µs", "1.37", "µs", "500", "ns"]
    assert lines[place + 1].split() == ["+37.00", "%", "x1.370", "-50.00", "%", "x0.5000"]
    assert "kept      B: ISR p50>+40%: +37.00 %" in out
    code, out, _ = compare(capsys, *runs, "--json")
    document = json.loads(out)
    assert code == 0
    assert [entry["run"] for entry in document["runs"]] == ["B", "C"]
    means = [entry for entry in document["differences"] if entry["figure"] == "mean"]
    assert [(entry["run"], entry["ratio"]) for entry in means] == [("B", 1.37), ("C", 0.5)]


def test_one_of_several_that_breaks_ends_with_1(kept, capsys):
    runs = kept("a", [1000] * 400), kept("b", [1000] * 400), kept("c", [1100] * 400)
    code, out, _ = compare(capsys, *runs, "--fail-on", "p50>+5%")
    assert code == 1
    assert out.endswith("FAIL: 1 of 2 changes are too large\n")
    assert "TOO LARGE C: ISR p50>+5%: +10.00 %" in out


def noisy(seed, count=4000, scale=1000):
    values = 500 + np.random.default_rng(seed).exponential(scale, count)
    return np.rint(values).astype(int).tolist()


def test_too_few_samples_end_with_4_and_say_how_many_it_takes(kept, capsys):
    runs = kept("a", noisy(1), period=200_000), kept("b", noisy(2), period=200_000)
    code, out, _ = compare(capsys, *runs, "--fail-on", "p99>+2%")
    assert code == 4
    assert "too few   ISR p99>+2%: " in out
    assert " samples in each run\n" in out
    assert out.endswith(
        "TOO FEW SAMPLES: 1 of 1 changes cannot be distinguished from their limits\n"
    )


def test_broken_outweighs_too_few_and_the_document_has_both(kept, capsys):
    runs = kept("a", noisy(1), period=200_000), kept("b", noisy(2, scale=1200), period=200_000)
    arguments = (*runs, "--fail-on", "p99.9>+5%,p50>+5%,saturation<-2%", "--json")
    code, out, _ = compare(capsys, *arguments)
    document = json.loads(out)
    assert (code, document["exit_code"], document["outcome"]) == (1, 1, "fail")
    assert document["schema"] == "plexor.judge.compare/3"
    assert document["judged_by"] == "interval"
    assert document["skipped"] == ["saturation<-2%"]
    tail, middle = document["conditions"]
    assert (tail["condition"], tail["outcome"]) == ("p99.9>+5%", "too few")
    assert tail["needed"] > 4000
    assert (middle["outcome"], middle["needed"], middle["limit"]) == ("fail", None, 0.05)
    assert 0.05 < middle["least"] < middle["change"] < middle["most"]
    units = {entry["figure"]: entry["unit"] for entry in document["differences"]}
    assert (units["p50"], units["answered"]) == ("s", "share")


def test_estimates_are_judged_where_that_is_asked_for(kept, capsys):
    runs = kept("a", [1000] * 9), kept("b", [1000] * 8 + [1100])
    code, out, _ = compare(capsys, *runs, "--fail-on", "max>+5%,mean>+5%", "--judge", "estimate")
    assert code == 1
    assert "TOO LARGE ISR max>+5%: +10.00 %\n" in out
    assert "kept      ISR mean>+5%: +1.11 %\n" in out
    code, out, err = compare(capsys, *runs, "--fail-on", "max>+5%")
    assert (code, out) == (2, "")
    assert "judge estimates with --judge estimate" in err
    code, _, err = compare(capsys, *runs, "--judge", "estimate")
    assert code == 2
    assert "give --fail-on" in err


def test_an_invalid_run_proves_nothing(kept, capsys):
    runs = kept("a", [1000] * 400), kept("b", [1100] * 400, invalid_reasons=("a bin is full",))
    code, _, err = compare(capsys, *runs, "--fail-on", "p50>+5%")
    assert code == 4
    assert "plexor: B is an INVALID RUN: a bin is full\n" in err
    assert compare(capsys, *runs)[0] == 0


def test_runs_without_a_common_channel_are_refused_in_one_line(kept, capsys):
    runs = kept("a", [1000] * 9), kept("b", [1000] * 9, names=["IST"])
    code, out, err = compare(capsys, *runs)
    assert (code, out) == (6, "")
    assert err.count("\n") == 1
    assert "have no channel in common: ISR, and IST" in err


def test_a_knee_that_is_the_highest_rate_tried_is_a_bound(kept, capsys):
    to_80k = {"low_hz": Fraction(1000), "high_hz": Fraction(80_000)}
    folders = kept("a", knee=(80_000, None), **to_80k), kept("b", knee=(7392, 7400), **to_80k)
    code, out, err = compare(capsys, *folders, "--fail-on", "saturation<-2%")
    assert (code, err) == (1, "")
    assert "above 80 kHz" in out
    assert "at most -90.76 %" in out
    assert " -90.76 %" in out
    both = [kept(name, knee=(80_000, None), **to_80k) for name in "cd"]
    code, out, _ = compare(capsys, *both, "--fail-on", "saturation<-2%")
    assert code == 4
    assert "no rate failed; sweep up to a higher rate with --to" in out


@pytest.mark.parametrize(("after", "colour"), [(1100, "31"), (1000, "32")])
def test_verdicts_are_red_and_green_on_a_terminal_unless_told_not_to(
    kept, capsys, monkeypatch, after, colour
):
    runs = kept("a", [1000] * 400), kept("b", [after] * 400)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert f"\x1b[{colour}m" in compare(capsys, *runs, "--fail-on", "p50>+5%")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in compare(capsys, *runs, "--fail-on", "p50>+5%")[1]


def test_a_page_is_written_beside_what_is_printed(kept, capsys, tmp_path):
    page = tmp_path / "compared.html"
    runs = kept("a", [1000] * 400), kept("b", [1100] * 400)
    code, out, err = compare(capsys, *runs, "--page", str(page))
    assert code == 0
    assert out
    assert f"plexor: page {page}\n" in err
    assert "+10.00 %" in page.read_text()
    assert "plexor: page" not in compare(capsys, *runs)[2]
