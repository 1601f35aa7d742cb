# SPDX-License-Identifier: Apache-2.0
"""`plexor board prove`: what it asks, prints, writes, and how it ends."""

import json

import pytest

from plexor import cli
from plexor.library.upkeep import prove

from ...experiments.prove.proofs import JUMPER, SELFTEST, TEE, proof
from ...fake_device import FakeDevice
from ...scenario import Scenario


@pytest.fixture
def link(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with FakeDevice(Scenario([50])) as fake:
        yield fake.uri


@pytest.fixture
def steps(monkeypatch):
    """Return a function that sets the proof's steps; its `asked` tells whether wires are there."""

    def chosen(*found):
        def prove_of(bench, wanted, say):
            chosen.asked = [bench.wired(wires) is not None for wires in list(prove.StepWires)[:2]]
            return proof(*found)

        monkeypatch.setattr(prove, "prove", prove_of)

    return chosen


@pytest.mark.parametrize(("found", "code"), [((SELFTEST, JUMPER), 0), ((), 1), ((TEE,), 4)])
def test_it_prints_the_proof_and_ends_by_it(link, steps, capsys, found, code):
    steps(*found)
    assert cli.main(["board", "prove", "--link", link, "--json"]) == code
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert len(document["steps"]) == len(found or proof().steps)
    assert len(document["sha256"]) == 64
    assert "plexor: proof kept in " in err


def test_page_and_document_go_where_they_are_named(link, steps, capsys, tmp_path):
    steps(SELFTEST)
    page, out = tmp_path / "proof.html", tmp_path / "proof.json"
    assert cli.main(["board", "prove", "--link", link, "--page", str(page), "--to", str(out)]) == 0
    seal = json.loads(out.read_text())["sha256"]
    assert seal in page.read_text()
    assert seal in capsys.readouterr().out


@pytest.mark.parametrize(("answer", "there"), [("\n", True), ("s\n", False), ("", True)])
def test_on_a_terminal_wires_are_asked_for(link, steps, capsys, monkeypatch, answer, there):
    steps(SELFTEST)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("sys.stdin.readline", lambda: answer)
    cli.main(["board", "prove", "--link", link])
    assert "plexor: put a jumper from strike0 to ch0, then press Enter" in capsys.readouterr().err
    assert steps.asked == [True, there]


def test_elsewhere_nobody_is_asked(link, steps, capsys):
    steps(SELFTEST)
    cli.main(["board", "prove", "--link", link])
    assert "press Enter" not in capsys.readouterr().err
    assert steps.asked == [True, False]


def test_wires_that_are_in_place_are_not_asked_for(link, steps, capsys):
    steps(JUMPER)
    assert cli.main(["board", "prove", "--link", link, "--only", "jumper", "--wired"]) == 0
    assert steps.asked == [True, True]
    assert cli.main(["board", "prove", "--link", link, "--wired"]) == 2
    assert "--wired: name steps that need the same wires with --only" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["--wire", "far"], ["--only", "x"], ["--pps", "7"]])
def test_wrong_use_is_one_line_with_2(link, capsys, wrong):
    assert cli.main(["board", "prove", "--link", link, *wrong]) == 2
    assert wrong[1] in capsys.readouterr().err
