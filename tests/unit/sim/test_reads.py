# SPDX-License-Identifier: Apache-2.0
"""What a design reads is followed: a changed file builds anew, and makes another design."""

from __future__ import annotations

from pathlib import Path

import pytest

from plexor.experiments.store import question_of
from plexor_sim.build import device_verilation, verilate
from plexor_sim.design.manifest import load
from plexor_sim.design.verilog import verilog_device
from plexor_sim.packages import default_cache
from plexor_sim.reads import files_of

from .verilog_player import play_design

DESIGN = r"""
`timescale 1ns/1ps
module answer(input d, output q);
`include "delay.odd"
  reg [7:0] rom [0:0];
  wire [7:0] more;
  initial $readmemh("images/more.hex", rom);
  found f(rom[0], more);
  reg r = 0;
  always @(d) r <= #(FIRST + more) d;
  assign q = r;
endmodule
"""
FOUND = "module found(input [7:0] a, output [7:0] b); assign b = a; endmodule"
MANIFEST = """
sources = ["answer.v"]
top = "answer"
include = ["first", "second"]
[ports]
strikes = ["d"]
responses = ["q"]
"""


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    for name, text in {
        "answer.toml": MANIFEST,
        "answer.v": DESIGN,
        "first/unused.vh": "",
        "second/delay.odd": "localparam FIRST = 10;",
        "second/found.v": FOUND,
        "images/more.hex": "5",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path / "answer.toml"


def test_every_file_that_a_design_reads_is_in_the_question_of_a_sweep(manifest: Path) -> None:
    folder = manifest.parent.resolve()
    paths = [path.resolve() for path in files_of(str(manifest), default_cache())]
    names = {str(path.relative_to(folder)) for path in paths if path.is_relative_to(folder)}
    assert names == {"answer.v", "second/delay.odd", "second/found.v", "images/more.hex"}
    questions = [question_of("sweep", 1, [f"{manifest}:delay=0"]) for _ in range(2)]
    assert questions[0] == questions[1]
    for name, text in {"images/more.hex": "7", "second/delay.odd": "localparam FIRST = 9;"}.items():
        (folder / name).write_text(text)
        questions.append(question_of("sweep", 1, [f"{manifest}:delay=0"]))
    assert len(set(questions)) == 3


def test_an_image_is_read_relative_to_the_manifest_and_a_missing_one_is_an_error(
    manifest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    ((rise, _, _), *_) = play_design(manifest, [(1000, 1)], 200_000).edges
    assert rise == 1000 + (10 + 5) * 1000
    (manifest.parent / "images" / "more.hex").unlink()
    played = play_design(manifest, [(1000, 1)], 200_000)
    assert (played.code, played.edges) == (3, [])
    assert "images/more.hex: $readmemh or $readmemb cannot read it: No such file" in played.said


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("second/delay.odd", "localparam FIRST = 20;"),
        ("second/found.v", FOUND.replace("b = a", "b = a + 1")),
        # This one is searched before the one that was read.
        ("first/delay.odd", "localparam FIRST = 30;"),
        ("answer.v", DESIGN.replace("= #", "= # ")),
    ],
)
def test_a_changed_or_nearer_file_of_any_suffix_is_verilated_anew(
    manifest: Path, name: str, text: str
) -> None:
    def verilated() -> Path:
        device = verilog_device(load(manifest), default_cache())
        return verilate(device_verilation(device), default_cache())

    before = verilated()
    assert verilated() == before
    was = (manifest.parent / name).read_text() if (manifest.parent / name).exists() else None
    (manifest.parent / name).write_text(text)
    assert verilated() != before
    if was is not None:
        (manifest.parent / name).write_text(was)
        assert verilated() == before
