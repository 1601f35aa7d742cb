# SPDX-License-Identifier: Apache-2.0
"""`plexor farm`: a matrix of simulated instruments, here and on a Dask cluster of two workers."""

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from test_cluster import cluster

from plexor import cli
from plexor.library.archive import Archive
from plexor.library.farm import CellState, farm

DUT = "synthetic:seed=1,latency=uniform:1us:2us"
TEXT = f"""
[measure]
rate = "20k"
count = "200"
dut = "{DUT}"
channel = "ISR=ch0"

[instruments]
left = "sim:"
middle = "sim:"
right = "sim:"
"""
LOADS = '[loads.none]\n[loads.on]\nload = "on"\n'
BUILDS = "[builds.one]\n[builds.two]\nseed = 2\ndither = '1024ns'\n"


def archived(folder):
    """Return how often each cell is in an archive."""
    axes = ("instrument", "load", "build")
    return Counter(
        "/".join(each.configuration[axis] for axis in axes if axis in each.configuration)
        for each in Archive(folder).log().runs
    )


def test_three_simulated_instruments_are_measured_once_each_and_not_again(
    tmp_path, monkeypatch, capfd
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    Path("farm.toml").write_text(TEXT)
    assert cli.main(["farm", "farm.toml", "--executor", "local:1", "--json"]) == 0
    out, err = capfd.readouterr()
    document = json.loads(out)
    assert [each["state"] for each in document["cells"]] == ["measured"] * 3
    assert all(each["simulated"] for each in document["cells"])
    (channel,) = document["cells"][0]["channels"]
    assert (channel["name"], channel["samples"], channel["missed"]) == ("ISR", 200, 0)
    assert 1e-6 < channel["max_s"] <= 2.01e-6
    assert "plexor: cell 3 of 3: " in err
    assert cli.main(["farm", "farm.toml"]) == 0
    out, err = capfd.readouterr()
    assert out.count("measured before") == 3
    assert "3 of 3 cells have a run, all simulated" in out
    assert archived("archive") == {"left/none": 1, "middle/none": 1, "right/none": 1}


@pytest.mark.full
def test_a_farm_whose_process_is_killed_goes_on_where_it_was(tmp_path):
    (tmp_path / "farm.toml").write_text(TEXT + LOADS)
    command = [sys.executable, "-m", "plexor", "farm", "farm.toml", "--executor", "local:1"]
    with subprocess.Popen(command, cwd=tmp_path) as process:
        while len([*tmp_path.glob("farm/*/*/run.json")]) < 2:
            time.sleep(0.05)
            assert process.poll() is None
        process.kill()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("farm/*/*/run.json")}
    assert 2 <= len(before) < 6
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.count("measured before") == len(before)
    assert all(path.stat().st_mtime_ns == at for path, at in before.items())
    found = archived(tmp_path / "archive")
    assert set(found.values()) == {1}
    assert len(found) == 6


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")  # of Dask's own threads
def test_on_two_workers_one_of_which_is_killed_every_cell_is_measured_once(tmp_path):
    path = tmp_path / "farm.toml"
    path.write_text(TEXT + LOADS + BUILDS)
    told = []
    with cluster(tmp_path / "dask") as (address, workers):

        def kill(found, done, total):
            told.append((found.cell.name, done, total))
            if done == 2:
                workers[0].kill()

        found = farm(path, executor=address, archive=tmp_path / "archive", on_cell=kill)
    names = [
        f"{a}/{b}/{c}"
        for a in ("left", "middle", "right")
        for b in ("none", "on")
        for c in ("one", "two")
    ]
    assert found.error is None
    assert [each.cell.name for each in found.outcomes] == names
    assert [each.reason for each in found.outcomes] == [""] * len(names)
    assert {each.state for each in found.outcomes} == {CellState.MEASURED}
    assert sorted(name for name, *_ in told) == sorted(names)
    assert archived(tmp_path / "archive") == Counter(names)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_a_real_instrument_is_used_by_the_worker_that_has_it_and_by_one_job_at_a_time(tmp_path):
    """Instruments on ports stand for boards: each serves one client, and refuses a second."""
    served = {name: serve() for name in ("left", "right")}
    try:
        links = "\n".join(f'{name} = "{at}"' for name, (_, at) in served.items())
        text = TEXT.replace(f'dut = "{DUT}"\n', "").partition("[instruments]")[0]
        path = tmp_path / "farm.toml"
        path.write_text(f"{text}[instruments]\n{links}\n{LOADS}{BUILDS}")
        offers = (["--resources", "left=1"], ["--resources", "right=1"])
        with cluster(tmp_path / "dask", offers) as (address, _):
            found = farm(path, executor=address, archive=tmp_path / "archive")
        assert found.exit_code() == 0
        assert set(archived(tmp_path / "archive").values()) == {1}
        assert len(found.outcomes) == 8
    finally:
        for process, _ in served.values():
            process.kill()
            process.wait()


def serve():
    """Start a simulated instrument; return its process and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "plexor_sim.serve", "--dut", DUT], stdout=subprocess.PIPE, text=True
    )
    for line in process.stdout:
        if line.startswith("listening "):
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return process, line.removeprefix("listening ").strip()  # tcp://HOST:PORT
    raise AssertionError("the simulated instrument does not listen")


def test_a_farm_that_is_none_is_one_line_and_nothing_is_begun(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    Path("farm.toml").write_text("[instruments]\n")
    assert cli.main(["farm", "farm.toml"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err == (
        "plexor: farm.toml: [instruments]: names none; must have one or more, such as left = "
        '"sim:"\n'
    )
    assert os.listdir(tmp_path) == ["farm.toml"]
