# SPDX-License-Identifier: Apache-2.0
"""`plexor show`: the figures of what was kept, and how it ends."""

import json

import pytest

from plexor import cli
from plexor.experiments.phase.store import PHASE
from plexor.files.store.run_folder import save

from ..show.scans_to_draw import MASKS, phase_result
from .test_cli import document


@pytest.mark.parametrize(
    ("limits", "code"), [(None, 0), ('max = "3 us"', 0), ('max = "2 us"', 1), ('p99 = "1 s"', 4)]
)
def test_a_replay_of_an_interrupted_run_ends_by_its_verdict(capsys, tmp_path, run_of, limits, code):
    kept = save(run_of([[1000, 2000, 3000]], interrupted=True), tmp_path / "kept")
    budget = []
    if limits is not None:
        (tmp_path / "b.toml").write_text(f"[all]\n{limits}\n")
        budget = ["--budget", str(tmp_path / "b.toml")]
    assert cli.main(["show", str(kept), *budget]) == code
    assert "interrupted" in capsys.readouterr().out.splitlines()[1]
    assert cli.main(["show", str(kept), "--json", *budget]) == code
    found = document(capsys)
    assert (found["interrupted"], found["exit_code"]) == (True, code)
    assert cli.main(["show", str(kept), *budget]) == code


NAMED = {"sweep": "passes", "phase": "over the phase of ch1", "burst": "survives bursts of 64"}


def test_replay_prints_the_figures_again(folder, capsys):
    assert cli.main(["show", str(folder)]) == 0
    text = capsys.readouterr().out
    assert cli.main(["show", str(folder / f"{folder.name}.json")]) == 0
    assert capsys.readouterr().out == text
    assert NAMED[folder.name] in text


def test_replay_prints_the_document_again(folder, capsys):
    assert cli.main(["show", str(folder), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    stored = json.loads((folder / f"{folder.name}.json").read_text())
    del stored["sha256"]
    assert printed == stored.get("sweep", stored)


def test_a_phase_scan_that_proves_nothing_ends_with_4(capsys, tmp_path):
    scan = phase_result(MASKS["none"], invalid_reasons=("a bin is saturated",))
    (tmp_path / "phase.json").write_text(json.dumps(PHASE.of(scan)))
    assert cli.main(["show", str(tmp_path)]) == 4
    assert "a bin is saturated" in capsys.readouterr().out


def test_a_base_is_taken_off_by_the_ticks_of_the_run(capsys, tmp_path, run_of):
    kept = save(run_of([[1000, 2000]]), tmp_path / "kept")
    assert cli.main(["show", str(kept), "--base", "12.4ns", "--json"]) == 0
    found = document(capsys)  # of 1 ns
    assert (found["base_ticks"], found["channels"][0]["latency"]["min_ticks"]) == (12, 988)


def test_a_velocity_shows_how_far_something_moves(capsys, tmp_path, run_of):
    kept = save(run_of([[1000, 2000]]), tmp_path / "kept")
    assert cli.main(["show", str(kept), "--columns", "1000m/s"]) == 0
    assert "2 mm" in capsys.readouterr().out  # in 2 µs


def test_a_budget_that_cannot_be_read_is_one_line_with_its_path(capsys, tmp_path, run_of):
    kept = save(run_of([[1000]]), tmp_path / "kept")
    assert cli.main(["show", str(kept), "--budget", "no.toml"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "no.toml" in err
