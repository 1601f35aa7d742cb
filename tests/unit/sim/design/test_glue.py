# SPDX-License-Identifier: Apache-2.0
"""The C++ that names pins: what each line of a manifest becomes."""

from __future__ import annotations

from pathlib import Path

import pytest

from plexor_sim.design.glue import glue
from plexor_sim.design.manifest import load

MANIFEST = """
sources = ["top.v"]
top = "top"
[[clock]]
port = "a"
period_ps = 1000
[[clock]]
port = "b"
period_ps = 1500
[reset]
port = "r_n"
active = "low"
clock = "b"
early_cycles = 3
synchronous = true
[ports]
strikes = ["s", "t__u[2]"]
idle_high = ["t__u[2]"]
responses = ["q[70]", "p"]
[constants]
w = 0x1_2345_6789_ABCD_EF01
[random]
noise = "b"
"""
PORTS = {"w": ("in", 70), "noise": ("in", 12)}


@pytest.fixture
def text(tmp_path: Path) -> str:
    (tmp_path / "top.v").touch()
    (tmp_path / "top.toml").write_text(MANIFEST)
    return glue(load(tmp_path / "top.toml"), PORTS, draws=False, timed=True)


@pytest.mark.parametrize(
    "part",
    [
        'kClocks{{{"a", false}, {"b", true}}};',
        'kResets{{{"r_n", 1, 3, true}}};',
        "kIdleHigh = 2;",
        "kDraws = true;",
        "set_bit(top.t___05Fu, 2, mask >> 1 & 1);",
        "top.w.at(0) = 2882400001u; top.w.at(1) = 591751049u; top.w.at(2) = 1u;",
        "if (number == 1) { draw_bits(top.noise, 12, random); }",
        "if (number == 0) { set_bit(top.r_n, 0, !active); }",
        "get_bit(top.q, 70) << 0 | get_bit(top.p, 0) << 1;",
    ],
)
def test_a_line_of_the_manifest_is_a_line_of_the_glue(text: str, part: str) -> None:
    assert part in text
