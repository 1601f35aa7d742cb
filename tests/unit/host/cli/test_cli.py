# SPDX-License-Identifier: Apache-2.0
"""The command line: exact parsing, exit codes, one line for an error, JSON by its schema."""

import errno
import json
import logging
import os
import subprocess
import sys

import pytest

from plexor import cli
from plexor.base.errors import LinkError
from plexor.cli.measure import take
from plexor.files.store.run_folder import save

STRIKES = ["measure", "--rate", "20k", "--count", "10"]


def errors_of(capsys, code, arguments):
    """Return the one line on standard error of a command that must fail with `code`."""
    assert cli.main(arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


def document(capsys):
    out, _ = capsys.readouterr()
    return json.loads(out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["measure", "--link", "file:x"], "say how often to strike with --rate"),
        (["show", "a\udcff"], "argument 'a\\udcff': must be Unicode text"),
        (["measure", "--rate", "20k"], "say when to stop"),
        (["measure", "--rate", "20q", "--count", "1"], "'--rate': '20q'; must be a number"),
        (["measure", "--rate", "0", "--count", "1"], "'--rate': '0'; must be a number above 0"),
        (
            ["measure", "--rate", "20k", "--count", "1.5"],
            "'--count': '1.5'; must be a whole number",
        ),
        (["measure", "--rate", "20k", "--time", "5"], "'5'; must be a number with a"),
        (["measure", "--count", "5", "--time", "1s"], "--count applies to strikes; give --rate"),
        ([*STRIKES, "--width", "1us", "--duty", "20%"], "give one"),
        ([*STRIKES, "--duty", "120%"], "'--duty': '120%'; must lie between 0 and 1"),
        ([*STRIKES, "--burst", "3"], "--burst needs --spacing"),
        (
            [*STRIKES, "--stop-on", "late"],
            "condition: 'late'; must be missed, latency>TIME, stall:",
        ),
        ([*STRIKES, "--stop-on", "latency>5"], "'5'"),
        ([*STRIKES, "--channel", "ISR=pin0"], "'--channel': 'ISR=pin0'; must be NAME=ch0"),
        ([*STRIKES, "--channel", "A=ch0", "--channel", "B=ch0"], "ch0 is given twice"),
        ([*STRIKES, "--channel", "A=ch0", "--channel", "A=ch1"], "A is given twice"),
        ([*STRIKES, "--channel", "A=ch0:after=strike9"], "reference: 'strike9'"),
        ([*STRIKES, "--channel", "A=ch0:late"], "'late' is not an option"),
        ([*STRIKES, "--start", "now"], "'--start': 'now'; must be run, gate, strike0"),
        (["measure", "--time", "1s", "--start", "gate"], "--start applies to strikes; give --rate"),
        (["measure", "--time", "1s", "--phase", "1us"], "--phase applies to strikes; give --rate"),
        (["measure", "--time", "1s", "--burst", "2"], "--burst applies to strikes; give --rate"),
        ([*STRIKES, "--start", "gate"], "--count applies to each sequence that --start begins"),
        ([*STRIKES, "--strike", "1"], "'--strike': '1'; must be an output from 0 to 7"),
        ([*STRIKES, "--strike", "9:rate=1k"], "'--strike': '9:rate=1k'; must be an output"),
        ([*STRIKES, "--strike", "1:speed=3"], "'speed=3' is not an option; must be rate=, count="),
        ([*STRIKES, "--strike", "1:rate"], "'rate' is not an option"),
        ([*STRIKES, "--strike", "1:rate=0"], "rate: '0'; must be a number above 0"),
        ([*STRIKES, "--strike", "1:width=5"], "'5'; must be a number with a unit"),
        ([*STRIKES, "--strike", "1:seed=0"], "seed: '0'; must be a whole number from 1"),
        ([*STRIKES, "--strike", "1:start=ch0"], "start: 'ch0'; must be run, gate"),
        ([*STRIKES, "--strike", "1:duty=20%"], "a duty is a part of the period; give rate="),
        ([*STRIKES, "--strike", "0:rate=1k"], "--strike 0: --rate uses this output"),
        ([*STRIKES, "--strike", "1:rate=1", "--strike", "1:rate=2"], "1 is given twice"),
        ([*STRIKES, "--strike", "1:rate=1,start=strike0"], "never stops once it has"),
        (["measure", "--strike", "1:rate=1k"], "say when to stop"),
        (
            [*STRIKES, "--columns", "1100"],
            "'--columns': '1100'; must be variance, jitter128, all, or a velocity",
        ),
        ([*STRIKES, "--columns", "varince"], "must be variance, jitter128, all, or a velocity"),
        ([*STRIKES, "--columns", "1m/s,2m/s"], "has two velocities; give one"),
        ([*STRIKES, "--velocity", "1100m/s"], "Did you mean '--columns'?"),
        ([*STRIKES, "--label", "os"], "description: 'os'; must be NAME=TEXT"),
        ([*STRIKES, "--policy", "best"], "'best' is not one of"),
        ([*STRIKES, "--budget", "no.toml"], "budget no.toml: No such file"),
        ([*STRIKES, "--wire"], "--wire keeps the bytes in the folder of --out"),
        ([*STRIKES, "--force"], "--force replaces the folder of --out"),
        ([*STRIKES, "--link", "tcp://h:1", "--dut", "bare"], "dut bare: is for sim: links"),
        ([*STRIKES, "--link", "tcp://h:1", "--fallback"], "fallback: is for sim: links"),
        ([*STRIKES, "--link", "nowhere"], "link: 'nowhere'"),
        ([*STRIKES, "--link", "file:/none"], "/none"),
        (["mesure"], "No such command 'mesure'. Did you mean 'measure'?"),
        (["show", "/none"], "does not exist"),
        (["measure", "--rate"], "requires an argument"),
        (["measure", "--rat\x1b", "1"], "No such option"),
    ],
)
def test_a_wrong_argument_is_one_clear_line(capsys, arguments, message):
    code = 3 if arguments[-1] == "file:/none" else 2
    assert message in errors_of(capsys, code, arguments)


def test_a_page_that_cannot_be_written_is_one_line(bench, capsys, tmp_path):
    bench()
    line = errors_of(capsys, 2, [*STRIKES, "--page", str(tmp_path / "no" / "page.html")])
    assert "page.html: cannot write: No such file or directory" in line


def test_a_link_that_breaks_ends_with_3(capsys, monkeypatch):
    def broken(*_, **__):
        raise LinkError("tcp://h:1: cannot connect:\n refused")

    monkeypatch.setattr(take, "take", broken)
    assert errors_of(capsys, 3, STRIKES) == "plexor: tcp://h:1: cannot connect: refused\n"


def test_an_interrupt_before_the_run_ends_with_130(capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(take, "take", interrupted)
    assert errors_of(capsys, 130, STRIKES) == "plexor: interrupted\n"


def shell(line, **environment):
    return subprocess.run(
        ["/bin/sh", "-c", line],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | {"P": f"{sys.executable} -m plexor"} | environment,
    )


@pytest.fixture
def kept(run_of, tmp_path):
    """Return the folder of a run."""
    return save(run_of([[1000, 2000, 3000] * 300]), tmp_path / "kept")


@pytest.mark.parametrize(
    ("ends", "read"),
    [("--json | head -n 1", "{\n"), pytest.param("| true", "", marks=pytest.mark.full)],
)
def test_a_reader_that_leaves_early_is_no_error(kept, ends, read):
    found = shell(f"$P show {kept} {ends}")
    assert (found.stdout, found.stderr) == (read, "")


def test_a_full_disk_is_one_line(kept):
    found = shell(f"$P show {kept} >/dev/full")
    assert found.returncode == 5
    assert found.stderr == "plexor: output: No space left on device\n"


ANSWERED_AT_ONCE = [
    [],
    *([command, "--help"] for command in cli.command_names()),
    *([*name.split(), "--help"] for name, _ in cli.every_command() if name != "board sim"),
    ["measure", "--rate", "1k"],
    ["sweep", "--from", "5k", "--to", "1k"],
    ["sweep", "--from", "1k", "--to", "5k", "--criterion", "late<1%"],
    ["burst", "--from", "9us", "--to", "1us", "--period", "1ms"],
    ["phase", "--against", "strike1", "--rate", "5k"],
    ["board", "selftest", "--jumper", "strike0=ch1", "--jumper", "strike1=ch1"],
]
ANSWER = """
import ast, sys
from plexor import cli
heavy = {"numpy", "pyarrow", "serial", "rich", "multiprocessing", "asyncio"}
for arguments in ast.literal_eval(sys.argv[1]):
    cli.main(arguments)
    print("LOADED", arguments, sorted(heavy & set(sys.modules)))
"""


def test_help_and_wrong_options_load_nothing_heavy():
    command = [sys.executable, "-c", ANSWER, repr(ANSWERED_AT_ONCE)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    loaded = [line for line in found.stdout.splitlines() if line.startswith("LOADED ")]
    assert loaded == [f"LOADED {arguments} []" for arguments in ANSWERED_AT_ONCE]


def test_what_files_warn_of_is_one_line_each_time_however_often_a_command_ran(capsys):
    assert [cli.main(["--version"]) for _ in range(3)] == [0] * 3
    capsys.readouterr()
    logging.getLogger("plexor.files.planted").warning("a.vcd: %d lines\nare left out", 3)
    out, err = capsys.readouterr()
    assert (out, err) == ("", "plexor: a.vcd: 3 lines are left out\n")


@pytest.mark.parametrize(
    ("number", "code"),
    [
        *((number, 5) for number in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)),
        (errno.EACCES, 70),
        (errno.ENOTDIR, 70),
    ],
)
def test_a_disk_that_takes_no_more_is_told_from_an_error_of_the_program(
    monkeypatch, capfd, number, code
):
    def failing(context):
        raise OSError(number, os.strerror(number), "/runs/a")

    monkeypatch.setattr(cli.plexor, "invoke", failing)
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    assert cli.main(["show", "x"]) == code
    (line,) = capfd.readouterr().err.splitlines()
    assert (f"/runs/a: {os.strerror(number)}" in line) == (code == 5)
