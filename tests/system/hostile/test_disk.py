# SPDX-License-Identifier: Apache-2.0
"""Disks that are full, folders that cannot be, runs that were damaged: one line, nothing lost."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from plexor import cli

from ...unit.host.fake_device import FakeDevice
from ...unit.host.scenario import Scenario

SCENARIO = Scenario([100 + n % 50 for n in range(200)])
MEASURE = ["measure", "--rate", "1M", "--count", "200"]


@contextmanager
def room(size: int):
    """Let no file grow beyond `size` bytes, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def measure(capsys, *arguments: str) -> tuple[int, str, str]:
    with FakeDevice(SCENARIO) as device:
        code = cli.main([*MEASURE, "--link", device.uri, *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, out, err


@pytest.fixture
def kept(tmp_path, capsys):
    """Return the folder of a run that is as it should be."""
    folder = tmp_path / "kept"
    assert measure(capsys, "--out", str(folder))[0] == 0
    return folder


@pytest.mark.parametrize("size", [0, 100, 1000])
def test_a_run_that_finds_no_room_is_shown_and_leaves_nothing_behind(capsys, tmp_path, size):
    with room(size):
        code, out, err = measure(capsys, "--out", str(tmp_path / "run"), "--json")
    assert code == 5
    assert json.loads(out)["strikes"] == 200
    assert err.count("\n") == 1
    assert "File too large" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [0, 1000])
def test_a_run_that_is_replaced_stays_where_there_is_no_room(capsys, kept, size):
    before = {path.name: path.read_bytes() for path in kept.iterdir()}
    with room(size):
        code, out, _ = measure(capsys, "--out", str(kept), "--force", "--json")
    assert code == 5
    assert json.loads(out)["strikes"] == 200
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == before
    assert list(kept.parent.iterdir()) == [kept]


@pytest.mark.parametrize(("size", "stays"), [(0, []), (1000, ["run.wire.part"])])
def test_raw_bytes_that_find_no_room_do_not_cost_the_run(capsys, tmp_path, size, stays):
    with room(size):
        code, out, err = measure(capsys, "--out", str(tmp_path / "run"), "--wire", "--json")
    assert code == 5
    assert json.loads(out)["strikes"] == 200
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == stays
    for name in stays:
        assert f"those before are in {tmp_path / name}" in err


def test_raw_bytes_that_are_whole_stay_where_the_run_finds_no_room(capsys, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("plexor.files.store.run_folder.write", full)
    run = str(tmp_path / "run")
    code, out, err = measure(capsys, "--out", run, "--wire", "--json")
    assert code == 5
    wire = tmp_path / "run.wire.part"
    assert list(tmp_path.iterdir()) == [wire]
    assert err.endswith(
        f"{run}: cannot write: No space left on device; the raw bytes of the link are in {wire}, "
        "which plexor show reads\n"
    )
    figures = json.loads(out)["channels"]
    assert cli.main(["show", str(wire), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["channels"] == figures
    # The next run says that it is there, and leaves it.
    monkeypatch.undo()
    before = wire.read_bytes()
    code, _, err = measure(capsys, "--out", run, "--wire")
    assert code == 0
    assert f"{wire}: raw bytes of a run that was not kept; plexor show reads it" in err
    assert wire.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run.wire.part"]
    assert (tmp_path / "run" / "wire.bin").exists()


@pytest.mark.parametrize("size", [0, 1000])
def test_a_page_that_finds_no_room_is_one_line(refused, kept, size):
    with room(size):
        page = str(kept / "report.html")
        refused(["show", str(kept), "--to", page], 5, "report.html: cannot write: File too large")
    assert not (kept / "report.html").exists()
    assert not list(kept.glob(".*"))


NOWHERE = ("/proc/nosuch", "/dev/null/run", "/etc/passwd/run", "/" + "x" * 300)


@pytest.mark.parametrize("path", NOWHERE)
def test_a_run_that_cannot_be_kept_there_is_shown(capsys, path):
    code, out, err = measure(capsys, "--out", path, "--json")
    assert code == 2
    assert err.startswith("plexor: ")
    assert err.count("\n") == 1
    if out:
        assert json.loads(out)["strikes"] == 200


@pytest.mark.parametrize("path", [*(f"{path}.html" for path in NOWHERE), "/", "/etc", "."])
def test_a_page_that_cannot_be_written_there_is_one_line(refused, kept, path):
    refused(["show", str(kept), "--to", path], 2, "")


def test_a_page_for_a_device_goes_into_it(kept, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["timeout", "20", "cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        assert cli.main(["show", str(kept), "--to", str(pipe)]) == 0
        assert pipe.is_fifo()
        assert b"</html>" in reader.communicate()[0]


DAMAGE = {
    "no run.json": ("run.json", None),
    "empty": ("run.json", b""),
    "half": ("run.json", 0.5),
    "no JSON": ("run.json", b"\x00\xff"),
    "another JSON": ("run.json", b"[1, 2]"),
    "null": ("run.json", b"null"),
    "another format": ("run.json", b'{"format": 99, "run": {}}'),
    "no run": ("run.json", b'{"format": 1}'),
    "an empty run": ("run.json", b'{"format": 1, "run": {}}'),
    "a run that is a list": ("run.json", b'{"format": 1, "run": []}'),
    "deep": ("run.json", b"[" * 100_000),
    "no histograms": ("histograms.parquet", None),
    "empty histograms": ("histograms.parquet", b""),
    "half histograms": ("histograms.parquet", 0.5),
    "noise for histograms": ("histograms.parquet", b"PAR1" + bytes(100) + b"PAR1"),
    "no events": ("events.parquet", None),
    "empty events": ("events.parquet", b""),
    "half events": ("events.parquet", 0.5),
}


@pytest.mark.parametrize("options", [[], ["--to", "x.html"]])
@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_run_is_one_line(refused, kept, name, options):
    file, content = DAMAGE[name]
    path = kept / file
    data = path.read_bytes()
    path.unlink()
    if content is not None:
        path.write_bytes(data[: len(data) // 2] if content == 0.5 else content)
    says = f"{kept}: holds no run" if name == "no run.json" else file
    refused(["show", str(kept), *options], 2, says)


FIELDS = {
    "a text for a number": ("start_ticks", "now"),
    "a number for a list": ("channels", 5),
    "nothing for the accounting": ("accounting", None),
    "another identity": ("identity", {"geometry": {"channels": 99}}),
    "a reason that there is not": ("stop_reason", "BOREDOM"),
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_run_with_a_wrong_field_is_one_line(refused, kept, name):
    field, value = FIELDS[name]
    path = kept / "run.json"
    document = json.loads(path.read_text())
    assert field in document
    document[field] = value
    path.write_text(json.dumps(document))
    refused(["show", str(kept)], 2, "run.json: cannot read")


@pytest.fixture
def started(tmp_path):
    """Return a function that starts the program itself on an endless run."""
    ends = []

    def start(*arguments: str, **options) -> subprocess.Popen:
        device = FakeDevice(SCENARIO, endless=True)
        process = subprocess.Popen(
            [sys.executable, "-m", "plexor", *MEASURE, "--link", device.uri, *arguments],
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        ends.append((device, process))
        deadline = time.monotonic() + 120
        while not device.starts:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(0.3)
        return process

    yield start
    for device, process in ends:
        process.kill()
        process.wait()
        process.stderr.close()
        device.close()


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.full)]
)
def test_an_interrupted_run_is_shown_and_kept(started, tmp_path, number):
    out = tmp_path / "run"
    process = started("--json", "--out", str(out), stdout=subprocess.PIPE)
    process.send_signal(number)
    printed, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert json.loads(printed)["interrupted"]
    assert "Traceback" not in err
    assert (out / "run.json").exists()


@pytest.mark.parametrize("arguments", [["--json"], pytest.param([], marks=pytest.mark.full)])
def test_a_full_output_is_one_line_and_the_run_is_kept(tmp_path, arguments):
    out = tmp_path / "run"
    with FakeDevice(SCENARIO) as device, open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "plexor", *MEASURE, "--link", device.uri]
        found = subprocess.run(
            [*command, "--out", str(out), *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert found.returncode == 5
    assert "Traceback" not in found.stderr
    assert found.stderr.endswith("plexor: output: No space left on device\n")
    assert (out / "run.json").exists()
