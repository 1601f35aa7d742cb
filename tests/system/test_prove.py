# SPDX-License-Identifier: Apache-2.0
"""`plexor board prove` on simulated boards: planted pads are found within their errors, and each
planted defect is named by the step that must name it.
"""

import json
from pathlib import Path

import pytest

from plexor import cli
from plexor.experiments.prove.run import STEPS

BOARD = "sim:?board=icebreaker&build=counts"
"""It sends no events."""
EVENTS = "sim:?board=icebreaker"
"""It sends events alone."""
WHOLE = "sim:?board=ulx3s-25f&core=twin"
"""It has two strike outputs, a timecode and a code port."""
PADS = "input_ps.0=3000,input_ps.1=4200,output_ps.0=2000,loop_ps.0=5000,loop_ps.1=4000"
"""Ways over pads, and loops that are longer."""
JUMPER_PS, LONGER_PS = 300, 5000
"""Delays of a simulated jumper and of what the longer wire has more."""


def proof_of(capsys, link, *options):
    """Return exit code, steps by name, and what went to standard error."""
    code = cli.main(["board", "prove", "--link", link, "--edges", "1k", "--json", *options])
    out, err = capsys.readouterr()
    found = {step["name"]: step for step in json.loads(out)["steps"]}
    return code, found, err


def figure(step, name):
    (found,) = (entry for entry in step["figures"] if entry["name"] == name)
    return found


def assert_near(entry, truth):
    """Assert that the truth is within a figure's error, which is not absurd."""
    assert abs(entry["value"] - truth) <= entry["error"] < 6000, (entry, truth)


@pytest.mark.parametrize("link", [BOARD, EVENTS])
def test_planted_pads_and_wires_are_proven_within_their_errors(link, capsys, tmp_path):
    page = tmp_path / "proof.html"
    code, steps, err = proof_of(
        capsys, f"{link}&front-end={PADS}", "--wire", "1m", "--pps", "ch1=10M", "--page", str(page)
    )
    findings = {name: step["findings"] for name, step in steps.items() if step["findings"]}
    assert (code, findings) == (0, {})
    # These boards have one strike output, and no code port.
    others = {"strikes", "codes"}
    assert {name for name, step in steps.items() if step["outcome"] != "proven"} == others
    assert steps["strikes"]["summary"] == "the board has one strike output, which the jumper proves"
    assert steps["codes"]["summary"] == "the board has no code port with a timecode"
    assert list(steps) == list(STEPS)
    for edge in ("edge up", "edge down"):
        # The instants' mean is not known to a calibration: it is a part of what the jumper shows.
        assert_near(figure(steps["jumper"], edge), 2000 + 3000 + JUMPER_PS)
        assert_near(figure(steps["wire"], edge), LONGER_PS)
    for way in ("up", "down"):
        assert_near(figure(steps["tee"], f"ch1 less ch0, {way}"), 1200)
    assert_near(figure(steps["pps"], "the oscillator is fast by"), 0)
    assert "simulated" in page.read_text()
    assert "kept in" not in err


STUCK, DEAD = "stuck.1=0", "dead.0=2"
WIDE = "rise.0=0:0:1600:0"
"""At ticks of 2604 ps: a bin of 4204 ps, more than the sheet allows behind a rising edge."""


@pytest.mark.parametrize(
    ("step", "front_end", "more", "says"),
    [
        pytest.param(
            *("selftest", STUCK, (), "ch1: stuck: sees no strike of any output"),
            id="stuck channel",
            marks=pytest.mark.full,
        ),
        pytest.param(
            *("selftest", DEAD, (), "ch0: phase 2 is dead: always low"),
            id="dead flip-flop",
            marks=pytest.mark.full,
        ),
        pytest.param(
            *("bins", WIDE, ("--edges", "4k"), "ch0, edges up: the bin of phase 2 is 4"),
            id="bin beyond the sheet",
            marks=pytest.mark.full,
        ),
        pytest.param("jumper", "input_ps.0=60000", (), "edge up: ", id="a pad of 60 ns"),
        pytest.param(
            *("jumper", "swap=0:1", (), "edge up: "), id="swapped pins", marks=pytest.mark.full
        ),
        pytest.param(
            *("wire", "", ("--wire", "5m"), "edge up: "), id="a wire that is not as long as told"
        ),
        pytest.param(
            *("tee", "input_ps.1=14000", (), "ch1 less ch0, up: "),
            id="skew of 14 ns",
            marks=pytest.mark.full,
        ),
        pytest.param("tee", STUCK, (), "ch1: its pin sees 0 edges up", id="stuck pin"),
    ],
)
def test_each_planted_defect_is_named_by_its_step(step, front_end, more, says, capsys):
    link = f"{BOARD}&front-end={front_end}" if front_end else BOARD
    first = ("--only", "jumper") if step == "wire" else ()
    code, steps, _ = proof_of(capsys, link, "--only", step, *first, *more)
    assert code == 1
    assert [name for name, entry in steps.items() if entry["outcome"] == "failed"] == [step]
    assert any(text.startswith(says) for text in steps[step]["findings"]), steps[step]["findings"]


def test_every_strike_output_and_each_pin_of_codes_is_proven(capsys):
    pads = "output_ps.0=2000,output_ps.1=4500,input_ps.0=3000,input_ps.1=1000"
    only = ("--only", "strikes", "--only", "codes")
    code, steps, _ = proof_of(capsys, f"{WHOLE}&front-end={pads}", *only)
    assert code == 0
    for edge in ("up", "down"):
        assert_near(figure(steps["strikes"], f"strike0 to ch0, {edge}"), 2000 + 3000 + JUMPER_PS)
        assert_near(figure(steps["strikes"], f"strike1 to ch1, {edge}"), 4500 + 1000 + JUMPER_PS)
    assert figure(steps["codes"], "codes")["value"] == 256
    assert figure(steps["codes"], "torn codes")["value"] == 0


@pytest.mark.parametrize(
    ("step", "front_end", "says"),
    [
        ("strikes", "output_ps.1=60000", ["strike1 to ch1, up: ", "strike1 to ch1, down: "]),
        pytest.param(
            *("strikes", STUCK),
            ["strike1: ch1: its pin sees 0 edges up", "strike1: ch1: its pin sees"],
            marks=pytest.mark.full,
        ),
        (
            *("codes", "ribbon=0:1:2:3:4:5:7:6"),
            [
                "code pin 6: shows pin 7 of the timecode",
                "code pin 7: shows pin 6 of the timecode",
            ],
        ),
        pytest.param(
            *("codes", "ribbon=0:1:-1:3:4:5:6:7"),
            # Bit n of a Gray code moves in one of 2^(n + 1) steps.
            ["codes: 224; must be at least 256", "code pin 2: always low; is its wire there?"],
            marks=pytest.mark.full,
        ),
        pytest.param(
            *("codes", "ribbon=0:1:2:4:4:5:6:7"),
            ["codes: 240; must be", "code pin 3: shows pin 4 of the timecode"],
            marks=pytest.mark.full,
        ),
        pytest.param(
            *("codes", "ribbon=-1:-1:-1:-1:-1:-1:-1:-1"),
            ["codes: 0; must be", "no code comes in 256 steps; are the wires there?"],
            marks=pytest.mark.full,
        ),
    ],
)
def test_a_defect_of_a_strike_output_or_a_code_pin_is_named(step, front_end, says, capsys):
    code, steps, _ = proof_of(capsys, f"{WHOLE}&front-end={front_end}", "--only", step)
    found = steps[step]["findings"]
    assert code == 1
    assert len(found) == len(says)
    assert all(any(text.startswith(start) for text in found) for start in says), found


@pytest.mark.full
def test_a_link_that_damages_bytes_is_named_by_the_soak(capsys):
    code, steps, _ = proof_of(capsys, f"{BOARD}&corrupt=0.00005,1", "--only", "soak")
    assert code == 1
    assert any("link: loses data: " in text for text in steps["soak"]["findings"])


def test_a_clock_that_is_off_is_named_by_its_reference(capsys):
    # 9.9 MHz where 10 MHz are said to be.
    link = f"sim:synthetic:ch1.tick=101ns,ch1.width=50ns?{BOARD.partition('?')[2]}"
    code, steps, _ = proof_of(capsys, link, "--only", "pps", "--pps", "ch1=10M")
    assert code == 1
    (text,) = steps["pps"]["findings"]
    assert "ppm fast; must be within 500: that is another rate" in text


def test_the_page_of_the_manual_is_of_today(capsys):
    """The steps that the page of the first hour names are those that there are."""
    page = Path(__file__).parents[2] / "docs" / "do" / "prove.md"
    rows = [
        line.split("|")[1].strip(" `") for line in page.read_text().splitlines() if "| `" in line
    ]
    assert rows[: len(STEPS)] == list(STEPS)
