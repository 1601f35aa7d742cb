# SPDX-License-Identifier: Apache-2.0
"""What a kept sweep or burst scan is: an answer to one question, replaced only when asked to."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import pytest

from plexor import cli
from plexor.base.errors import ExitCode, InvalidRunError, StoreError, UsageError
from plexor.experiments.burst.scan import BurstGoal, BurstSteps
from plexor.experiments.criterion import DEFAULT, parse_criterion
from plexor.experiments.job import Job
from plexor.experiments.stepping import Stepped
from plexor.experiments.store import FILE, NEW_FILE, StepStore, key_of, question_of, read_steps
from plexor.experiments.sweep.scan import RateScan
from plexor.experiments.sweep.sweep import SweepGoal, SweepLoad, SweepSteps
from plexor.library.scans.burst import BurstScan
from plexor.library.scans.sweep import Sweep
from plexor.model.settings import Channel, Settings, Stimulus

from ..sweeps import figures, step

HZ = Fraction(1000)
JOB = Job(
    "sim:",
    "synthetic",
    "none",
    Settings(strikes=(Stimulus(),), channels=(Channel(0),)),
    HZ,
    "",
    (DEFAULT,),
)
SWEEP = ["sweep", "--dut", "synthetic", "--from", "1k", "--to", "9k"]
BURST = ["burst", "--dut", "synthetic", "--from", "1us", "--to", "9us", "--period", "1ms"]
SHOWN, KEPT = ["--json"], ["--page", "page.html", "--out", "kept"]


@pytest.fixture
def struck(monkeypatch):
    """Have each sweep take one step, unless it is known; return how many were taken."""
    taken = []

    def run(stepping, workers, store, on_step):
        found = store.find(JOB)
        if found is None:
            taken.append(stepping)
            names = [channel.label for channel in stepping.goal.settings.channels]
            found = (step("none", HZ, *map(figures, names)),)
            store.add(JOB, found)
        return Stepped(stepping.result(found, interrupted=False))

    monkeypatch.setattr("plexor.library.scans.steps.stepped", run)
    return taken


def test_jobs_and_questions_of_today_are_known_by_what_they_were_known_by_before(monkeypatch):
    """Folders that were begun go on: these digests are of the version before experiments."""
    monkeypatch.setattr("plexor.experiments.store.metadata.version", lambda name: "0.1.0")
    settings = Settings(
        strikes=(Stimulus(period_s=Fraction(1, 1000)),), channels=(Channel(0, "ISR"),)
    )
    criteria = (parse_criterion("missed<1%@95%"),)
    device = "sim:", "synthetic"
    rates = HZ, 2 * HZ
    job = Job(*device, "none", settings, HZ, "ISR", criteria)
    assert key_of(job) == "48ada0ccbf14289d20e6818ccad033b8"
    scan = RateScan(*device, "none", settings, rates, criteria)
    assert key_of(scan) == "587ee250a9fcf5abc496a3465d1c6ee2"
    load, part, us = SweepLoad("synthetic", False), Fraction(1, 100), Fraction(1, 10**6)
    sweep = SweepSteps(SweepGoal("sim:", {"none": load}, settings, *rates, criteria, part, 7, 1))
    burst = BurstSteps(BurstGoal(*device, settings, us, 2 * us, 2, 1 / HZ, 9, criteria[0]))
    assert [question_of(each.kind, each.goal, each.duts) for each in (sweep, burst)] == [
        "sweep b88cd9c1cf9f791116482a4e9aead19f",
        "burst d8d9f593a91ac0d1d45eaf089a75a2e9",
    ]


@pytest.mark.parametrize(
    "other",
    [
        ["--dut", "synthetic:drop=0.1"],
        ["--to", "8k"],
        ["--criterion", "missed<1%"],
        ["--seed", "2"],
        ["--points", "5"],
        ["--dwell", "999"],
        ["--timeout", "1ms"],
        ["--channel", "a=ch1"],
        ["--both-ways"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_sweep_of_another_device_or_question_is_not_replaced(struck, tmp_path, capsys, other):
    out = tmp_path / "s"
    assert cli.main([*SWEEP, "--out", str(out)]) == ExitCode.PASS
    kept = {path.name: path.read_bytes() for path in out.iterdir()}
    capsys.readouterr()
    assert cli.main([*SWEEP, *other, "--out", str(out)]) == ExitCode.USAGE
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert f"--out {out}: already exists, with " in said.err
    assert said.err.endswith("; --force replaces it\n")
    named = said.err.partition(", with ")[2]
    assert named.removeprefix("another ").startswith(other[0])
    assert named.count(", there ") <= 1
    assert {path.name: path.read_bytes() for path in out.iterdir()} == kept
    assert len(struck) == 1
    assert cli.main([*SWEEP, *other, "--out", str(out), "--force"]) == ExitCode.PASS
    assert len(struck) == 2
    # What is there now goes on, the one before is gone.
    assert cli.main([*SWEEP, *other, "--out", str(out)]) == ExitCode.PASS
    assert len(struck) == 2
    assert cli.main([*SWEEP, "--out", str(out)]) == ExitCode.USAGE


def test_the_same_question_goes_on_and_by_force_begins_anew(struck, tmp_path):
    out = tmp_path / "s"
    asked = [*SWEEP, "--out", str(out)]
    assert cli.main(asked) == cli.main([*asked, "--label", "os=other"]) == ExitCode.PASS
    assert len(struck) == 1
    assert json.loads((out / "sweep.json").read_text())["device"]["os"] == "other"
    assert cli.main([*asked, "--force"]) == ExitCode.PASS
    assert len(struck) == 2


@pytest.mark.parametrize("name", ["run.json", "notes.txt"])
@pytest.mark.parametrize(("command", "kind"), [(SWEEP, "sweep"), (BURST, "burst")])
def test_a_folder_of_something_else_is_never_replaced(tmp_path, capsys, name, command, kind):
    (tmp_path / name).touch()
    assert cli.main([*command, "--out", str(tmp_path)]) == ExitCode.USAGE
    assert f"holds no {kind}; name another folder" in capsys.readouterr().err
    assert cli.main([*command, "--out", str(tmp_path), "--force"]) == ExitCode.USAGE
    assert f"holds no {kind}; --force replaces only {kind}s" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_sweep_and_a_burst_scan_do_not_replace_each_other(tmp_path, capsys):
    StepStore(tmp_path, question_of("burst", "a scan", [])).add(JOB, ())
    for force in ([], ["--force"]):
        assert cli.main([*SWEEP, "--out", str(tmp_path), *force]) == ExitCode.USAGE
    assert "holds no sweep" in capsys.readouterr().err


@pytest.mark.parametrize("command", [SWEEP, BURST])
def test_force_needs_a_folder(command, capsys):
    assert cli.main([*command, "--force"]) == ExitCode.USAGE
    assert "--force replaces the folder of --out; give --out too" in capsys.readouterr().err


def test_steps_of_before_there_were_questions_answer_none(tmp_path):
    StepStore(tmp_path).add(JOB, ())
    whole = (tmp_path / FILE).read_text().splitlines(keepends=True)
    (tmp_path / FILE).write_text("".join(whole[1:]))
    with pytest.raises(UsageError, match="already exists"):
        StepStore(tmp_path)


def test_what_is_replaced_stays_until_the_new_steps_are_all_there(tmp_path):
    first, second = (question_of("sweep", text, []) for text in ("one", "other"))
    with StepStore(tmp_path, first) as store:
        store.add(JOB, ())
    (tmp_path / "sweep.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("mine")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with StepStore(tmp_path, second, force=True) as store:
        store.add(JOB, ())
    # As if it had been killed here: what was there is there, and the new steps go on.
    now = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    new = now.pop(NEW_FILE)
    assert now == before
    with StepStore(tmp_path, second, force=True) as store:
        assert len(store) == 1
        store.finish()
    now = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert now == before | {FILE: new}
    with StepStore(tmp_path, second) as store:
        assert len(store) == 1


def test_new_steps_of_another_question_are_set_aside(tmp_path, caplog):
    questions = [question_of("sweep", text, []) for text in ("one", "two", "three")]
    with StepStore(tmp_path, questions[0]) as store:
        store.add(JOB, ())
    for question in questions[1:]:
        with StepStore(tmp_path, question, force=True) as store:
            assert len(store) == 0
            store.add(JOB, ())
    assert read_steps(tmp_path / f"{NEW_FILE}-2").question == questions[1]
    assert read_steps(tmp_path / NEW_FILE).question == questions[2]
    assert f"{NEW_FILE}-2: steps of another sweep" in caplog.text


OTHER = """
import sys
from pathlib import Path
from plexor.experiments.stepping import Stepped
from plexor.experiments.store import StepStore
store = StepStore(Path(sys.argv[1]), sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


def test_a_folder_has_one_writer_and_the_next_one_is_told_which(tmp_path):
    question, out = question_of("sweep", "one", []), tmp_path / "s"
    with StepStore(out, question) as store:
        store.add(JOB, ())
    before = (out / FILE).read_bytes()
    command = [sys.executable, "-c", OTHER, str(out), question]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        for force in (False, True):
            with pytest.raises(UsageError) as caught:
                StepStore(out, question, force=force, names=("--out", "--force"))
            assert str(caught.value) == (
                f"--out {out}: process {other.pid} writes to it; wait for its end, or name another "
                "folder"
            )
        other.kill()
    assert (out / FILE).read_bytes() == before
    with StepStore(out, question) as store:
        assert len(store) == 1
    assert [path.name for path in out.iterdir()] == [FILE]


def test_a_folder_in_which_nothing_came_to_be_is_gone(tmp_path):
    StepStore(tmp_path / "a" / "b", "sweep x").close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", [b"\0" * 40 + b"\n", b'{"job": "x"}\n', b"\xff\n"])
def test_a_damaged_line_is_set_aside_and_the_others_are_taken(tmp_path, damage, caplog):
    question, out = question_of("sweep", "one", []), tmp_path / "s"
    jobs = [replace(JOB, load=load) for load in ("a", "b", "c")]
    with StepStore(out, question) as store:
        for job in jobs:
            store.add(job, (step("none", HZ, figures("ch0")),))
    lines = (out / FILE).read_bytes().splitlines(True)
    damaged = b"".join([*lines[:2], damage, *lines[3:]])
    (out / FILE).write_bytes(damaged)
    with StepStore(out, question) as store:
        assert [store.find(job) is not None for job in jobs] == [True, False, True]
        (told,) = caplog.messages
        assert f"{out / FILE}, line 3: not a valid step" in told
        assert "the file is kept as steps.jsonl.damaged, and its 2 other jobs" in told
        store.add(jobs[1], ())
    assert (out / "steps.jsonl.damaged").read_bytes() == damaged
    with StepStore(out, question) as store:
        assert len(store) == 3


@pytest.mark.parametrize("content", [b"", b"\0" * 90, b'{"question": "swe'])
def test_a_file_that_a_sudden_end_left_without_a_whole_line_is_begun_anew(tmp_path, content):
    (tmp_path / FILE).write_bytes(content)
    with StepStore(tmp_path, "sweep x") as store:
        assert len(store) == 0
        store.add(JOB, ())
    with StepStore(tmp_path, "sweep x") as store:
        assert store.find(JOB) == ()


@pytest.mark.parametrize("content", [b"", b"\0" * 90, b"[]\n", b'{"question": 1}\n'])
def test_damaged_steps_beside_a_result_are_named_and_replaced_by_force(tmp_path, content):
    path = tmp_path / FILE
    path.write_bytes(content)
    (tmp_path / "sweep.json").write_text("{}")
    with pytest.raises(UsageError, match=rf"^{path}.*: .*; force replaces it$"):
        StepStore(tmp_path, "sweep x")
    assert path.read_bytes() == content
    with StepStore(tmp_path, "sweep x", force=True) as store:
        store.add(JOB, ())
        store.finish()
    assert len(read_steps(path).steps) == 1


@pytest.mark.parametrize(("name", "kind"), [("sweep.json", Sweep), ("burst.json", BurstScan)])
def test_of_a_damaged_result_whose_steps_are_kept_it_is_said_how_it_is_made_anew(
    tmp_path, name, kind
):
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(StoreError, match=rf"^{tmp_path / name}: cannot read: not JSON \([^;]*\)$"):
        kind.load(tmp_path)
    StepStore(tmp_path / "s", "sweep x").add(JOB, ())
    (tmp_path / "s" / FILE).rename(tmp_path / FILE)
    with pytest.raises(StoreError, match=rf"steps are kept: .* --out {tmp_path} makes it anew$"):
        kind.load(tmp_path)


def test_a_step_that_was_edited_is_not_taken_for_one_that_was_measured(tmp_path):
    with StepStore(tmp_path, "sweep x") as store:
        store.add(JOB, (step("none", HZ, figures("ch0")),))
    content = (tmp_path / FILE).read_text()
    assert not read_steps(tmp_path / FILE).wrong
    entry = json.loads(content.splitlines()[1])
    entry["steps"][0]["rate_hz"] = "1001"
    question = content.splitlines()[0]
    (tmp_path / FILE).write_text(f"{question}\n{json.dumps(entry)}\n")
    found = read_steps(tmp_path / FILE)
    assert found.steps == {}
    assert "line 2: not a valid step: changed since it was taken" in found.wrong[0]
    # A line of an older version has no digest.
    del entry["sha256"]
    (tmp_path / FILE).write_text(f"{question}\n{json.dumps(entry)}\n")
    assert len(read_steps(tmp_path / FILE).steps) == 1


def test_steps_are_on_the_disk_when_they_are_kept(tmp_path, monkeypatch):
    waited = []
    fsync = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: (waited.append(os.fstat(handle)), fsync(handle))
    )
    with StepStore(tmp_path, "sweep x") as store:
        for load in ("a", "b"):
            store.add(replace(JOB, load=load), ())
            assert waited[-1 - (load == "a")].st_size == (tmp_path / FILE).stat().st_size
    assert waited[1].st_ino == tmp_path.stat().st_ino


def test_a_design_that_was_changed_is_another_question(tmp_path):
    manifest = tmp_path / "irq.toml"
    manifest.write_text('sources = ["irq.v"]')
    (tmp_path / "irq.v").write_text("module irq; endmodule")
    before = question_of("sweep", JOB, [str(manifest)])
    assert before == question_of("sweep", JOB, [str(manifest)])
    (tmp_path / "irq.v").write_text("module irq; wire a; endmodule")
    assert before != question_of("sweep", JOB, [str(manifest)])
    assert question_of("sweep", JOB, []) != question_of("sweep", replace(JOB, load="cpu"), [])


@pytest.mark.parametrize(
    ("command", "how"),
    [
        pytest.param(
            command, how, marks=() if (command is SWEEP) == (how is KEPT) else pytest.mark.full
        )
        for command in (SWEEP, BURST)
        for how in (SHOWN, KEPT)
    ],
    ids=["sweep shown", "sweep kept", "burst shown", "burst kept"],
)
def test_nothing_is_said_of_a_device_that_was_never_struck(
    tmp_path, capsys, monkeypatch, command, how
):
    monkeypatch.chdir(tmp_path)
    assert cli.main([*command, "--dut", "nosuch", "--channel", "ch0", *how]) == ExitCode.USAGE
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "device 'nosuch': must be" in said.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("error", "code"), [(None, ExitCode.INTERRUPTED), (InvalidRunError("x"), ExitCode.INVALID)]
)
def test_a_sweep_that_ends_before_its_first_step_has_no_figures(monkeypatch, capsys, error, code):
    found = Stepped(None, interrupted=error is None, error=error)
    monkeypatch.setattr("plexor.library.scans.steps.stepped", lambda *arguments: found)
    assert cli.main([*SWEEP, "--json"]) == code
    assert capsys.readouterr().out == ""
