# SPDX-License-Identifier: Apache-2.0
"""`plexor import`: a capture as a run that every command takes; wrong ones are one line."""

import json

import pytest

from plexor import cli
from plexor.files.store.run_folder import load
from plexor.library.specs.options import POLICIES

from ..files.imports.captures import sr, vcd

PULSES = [(0, "trig", 0), (0, "irq", 0)]
for number in range(20):
    PULSES += [
        (1000 * number + 100, "trig", 1),
        (1000 * number + 140 + number, "irq", 1),
        (1000 * number + 200, "trig", 0),
        (1000 * number + 300, "irq", 0),
    ]
SIGNALS = ["--strike", "trig", "--channel", "ISR=irq:deadline=55ns"]


@pytest.fixture
def capture(tmp_path):
    return vcd(tmp_path / "cap.vcd", PULSES, end=20_500)


def test_a_capture_is_printed_and_kept(capture, capsys, tmp_path):
    out = tmp_path / "run"
    words = ["import", str(capture), *SIGNALS, "--label", "os=Zephyr", "--out", str(out)]
    assert cli.main(words) == 0
    printed, err = capsys.readouterr()
    assert printed.startswith("Zephyr\n20 strikes · 20.5 µs · imported\n")
    assert "imported from cap.vcd (VCD, edges to 1 ns): strike0 is top.trig" in printed
    assert err == f"plexor: run kept in {out}\n"
    run = load(out)
    assert run.channels[0].measurement("rise").statistics.max_ticks == 59
    assert [int(count) for count in run.channels[0].classes.values()][:3] == [16, 4, 0]


def test_every_command_takes_the_run(capture, capsys, tmp_path):
    out = str(tmp_path / "run")
    key = ["--label", "system=Zephyr"]
    assert cli.main(["import", str(capture), *SIGNALS, *key, "--out", out]) == 0
    capsys.readouterr()
    assert cli.main(["show", out, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["simulated"], found["imported"]["file"]) == (False, "cap.vcd")
    files = [tmp_path / "x.html", tmp_path / "x.svg"]
    assert cli.main(["show", out, *(word for path in files for word in ("--to", str(path)))]) == 0
    assert "imported from cap.vcd" in files[0].read_text()
    assert "imported" in (tmp_path / "x.svg").read_text()
    assert cli.main(["compare", out, out]) == 0
    capsys.readouterr()
    assert cli.main(["lab", "table", out]) == 0
    printed = capsys.readouterr().out
    assert "imported" in printed
    assert "measured" not in printed.replace("measured by others", "")
    assert cli.main(["show", out, "--to", str(tmp_path / "x.csv")]) == 0
    assert "# source: imported\n" in (tmp_path / "x.csv").read_text()


def test_without_a_channel_the_signals_are_listed_and_a_command_that_works_is_proposed(
    capture, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["import", "cap.vcd"]) == 0
    printed, err = capsys.readouterr()
    assert err == ""
    words = printed.splitlines()[-1].split()
    assert words[0] == "plexor"
    assert cli.main(words[1:]) == 0
    assert load(tmp_path / "run1").channels[0].measurement("rise").statistics.max_ticks == 59
    capsys.readouterr()
    assert cli.main(["import", "cap.vcd", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["strike"] == "top.trig"


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_can_be_chosen(capture, policy, tmp_path):
    out = tmp_path / "run"
    words = ["import", str(capture), *SIGNALS, "--policy", policy, "--window", "10ns"]
    assert cli.main([*words, "--out", str(out)]) == 0
    assert load(out).settings.policy.name.lower() == policy


def test_a_session_of_sigrok_is_taken_too(capsys, tmp_path):
    path = sr(tmp_path / "a.sr", {"D0": (0, [10, 20]), "D1": (1, [15, 30])}, 90)
    words = ["import", str(path), "--strike", "D0", "--channel", "A=D1"]
    assert cli.main([*words, "--out", str(tmp_path / "run")]) == 0
    assert "(sigrok session, edges to 1 ns)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--channel", "ISR=nosuch"], "no signal 'nosuch'; it has top.trig, top.irq"),
        (["--channel", "ISR"], "'--channel': 'ISR'; did you mean ISR=ISR?"),
        (["--channel", "ISR=irq:after=strike1"], "ISR: after=strike1; must be one of"),
        (["--channel", "A=irq", "--channel", "A=trig"], "channel: A is given twice"),
        (["--channel", "ISR=irq", "--timeout", "5"], "'5'"),
        (["--channel", "ISR=irq", "--strike", "trig:up"], "'--strike': 'trig:up'"),
        (["--strike", "trig"], "channel: none; name at least one signal"),
        (["--channel", "A=irq", "--unknown", "2"], "'2' is not one of 'cut', 'hold', '0', '1'"),
        (["--channel", "A=irq", "--threshold", "2:1"], "'2:1'; must be volts such as 1.5, or"),
        (
            ["--channel", "A=irq", "--from", "2us", "--until", "1us"],
            "until: 1 µs; must be after 2 µs",
        ),
        (
            ["--channel", "A=irq", "--from", "1s"],
            "nothing from --from to --until; it lasts",
        ),
    ],
)
def test_what_is_wrong_is_one_line_and_leaves_nothing(capture, capsys, tmp_path, words, line):
    assert cli.main(["import", str(capture), *words, "--out", str(tmp_path / "run")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert line in err
    assert not (tmp_path / "run").exists()


def test_a_run_that_is_there_is_replaced_only_if_asked(capture, capsys, tmp_path):
    words = ["import", str(capture), *SIGNALS, "--out", str(tmp_path / "run")]
    assert cli.main(words) == 0
    assert cli.main(words) == 2
    assert "already exists; --force replaces it" in capsys.readouterr().err
    assert cli.main([*words, "--force"]) == 0


@pytest.mark.parametrize("name", ["cap.sr", "cap.txt", "cap.vcd"])
def test_a_file_that_is_none_is_one_line(name, capsys, tmp_path):
    path = tmp_path / name
    path.write_bytes(b"PK\x03\x04 no such thing\n")
    words = ["import", str(path), *SIGNALS, "--out", str(tmp_path / "run")]
    assert cli.main(words) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith(f"plexor: {path}: ")
