"""`plexor report` and `plexor replay` of folders that hold a sweep, a phase or a burst scan."""

import copy
import json

import pytest

from plexor import cli
from plexor.burst import store as burst_store
from plexor.errors import StoreError
from plexor.phase import store as phase_store
from plexor.phase.model import LOST
from plexor.render.pictures.burst import burst_page
from plexor.render.pictures.phase import phase_page
from plexor.render.terminal.burst import burst_text
from plexor.render.terminal.phase import phase_text
from plexor.store.kept_json import document_of
from plexor.sweep import store as sweep_store

from ..render.test_scans import MASKS, burst_result, limit, phase_result
from ..sweeps import swept

BURST = burst_result(limit(1, 0), limit(2, 4, max_ticks=900), limit(4, 64))
PHASES = [phase_result(MASKS[mask]) for mask in MASKS]
SMALL = phase_result(MASKS["missed, then late"], step=100, left_out={LOST: 1})


@pytest.fixture(params=["sweep", "phase", "burst"])
def folder(request, tmp_path):
    kept = tmp_path / request.param
    if request.param == "sweep":
        sweep_store.save(swept({"none": 100_000}), kept)
        return kept
    kept.mkdir()
    if request.param == "phase":
        document = document_of(phase_store.SCHEMA, PHASES[0])
    else:
        document = document_of(burst_store.SCHEMA, BURST)
    (kept / f"{request.param}.json").write_text(json.dumps(document))
    return kept


NAMED = {"sweep": "sustains", "phase": "over the phase of ch1", "burst": "survives bursts of 64"}


def test_replay_prints_the_figures_again(folder, capsys):
    assert cli.main(["replay", str(folder)]) == 0
    text = capsys.readouterr().out
    assert cli.main(["replay", str(folder / f"{folder.name}.json")]) == 0
    assert capsys.readouterr().out == text
    assert NAMED[folder.name] in text


def test_replay_prints_the_document_again(folder, capsys):
    assert cli.main(["replay", str(folder), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    stored = json.loads((folder / f"{folder.name}.json").read_text())
    assert printed == stored.get("sweep", stored)


def test_report_writes_the_page_and_the_picture(folder, capsys, tmp_path):
    assert cli.main(["report", str(folder)]) == 0
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert cli.main(["report", str(folder), "--page", str(tmp_path / "p.svg")]) == 0
    assert (tmp_path / "p.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("command", ["report", "replay"])
@pytest.mark.parametrize("option", [["--base", "1us"], ["--budget", "b.toml"]])
def test_what_is_for_runs_is_refused(folder, capsys, command, option):
    assert cli.main([command, str(folder), *option]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"{option[0]} applies only to runs; this is a" in err


def test_a_picture_of_several_is_of_runs(folder, capsys, tmp_path):
    arguments = ["report", str(folder), str(folder), "--page", str(tmp_path / "p.svg")]
    assert cli.main(arguments) == 2
    assert "several runs make one picture, but one of these is a" in capsys.readouterr().err


@pytest.mark.parametrize("result", PHASES)
def test_a_phase_scan_comes_back_as_it_was(result, tmp_path):
    document = document_of(phase_store.SCHEMA, result)
    (tmp_path / phase_store.FILE).write_text(json.dumps(document))
    assert phase_store.load(tmp_path) == result


def test_a_burst_scan_comes_back_as_it_was(tmp_path):
    (tmp_path / burst_store.FILE).write_text(json.dumps(document_of(burst_store.SCHEMA, BURST)))
    assert burst_store.load(tmp_path) == BURST


def places(value, path=()):
    """Yield the place of each value in a document."""
    yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value[:1])
    if isinstance(value, dict | list):
        for name, entry in entries:
            if isinstance(entry, dict | list):
                yield from places(entry, (*path, name))
            else:
                yield (*path, name)


LIES = (-1, 0, 1 << 63, "1/0", "-7/3", "x", None, [], {}, 0.5, True)


@pytest.mark.parametrize(
    ("store", "document", "shown"),
    [
        (phase_store, document_of(phase_store.SCHEMA, SMALL), (phase_text, phase_page)),
        (burst_store, document_of(burst_store.SCHEMA, BURST), (burst_text, burst_page)),
    ],
)
def test_a_scan_that_lies_is_shown_or_refused_in_one_line(store, document, shown, tmp_path):
    said = []
    for place in list(places(document))[1:]:
        for lie in LIES:
            told = copy.deepcopy(document)
            inside = told
            for name in place[:-1]:
                inside = inside[name]
            inside[place[-1]] = lie
            (tmp_path / store.FILE).write_text(json.dumps(told))
            try:
                result = store.load(tmp_path)
            except StoreError as error:
                said.append(str(error))
                continue
            for show in shown:
                assert show(result)
    assert len(said) > 100
    assert not any("\n" in text for text in said)


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000, '{"schema": "plexor.phase/1"}'])
def test_what_is_no_scan_is_refused_in_one_line(text, capsys, tmp_path):
    (tmp_path / "phase.json").write_text(text)
    assert cli.main(["replay", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "phase.json: cannot read" in err
