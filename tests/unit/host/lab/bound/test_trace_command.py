# SPDX-License-Identifier: Apache-2.0
"""`plexor lab bound trace`: rows, files and one line for each wrong use."""

import pytest

from plexor import cli

from ...cli.test_cli import document, errors_of
from .buses import call, walk, written


@pytest.fixture
def log(tmp_path):
    return str(written(tmp_path, [record for n in (1, 3) for record in call(n, walk(n))]))


def test_a_trace_is_printed_and_written(capsys, tmp_path, log):
    out, places = tmp_path / "m.toml", tmp_path / "s.csv"
    words = ["lab", "bound", "trace", log, "--title", "walk"]
    assert cli.main([*words, "--to", str(out), "--map", str(places)]) == 0
    text, err = capsys.readouterr()
    assert text.startswith("walk\ncounted in 2 calls on a simulated bus, 0 of them with an")
    assert "each call without an interrupt has exactly these accesses" in text
    assert err == f"plexor: model {out}\nplexor: map {places}\n"
    assert 'repetition = "N"' in out.read_text()
    assert places.read_text() == "logical,region\nbss32,bss\nheap32,heap\nregisters32,registers\n"
    assert cli.main([*words[:4], "--json"]) == 0
    assert document(capsys)["calls"] == 2


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (["--to", "m.txt"], "m.txt: must be a file that ends in .toml or .csv"),
        (["--pin", "8"], "'8'; must be a whole number from 0 to 7"),
        (["--interrupts", "1"], "no interrupt came into any of 2 calls"),
        (["--elf", "none"], "none: cannot read"),
    ],
)
def test_a_wrong_use_is_one_line(capsys, log, more, text):
    assert text in errors_of(capsys, 2, ["lab", "bound", "trace", log, *more])
