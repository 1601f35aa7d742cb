# SPDX-License-Identifier: Apache-2.0
"""`plexor lab bound`: what it prints, how it ends, and that each wrong use is one line."""

import json

import pytest

from plexor import cli
from plexor.files.store.run_folder import save

from ...cli.test_cli import document, errors_of
from .createthread import EXAMPLES, MEASURED_NS, PLATFORMS, TOTAL_NS, N, platform_file

MODEL = str(EXAMPLES / "createthread.toml")
CYCLE = [
    *("--model", str(EXAMPLES / "createthread.csv"), "--platform", str(EXAMPLES / "memory.toml")),
    *("--map", str(EXAMPLES / "map.toml")),
]


def with_platform(number):
    return ["--platform", str(platform_file(number))]


def checking(number):
    return ["lab", "bound", "check", "--model", MODEL, *with_platform(number)]


@pytest.mark.parametrize("number", PLATFORMS)
def test_eval_prints_the_total_of_the_study(capsys, number):
    words = ["lab", "bound", "eval", MODEL, *with_platform(number), "--n", str(N)]
    assert cli.main(words) == 0
    out, err = capsys.readouterr()
    assert f"{TOTAL_NS[number]:,}\n" in out
    assert err == ""
    assert cli.main([*words, "--n", "50", "--json"]) == 0
    assert [entry["n"] for entry in document(capsys)["at"]] == [N, 50]


@pytest.mark.parametrize("number", PLATFORMS)
def test_check_of_what_the_study_measured_is_safe(capsys, number):
    words = [*checking(number), "--n", str(N), "--measured", f"{MEASURED_NS[number]}ns"]
    assert cli.main(words) == 0
    assert "\nSAFE: " in capsys.readouterr().out


def test_check_of_an_estimate_to_the_cycle_is_unsafe_and_ends_with_1(capsys):
    words = ["lab", "bound", "check", *CYCLE, "--n", str(N), "--measured", "14137ns"]
    assert cli.main(words) == 1
    assert "\nUNSAFE: " in capsys.readouterr().out
    assert cli.main([*words, "--json"]) == 1
    assert document(capsys)["exit_code"] == 1


@pytest.mark.parametrize(
    ("latencies", "other", "code"),
    [
        ([[14_137]], {}, 0),
        ([[14_183]], {}, 1),
        ([[14_137, None]], {}, 4),
        ([[14_183]], {"invalid_reasons": ("the clock was lost",)}, 4),
    ],
)
def test_check_of_a_kept_run_ends_by_its_verdict(capsys, run_of, tmp_path, latencies, other, code):
    kept = save(run_of(latencies, device={"N": "13"}, **other), tmp_path / "kept")
    assert cli.main([*checking(2), str(kept)]) == code
    text = capsys.readouterr().out
    assert "simulated" in text
    assert "14,182 ns, computed" in text


def test_check_takes_the_channel_and_what_of_it(capsys, run_of, tmp_path):
    run = run_of([[1000], [2000]], widths=[[14_000], [14_183]])
    kept = str(save(run, tmp_path / "kept"))
    words = [*checking(2), kept, "--n", "13", "--of", "on-width"]
    assert cli.main([*words, "--channel", "ISR"]) == 0
    assert cli.main([*words, "--channel", "TASK"]) == 1
    capsys.readouterr()
    line = errors_of(capsys, 2, words)
    assert line.startswith("plexor: --channel: is missing; this run has ISR, TASK; name one")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["lab", "bound", "eval"], "Missing argument 'MODEL'"),
        (["lab", "bound", "eval", MODEL], "Missing option '--platform'"),
        (
            ["lab", "bound", "eval", MODEL, *with_platform(1), "--n", "-1"],
            "'-1'; must be a whole number",
        ),
        (
            ["lab", "bound", "eval", MODEL, *with_platform(1), "--n", "1.5"],
            "'1.5'; must be a whole number",
        ),
        (
            ["lab", "bound", "eval", "none.toml", *with_platform(1)],
            "none.toml: cannot read: No such file",
        ),
        (
            ["lab", "bound", "eval", MODEL, "--platform", "p.txt"],
            "p.txt: must be a file that ends in",
        ),
        (
            ["lab", "bound", "eval", MODEL, "--platform", str(EXAMPLES / "memory.toml")],
            "createthread.toml:16: section 1: iram_text.read: ",
        ),
        (checking(1), "name a RUN, or the maximum with --measured; give one of them"),
        ([*checking(1), "--measured", "1us"], "--n: is missing; CreateThread takes longer with N"),
        ([*checking(1), "--measured", "1"], "'1'; must be a number with a unit"),
        ([*checking(1), "--measured", "0", "--n", "1"], "--measured: 0; must be above 0"),
        ([*checking(1), "--measured", "1us", "--of", "latency"], "--of is for a RUN; --measured"),
        ([*checking(1), "--measured", "1us", "--channel", "A"], "--channel is for a RUN"),
        ([*checking(1), "/none"], "does not exist"),
        ([*checking(1), "/none", "--of", "period"], "'period' is not one of"),
    ],
)
def test_wrong_use_is_one_line_and_ends_with_2(capsys, words, line):
    assert line in errors_of(capsys, 2, words)


def test_a_run_and_a_measured_time_are_not_both_taken(capsys, run_of, tmp_path):
    kept = str(save(run_of([[1000]]), tmp_path / "kept"))
    assert "give one of them" in errors_of(capsys, 2, [*checking(1), kept, "--measured", "1us"])


def test_a_run_without_a_response_proves_nothing(capsys, run_of, tmp_path):
    kept = str(save(run_of([[None]]), tmp_path / "kept"))
    line = errors_of(capsys, 4, [*checking(1), kept, "--n", "1"])
    assert "ISR: has no latency; nothing can be checked" in line


def test_a_scan_is_refused_as_what_it_is(folder, capsys):
    assert "; only runs can be checked" in errors_of(capsys, 2, [*checking(1), str(folder)])


def test_the_document_is_all_of_the_output(capsys):
    assert cli.main(["lab", "bound", "eval", MODEL, *with_platform(1), "--json"]) == 0
    out, err = capsys.readouterr()
    assert (json.loads(out)["model"], err) == ("CreateThread", "")


def test_a_page_of_a_check_is_written_and_a_scan_is_only_for_a_page(capsys, tmp_path):
    page = tmp_path / "bound.html"
    words = [*checking(1), "--n", str(N), "--measured", f"{MEASURED_NS[1]}ns"]
    assert cli.main([*words, "--page", str(page)]) == 0
    assert capsys.readouterr().err == f"plexor: page {page}\n"
    assert "<b>SAFE</b>" in page.read_text()
    assert "--phase is for --page" in errors_of(capsys, 2, [*words, "--phase", str(tmp_path)])
