# SPDX-License-Identifier: Apache-2.0
"""`plexor lab bound fit`: terms, errors, a platform's file and one line for each wrong use."""

import pytest

from plexor import cli
from plexor.base.errors import UsageError
from plexor_lab.bound import body

from ...cli.test_cli import document, errors_of
from .createthread import EXAMPLES

FIT = ["lab", "bound", "fit", str(EXAMPLES / "measured.csv")]


def test_a_fit_is_printed_with_the_plain_sum_beside_it_and_written(capsys, tmp_path):
    out = tmp_path / "sdram-bound.toml"
    words = [*FIT, "--try", str(EXAMPLES / "tried.csv"), "--platform", str(EXAMPLES / "sdram.toml")]
    assert cli.main([*words, "--to", str(out), "--bound"]) == 0
    text, err = capsys.readouterr()
    for part in ("an instruction takes at least", "not fitted", "of a plain sum"):
        assert part in text
    assert err == f"plexor: platform {out}\n"
    assert 'title = "SDRAM, bound"' in out.read_text()
    assert cli.main([*FIT, "--json"]) == 0
    assert set(document(capsys)["terms_ns"]) == {"fetch", "read", "write", "branch"}


def test_each_region_that_is_fetched_from_reaches_the_fit(capsys, monkeypatch):
    asked = []

    def fit(*_, fetched):
        asked.append(fetched)
        raise UsageError("that is all")

    monkeypatch.setattr(body, "fit_services", fit)
    assert errors_of(capsys, 2, [*FIT, "--fetch", "text", "--fetch", "rodata"])
    assert asked == [("text", "rodata")]


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (["--to", "p.toml"], "--platform and --to need each other"),
        (["--bound"], "--bound is for --to"),
        (["--model", "m.toml"], "--model is for --to"),
        (["--try", "none.csv"], "none.csv: cannot read"),
        (["--platform", str(EXAMPLES / "sram.toml"), "--to", "p.txt"], "must be a file that ends"),
    ],
)
def test_a_wrong_use_is_one_line(capsys, more, text):
    assert text in errors_of(capsys, 2, [*FIT, *more])
