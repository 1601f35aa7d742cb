# SPDX-License-Identifier: Apache-2.0
"""Each command on a board of each profile: it works, or one line says what that board lacks.

What a board has is read of its profile, as docs/features.md is; the simulator has no more.
"""

from __future__ import annotations

import pytest

from plexor import cli
from plexor.base.errors import ExitCode
from plexor.protocol.geometry import Feature
from plexor.wire.device.features import ABOUT
from plexor_hdl.build import boards

BOARDS = ("ulx3s-25f", "hx8k-evn", "icebreaker")
DUT = "synthetic:latency=2us"
STRUCK = "measure --rate 20k --count 200 --channel A=ch0"
SWEPT = "sweep --from 10k --to 40k --points 2 --resolution 50% --channel A=ch0"
COMMANDS = {
    "board identify": (Feature(0), 1),
    "board selftest": (Feature(0), 1),
    "board calibrate --edges 1k --to cal.json": (Feature(0), 1),
    STRUCK: (Feature(0), 1),
    f"{STRUCK} --mode dump": (Feature(0), 1),
    f"{STRUCK} --mode stream": (Feature.EVENTS, 1),
    f"{STRUCK} --load on --policy latest --deadline 3us --phase 1us": (Feature(0), 1),
    f"{STRUCK} --dither 1024ns": (Feature.DITHER, 1),
    f"{STRUCK} --poisson": (Feature.POISSON, 1),
    f"{STRUCK} --burst 4 --spacing 1us": (Feature.BURST, 1),
    f"{STRUCK} --early 1us": (Feature.EARLY, 1),
    f"{STRUCK}:filter=5ns": (Feature.FILTER, 1),
    f"{STRUCK} --strike 1:rate=10k": (Feature(0), 2),
    SWEPT: (Feature(0), 1),
    f"{SWEPT} --both-ways": (Feature.SWEEP, 1),
    "phase --against strike1 --period 20us --points 4 --rate 10k": (Feature.EVENTS, 2),
    "phase --against ch0 --span 20us --step 5us --rate 10k": (Feature.EVENTS | Feature.DITHER, 1),
    "lab mixed --mode normal --count 2 --period 200us": (Feature.SCHEDULE, 1),
    "burst --from 2us --to 4us --points 2 --most 4 --period 200us": (Feature.BURST, 1),
}
"""What each needs of an instrument: features, and strike outputs."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = cli.main(list(arguments))
    return code, *capsys.readouterr()


def on(board: str, command: str) -> list[str]:
    """Return a command's words with the board's link, where there is a device with that too."""
    name, *options = command.split()
    group = [name] if name in ("board", "lab") else []
    if group:
        name, *options = options
    dut = ["--dut", DUT] if name in ("measure", "sweep", "phase", "burst", "mixed") else []
    return [*group, name, "--link", f"sim:?board={board}", *dut, *options]


@pytest.mark.full
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("board", BOARDS)
def test_a_command_works_or_one_line_says_why_not(board, command, capsys, folder):
    geometry = boards.read(board).geometry
    needs, strikes = COMMANDS[command]
    lacks = needs & ~geometry.features
    code, out, err = run(capsys, *on(board, command))
    if not lacks and strikes <= geometry.strikes:
        assert code == 0, err
        assert out
        return
    assert (code, out) == (ExitCode.USAGE, "")
    assert err.count("\n") == 1
    lines = [
        f"was built without {one.name}, {ABOUT[one].name}; " for one in Feature if one in lacks
    ]
    if strikes > geometry.strikes:
        lines.append("this instrument has strike0 alone")
    assert any(text in err for text in lines), err


@pytest.mark.full
@pytest.mark.parametrize("board", BOARDS)
def test_what_is_kept_of_a_board_is_replayed_compared_and_shown(board, capsys, folder):
    for name in ("one", "two"):
        code, _, err = run(capsys, *on(board, f"{STRUCK} --out {name}"))
        assert code == 0, err
    swept = on(board, f"{SWEPT} --out swept")
    commands = ("replay one", "compare one two", "report one --page one.html", "table swept")
    for words in (swept, *map(str.split, commands)):
        code, out, err = run(capsys, *words)
        assert code == 0, err
        assert out or "one.html" in words
