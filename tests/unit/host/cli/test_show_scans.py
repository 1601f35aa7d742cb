# SPDX-License-Identifier: Apache-2.0
"""Kept scans: what is refused for them, and files that lie."""

import copy
import json
from functools import partial

import pytest

from plexor import cli
from plexor.base.errors import StoreError
from plexor.experiments.burst.store import BURST as BURSTS
from plexor.experiments.phase.model import LOST
from plexor.experiments.phase.store import PHASE
from plexor.show.pictures.burst import burst_page
from plexor.show.pictures.phase import phase_page
from plexor.show.terminal.burst import burst_text
from plexor.show.terminal.phase import phase_text
from plexor_lab.mixed.figures import figures
from plexor_lab.mixed.store import MIXED as SCHEDULES
from plexor_lab.mixed.text import mixed_text

from ..kept_scans import BURST
from ..lab.mixed.test_store import RESULT as MIXED
from ..show.scans_to_draw import MASKS, phase_result

SMALL = phase_result(MASKS["missed, then late"], step=100, left_out={LOST: 1})


@pytest.mark.parametrize("option", [["--base", "1us"], ["--budget", "b.toml"]])
def test_what_is_for_runs_is_refused(folder, capsys, option):
    assert cli.main(["show", str(folder), *option]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"{option[0]} applies only to runs; this is a" in err


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


def texts(*texts_of):
    """Return what writes a text for a terminal of usual width."""
    return tuple(partial(text_of, width=100, colour=False) for text_of in texts_of)


LIES = (-1, 0, 1 << 63, "1/0", "-7/3", "x", None, [], {}, 0.5, True)


@pytest.mark.parametrize(
    ("kind", "document", "shown"),
    [
        (PHASE, PHASE.of(SMALL), (*texts(phase_text), phase_page)),
        (BURSTS, BURSTS.of(BURST), (*texts(burst_text), burst_page)),
        (SCHEDULES, SCHEDULES.of(MIXED), (*texts(mixed_text), figures)),
    ],
)
def test_a_scan_that_lies_is_shown_or_refused_in_one_line(kind, document, shown, tmp_path):
    said = []
    for place in list(places(document))[1:]:
        for lie in LIES:
            told = copy.deepcopy(document)
            inside = told
            for name in place[:-1]:
                inside = inside[name]
            inside[place[-1]] = lie
            (tmp_path / "kept.json").write_text(json.dumps(told))
            try:
                result = kind.read(tmp_path / "kept.json")
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
    assert cli.main(["show", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "phase.json: cannot read" in err


def test_a_schedule_is_printed_again_and_has_no_page(capsys, tmp_path):
    text = json.dumps(SCHEDULES.of(MIXED))
    (tmp_path / "mixed.json").write_text(text)
    assert cli.main(["show", str(tmp_path)]) == 1
    assert "least safe" not in capsys.readouterr().out
    assert cli.main(["show", str(tmp_path), "--to", str(tmp_path / "x.html")]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "holds a schedule, which has no page; plexor show prints it" in err
