# SPDX-License-Identifier: Apache-2.0
"""A sweep on a Dask cluster of this machine: the same result, also when a worker is killed."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest

from plexor.base.errors import ExitCode, LinkError
from plexor.experiments.criterion import parse_criterion
from plexor.experiments.pool import Workers, parse_executor
from plexor.experiments.stepping import stepped
from plexor.experiments.store import StepStore
from plexor.experiments.sweep.sweep import SweepGoal, SweepLoad, SweepSteps
from plexor.model.settings import Channel, Settings, Stimulus

ROOT = Path(__file__).resolve().parents[2]
SERVICE_PS = 12_000_000
START_S = 240
WANTED = SweepGoal(
    "sim:",
    {"none": SweepLoad(f"synthetic:seed=3,service={SERVICE_PS}ps,ch1.after=none", False)},
    Settings(
        strikes=(Stimulus(period_s=Fraction(1, 20_000), width_s=Fraction(1, 10**7)),),
        channels=(Channel(0),),
    ),
    Fraction(20_000),
    Fraction(200_000),
    (parse_criterion("missed<2%"),),
    Fraction(1, 5),
    4,
    1,
)


def program(name, *arguments):
    """Start one of Dask's own programs, its output in a pipe."""
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{name}", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(map(str, (ROOT / "host", ROOT / "hdl", ROOT / "sim")))},
    )


def line_of(process, pattern):
    """Return the match in the first line of a program's output that has one."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        line = process.stdout.readline()
        found = re.search(pattern, line)
        if found or not line:
            return found
    return None


@contextmanager
def cluster(folder, options=((), ())):
    """Run a scheduler, and a worker for each of the options; yield the executor's name and them."""
    programs = [program("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")]
    try:
        address = line_of(programs[0], r"Scheduler at:\s+tcp://(\S+)")[1]
        for own in options:
            worker = program(
                "dask_worker",
                f"tcp://{address}",
                "--nthreads",
                "1",
                "--no-nanny",
                "--no-dashboard",
                "--local-directory",
                str(folder),
                *own,
            )
            worker.scheduler = programs[0]
            programs.append(worker)
            assert line_of(worker, "Registered to")
        yield f"dask://{address}", programs[1:]
    finally:
        for process in programs:
            process.kill()
            process.wait()
            process.stdout.close()


def swept(executor, on_step=None):
    with Workers(parse_executor(executor)) as workers:
        return stepped(SweepSteps(WANTED), workers, StepStore(None), on_step)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")  # of Dask's own threads
def test_a_cluster_finds_what_this_machine_finds_although_a_worker_is_killed(tmp_path):
    with cluster(tmp_path) as (address, workers):
        killed = []

        def kill(job, step, done, expected):
            if done == 2:
                workers[0].kill()
                killed.append(expected)

        found = swept(address, kill)
    assert killed
    assert killed[0] > 2
    assert found.error is None
    assert found == swept("local:2")
    (knee,) = found.result.knees
    # One strike every service time is all it answers; 2 % more is what may go missing.
    assert knee.bracket.passing_hz < 1e12 / SERVICE_PS / 0.98
    assert knee.bracket.failing_hz > 1e12 / SERVICE_PS


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_dies_ends_the_sweep_in_one_line_with_what_there_is(tmp_path):
    with cluster(tmp_path) as (address, workers):

        def kill(job, step, done, expected):
            workers[0].scheduler.kill()

        found = swept(address, kill)
    assert isinstance(found.error, LinkError)
    assert "\n" not in str(found.error)
    assert found.result.steps


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_of_a_scheduler_that_dies_a_user_sees_one_line_behind_the_steps(tmp_path, number):
    command = ["sweep", "--dut", "synthetic:service=12us,width=100ns,drop=0.01"]
    command += ["--from", "20k", "--to", "200k", "--points", "12", "--criterion", "missed<2%"]
    with cluster(tmp_path) as (address, workers):
        asked = [sys.executable, "-m", "plexor", *command, "--executor", address]
        with subprocess.Popen(asked, stderr=subprocess.PIPE, text=True, cwd=ROOT) as sweeping:
            said = [sweeping.stderr.readline()]
            workers[0].scheduler.send_signal(number)
            said += sweeping.stderr.readlines()
    assert sweeping.returncode == ExitCode.LINK
    *steps, error = said
    assert [line for line in steps if "plexor: step " not in line] == []
    assert error == (
        f"plexor: executor: {address.replace('dask', 'tcp')}: no Dask scheduler answers there\n"
    )


def test_a_scheduler_that_is_not_there_ends_in_one_line():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(LinkError, match="no Dask scheduler answers there") as caught:
        swept(f"dask://127.0.0.1:{port}")
    assert "\n" not in str(caught.value)
