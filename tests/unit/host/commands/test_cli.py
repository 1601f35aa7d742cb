"""The command line: exact parsing, exit codes, one line for an error, JSON by its schema."""

import errno
import json
import os
import subprocess
import sys
from fractions import Fraction

import pytest

from plexor import cli
from plexor.commands.measure import take
from plexor.commands.parameters import parse_channel, parse_duty, parse_stop
from plexor.errors import LinkError
from plexor.protocol.registers import Policy, Stream
from plexor.store.run_folder import save

from ..fake_device import FakeDevice
from ..scenario import Scenario

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
    ("limits", "code"),
    [
        ('max = "3 us"', 0),
        ('max = "2999 ns"', 1),
        ('p99 = "1 s"', 4),
        ('p99 = "1 s"\nmissed = 0\nmax = "1 ns"', 1),
    ],
)
def test_exit_codes_tell_the_verdict(bench, capsys, tmp_path, limits, code):
    bench()
    (tmp_path / "b.toml").write_text(f"[all]\n{limits}\n")
    assert cli.main([*STRIKES, "--json", "--budget", str(tmp_path / "b.toml")]) == code
    assert document(capsys)["exit_code"] == code


def test_an_invalid_run_outweighs_its_budget(bench, capsys, run_of):
    bench(run_of([[10**6]], invalid_reasons=("a bin is saturated",)))
    assert cli.main([*STRIKES, "--budget", "omac"]) == 4
    assert "INVALID RUN: a bin is saturated" in capsys.readouterr().out


def test_an_interrupted_run_is_shown_and_ends_with_130(bench, capsys, run_of):
    bench(run_of([[1000]], interrupted=True))
    assert cli.main([*STRIKES, "--json"]) == 130
    assert document(capsys)["interrupted"] is True


@pytest.mark.parametrize(
    ("limits", "code"), [(None, 0), ('max = "3 us"', 0), ('max = "2 us"', 1), ('p99 = "1 s"', 4)]
)
def test_a_replay_of_an_interrupted_run_ends_by_its_verdict(capsys, tmp_path, run_of, limits, code):
    kept = save(run_of([[1000, 2000, 3000]], interrupted=True), tmp_path / "kept")
    budget = []
    if limits is not None:
        (tmp_path / "b.toml").write_text(f"[all]\n{limits}\n")
        budget = ["--budget", str(tmp_path / "b.toml")]
    assert cli.main(["replay", str(kept), *budget]) == code
    assert "interrupted" in capsys.readouterr().out.splitlines()[1]
    assert cli.main(["replay", str(kept), "--json", *budget]) == code
    found = document(capsys)
    assert (found["interrupted"], found["exit_code"]) == (True, code)
    assert cli.main(["report", str(kept), *budget]) == code


@pytest.mark.parametrize(
    ("limit", "code", "words"),
    [
        ("3 us", 0, "PASS: within budget b"),
        ("2 us", 1, "FAIL: 1 of 1 checks of budget b broken"),
    ],
)
def test_a_report_by_a_budget_prints_the_verdict(capsys, tmp_path, run_of, limit, code, words):
    kept = save(run_of([[1000, 2000, 3000]]), tmp_path / "kept")
    (tmp_path / "b.toml").write_text(f'[all]\nmax = "{limit}"\n')
    assert cli.main(["report", str(kept), "--budget", str(tmp_path / "b.toml")]) == code
    assert capsys.readouterr().out.splitlines()[-1] == words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["measure"], "say how often to strike with --rate"),
        (["measure", "--rate", "20k"], "say when to stop"),
        (["measure", "--rate", "20q", "--count", "1"], "rate: '20q'; must be a number"),
        (["measure", "--rate", "0", "--count", "1"], "rate: '0'; must be a number above 0"),
        (["measure", "--rate", "20k", "--count", "1.5"], "count: '1.5'; must be a whole number"),
        (["measure", "--rate", "20k", "--time", "5"], "duration: '5'; must be a number with a"),
        (["measure", "--count", "5", "--time", "1s"], "--count applies to strikes; give --rate"),
        ([*STRIKES, "--width", "1us", "--duty", "20%"], "give one"),
        ([*STRIKES, "--duty", "120%"], "duty: '120%'; must lie between 0 and 1"),
        ([*STRIKES, "--burst", "3"], "--burst needs --spacing"),
        ([*STRIKES, "--stop-on", "late"], "condition: 'late'; must be missed or latency>TIME"),
        ([*STRIKES, "--stop-on", "latency>5"], "duration: '5'"),
        ([*STRIKES, "--channel", "ISR=pin0"], "channel: 'ISR=pin0'; must be NAME=ch0"),
        ([*STRIKES, "--channel", "A=ch0", "--channel", "B=ch0"], "ch0 is given twice"),
        ([*STRIKES, "--channel", "A=ch0", "--channel", "A=ch1"], "A is given twice"),
        ([*STRIKES, "--channel", "A=ch0:after=strike9"], "reference: 'strike9'"),
        ([*STRIKES, "--channel", "A=ch0:late"], "'late' is not an option"),
        ([*STRIKES, "--start", "now"], "start: 'now'; must be run, gate or strike0"),
        (["measure", "--time", "1s", "--start", "gate"], "--start applies to strikes; give --rate"),
        (["measure", "--time", "1s", "--phase", "1us"], "--phase applies to strikes; give --rate"),
        (["measure", "--time", "1s", "--burst", "2"], "--burst applies to strikes; give --rate"),
        ([*STRIKES, "--start", "gate"], "--count applies to each sequence that --start begins"),
        ([*STRIKES, "--strike", "1"], "strike: '1'; must be an output from 0 to 7"),
        ([*STRIKES, "--strike", "9:rate=1k"], "strike: '9:rate=1k'; must be an output"),
        ([*STRIKES, "--strike", "1:speed=3"], "'speed=3' is not an option; must be rate=, count="),
        ([*STRIKES, "--strike", "1:rate"], "'rate' is not an option"),
        ([*STRIKES, "--strike", "1:rate=0"], "rate: '0'; must be a number above 0"),
        ([*STRIKES, "--strike", "1:width=5"], "duration: '5'; must be a number with a unit"),
        ([*STRIKES, "--strike", "1:seed=0"], "seed: '0'; must be a whole number from 1"),
        ([*STRIKES, "--strike", "1:start=ch0"], "start: 'ch0'; must be run, gate"),
        ([*STRIKES, "--strike", "1:duty=20%"], "a duty is a part of the period; give rate="),
        ([*STRIKES, "--strike", "0:rate=1k"], "--strike 0: --rate uses this output"),
        ([*STRIKES, "--strike", "1:rate=1", "--strike", "1:rate=2"], "1 is given twice"),
        ([*STRIKES, "--strike", "1:rate=1,start=strike0"], "never stops striking once it has"),
        (["measure", "--strike", "1:rate=1k"], "say when to stop"),
        (
            [*STRIKES, "--velocity", "1100"],
            "velocity: '1100'; must be a number above 0 with a unit",
        ),
        ([*STRIKES, "--preset", "ce"], "'ce' is not 'cots5k'"),
        ([*STRIKES, "--preset", "cots5k", "--width", "1", "--duty", "1"], "duration: '1'"),
        ([*STRIKES, "--key", "os"], "description: 'os'; must be NAME=TEXT"),
        ([*STRIKES, "--policy", "best"], "'best' is not one of"),
        ([*STRIKES, "--budget", "no.toml"], "budget no.toml: No such file"),
        ([*STRIKES, "--wire"], "--wire keeps the bytes in the folder of --out"),
        ([*STRIKES, "--force"], "--force replaces the folder of --out"),
        ([*STRIKES, "--link", "tcp://h:1", "--dut", "bare"], "--dut bare is for --link sim:"),
        ([*STRIKES, "--link", "tcp://h:1", "--fallback"], "--fallback is for --link sim:"),
        ([*STRIKES, "--link", "nowhere"], "link: 'nowhere'"),
        ([*STRIKES, "--link", "file:/none"], "/none"),
        (["mesure"], "No such command 'mesure'"),
        (["replay", "/none"], "does not exist"),
        (["report", "/none"], "does not exist"),
        (["measure", "--rate"], "requires an argument"),
        (["measure", "--rat\x1b", "1"], "No such option"),
    ],
)
def test_a_wrong_argument_is_one_clear_line(capsys, arguments, message):
    code = 3 if arguments[-1] == "file:/none" else 2
    assert message in errors_of(capsys, code, arguments)


def test_settings_are_exact_and_complete(bench):
    asked = bench()
    arguments = (
        "measure --rate 3 --time 1.5ms --duty 20% --phase 7ns --dither 1us --burst 3 --spacing 2us "
        "--seed 9 --active-low --policy latest --timeout 3ms --deadline 50us --early 1us --load "
        "--mode dump --stop-on latency>40us --stop-on latency>60us --stop-on missed "
        "--channel ISR=ch2:invert,filter=20ns --channel TASK=ch1:after=ch2.fall,deadline=2us"
    )
    assert cli.main(arguments.split()) == 0
    settings = asked["settings"]
    strike = settings.strikes[0]
    assert strike.period_s == Fraction(1, 3)
    assert (strike.duty, strike.phase_s) == (Fraction(1, 5), Fraction(7, 10**9))
    assert (strike.burst, strike.spacing_s, strike.seed) == (3, Fraction(2, 10**6), 9)
    assert (strike.dither_s, strike.invert) == (Fraction(1, 10**6), True)
    assert settings.time_s == Fraction(3, 2000)
    assert settings.policy is Policy.LATEST
    assert settings.latency_over_s == Fraction(40, 10**6)
    assert settings.stop_on_missed
    assert settings.load
    assert settings.stream == Stream.OFF
    isr, task = settings.channels
    assert (isr.number, isr.invert, isr.filter_s) == (2, True, Fraction(20, 10**9))
    assert (isr.deadline_s, task.deadline_s) == (Fraction(50, 10**6), Fraction(2, 10**6))
    assert task.reference == "ch2.fall"


@pytest.mark.parametrize(
    ("mode", "stream"), [("stream", Stream.LIVE), ("dump", Stream.OFF), ("deep", Stream.AFTER)]
)
def test_a_mode_says_when_events_are_sent(bench, mode, stream):
    asked = bench()
    assert cli.main([*STRIKES, "--mode", mode]) == 0
    assert asked["settings"].stream is stream


def test_a_run_goes_to_its_folder_and_comes_back(bench, capsys, tmp_path):
    bench()
    out = tmp_path / "runs" / "one"
    assert cli.main([*STRIKES, "--out", str(out), "--json"]) == 0
    first = document(capsys)
    assert cli.main(["replay", str(out), "--json"]) == 0
    assert document(capsys) == first
    assert cli.main(["report", str(out)]) == 0
    assert "</html>" in (out / "report.html").read_text(encoding="utf-8")
    assert cli.main(["report", str(out), "--page", str(tmp_path / "a.svg")]) == 0
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_folder_that_is_there_is_replaced_only_with_force(bench, capsys, tmp_path):
    bench()
    out = tmp_path / "run"
    arguments = [*STRIKES, "--out", str(out), "--json"]
    assert cli.main(arguments) == 0
    capsys.readouterr()
    assert "already exists" in errors_of(capsys, 2, arguments)
    assert cli.main([*arguments, "--force"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_force_never_replaces_what_is_no_run(bench, capsys, tmp_path):
    bench()
    (tmp_path / "thesis.txt").write_text("years of work")
    line = errors_of(capsys, 2, [*STRIKES, "--out", str(tmp_path), "--force"])
    assert "holds no run" in line
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_base_is_taken_off_what_is_printed(bench, capsys):
    bench()
    cli.main([*STRIKES, "--base", "12ns", "--json"])
    found = document(capsys)
    assert found["base_ticks"] == 12
    assert found["channels"][0]["latency"]["min_ticks"] == 988


def test_a_page_that_cannot_be_written_is_one_line(bench, capsys, tmp_path):
    bench()
    line = errors_of(capsys, 2, [*STRIKES, "--page", str(tmp_path / "no" / "page.html")])
    assert "page.html: cannot write: No such file or directory" in line


def test_a_run_that_cannot_be_kept_is_still_shown(bench, capsys, monkeypatch, tmp_path):
    bench()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("plexor.store.run_folder.save", full)
    assert cli.main([*STRIKES, "--out", str(tmp_path / "run")]) == 2
    out, err = capsys.readouterr()
    assert "max = back wall" in out
    assert err == f"plexor: {tmp_path / 'run'}: No space left on device\n"


def test_a_link_that_breaks_ends_with_3(capsys, monkeypatch):
    def broken(*_):
        raise LinkError("tcp://h:1: cannot connect:\n refused")

    monkeypatch.setattr(take, "take", broken)
    assert errors_of(capsys, 3, STRIKES) == "plexor: tcp://h:1: cannot connect: refused\n"


def test_an_interrupt_before_the_run_ends_with_130(capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(take, "take", interrupted)
    assert errors_of(capsys, 130, STRIKES) == "plexor: interrupted\n"


SERVE = """
import sys
print("fallback freertos is not available (no cargo); using bare", flush=True)
print("device bare", flush=True)
print("listening", sys.argv[1], flush=True)
sys.stdin.read()
"""


def test_a_fallback_is_said_printed_and_kept(capsys, monkeypatch):
    wanted = []

    def command_of(dut, arguments):
        wanted.append((dut, list(arguments)))
        return [sys.executable, "-c", SERVE, device.uri.removeprefix("tcp://")]

    monkeypatch.setattr("plexor.link.open.sim_command", command_of)
    with FakeDevice(Scenario([100] * 20)) as device:
        arguments = ["measure", "--rate", "1M", "--count", "20", "--fallback", "--json"]
        assert cli.main(arguments) == 0
    assert wanted == [("freertos", ["--fallback"])]
    out, err = capsys.readouterr()
    assert err == "plexor: freertos is not available (no cargo); using bare\n"
    found = json.loads(out)
    assert found["device"] == {"dut": "bare", "asked_for": "freertos"}
    assert [channel["name"] for channel in found["channels"]] == ["ISR"]


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


def test_a_reader_that_leaves_early_is_no_error(kept):
    found = shell(f"$P replay {kept} --json | head -n 1; $P replay {kept} | true")
    assert (found.stdout, found.stderr) == ("{\n", "")


def test_a_full_disk_is_one_line(kept):
    found = shell(f"$P replay {kept} >/dev/full")
    assert found.returncode == 2
    assert found.stderr == "plexor: output: No space left on device\n"


def test_help_loads_neither_numpy_nor_pyarrow():
    code = "import sys; from plexor import cli; cli.main(['measure', '--help']); "
    code += "print('LOADED', sorted({'numpy', 'pyarrow', 'serial'} & set(sys.modules)))"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert found.stdout.splitlines()[-1] == "LOADED []"


def test_conditions_duties_and_channels_are_parsed_exactly():
    assert parse_stop("latency > 1.5us").over_s == Fraction(15, 10**7)
    assert parse_stop("missed").over_s is None
    assert parse_duty("20%") == parse_duty("0.2") == parse_duty("1/5") == Fraction(1, 5)
    assert parse_channel("ch3").label == "ch3"
    assert parse_channel("my pin=ch3").label == "my pin"
