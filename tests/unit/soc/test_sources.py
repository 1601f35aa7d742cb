# SPDX-License-Identifier: Apache-2.0
"""The sources of a LiteX system: the same each time they are written."""

from dataclasses import replace
from subprocess import CalledProcessError

import pytest

from plexor_soc.boards import BOARDS
from plexor_soc.sources import generate, without_comments, without_places

TOOLS_OWN = ("build_top.sh", "top.ys")
"""Scripts of LiteX' own flow, which name the folder; no build runs them."""


def test_verilog_loses_its_comments_and_keeps_its_strings():
    text = (
        "// Date: Fri Nov 27 22:41:17 2026\n"
        "/* a\n   b */\n"
        "\n"
        'defparam rom.FILE = "http://there/*"; // where from\n'
        'defparam rom.SAYS = "a \\" // b";\n'
        "assign a = b / c;\n"
    )
    assert [line.rstrip() for line in without_comments(text).splitlines()] == [
        'defparam rom.FILE = "http://there/*";',
        'defparam rom.SAYS = "a \\" // b";',
        "assign a = b / c;",
    ]


def test_rtlil_does_not_name_the_files_that_it_was_made_from():
    before, after = "module \\top\n", "  attribute \\keep 1\n  wire \\src 1\nend\n"
    place = '  attribute \\src "/here/a.py:1"\n'
    assert without_places(before + place + after) == before + after


@pytest.mark.full
def test_the_sources_are_the_same_after_another_system_and_whatever_pythons_hashes(
    monkeypatch, tmp_path
):
    i5, other = (replace(BOARDS[name], deep=True) for name in ("colorlight-i5", "ulx3s-25f"))
    written = []
    for number, system in enumerate((i5, other, i5)):
        monkeypatch.setenv("PYTHONHASHSEED", str(number))
        folder = tmp_path / str(number)
        generate(system, folder, (5, 6))
        at = folder / "gateware"
        written.append(
            {path.name: path.read_bytes() for path in at.iterdir() if path.name not in TOOLS_OWN}
        )
    assert written[0].keys() >= {"top.v", "top.lpf", "plexor_core.il", "plexor_front.v", "read.ys"}
    assert written[0] == written[2] != written[1]


def test_what_litex_fails_at_is_told(tmp_path):
    with pytest.raises(CalledProcessError) as failed:
        generate(replace(BOARDS["ulx3s-25f"], name="ulx4s"), tmp_path, (1, 2))
    assert "KeyError: 'ulx4s'" in failed.value.stderr
