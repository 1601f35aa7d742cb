# SPDX-License-Identifier: Apache-2.0
"""A Dask cluster that cannot work is one line within seconds, which says what is missing."""

import io
import logging
import socket
import subprocess
import sys
import time

import distributed
import pytest

from plexor.base.errors import LinkError
from plexor.experiments import pool as executor
from plexor.experiments.pool import parse_executor

WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {name!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
import asyncio
from distributed import Worker

async def work():
    async with Worker({address!r}, dashboard_address=None) as worker:
        await worker.finished()

asyncio.run(work())
"""


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Do not wait long for what never comes."""
    assert max(executor.ANSWER_S, executor.WORKERS_S) <= 5
    monkeypatch.setattr(executor, "ANSWER_S", 1.0)
    monkeypatch.setattr(executor, "WORKERS_S", 1.0)


@pytest.fixture
def scheduler():
    """Yield the address of a scheduler without workers."""
    with distributed.LocalCluster(
        n_workers=0, processes=False, protocol="tcp", dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


def refusal(address, most_s, capfd):
    """Return why a cluster is refused; it must say nothing else, and not take long."""
    began = time.monotonic()
    with pytest.raises(LinkError) as refused:
        parse_executor(address.replace("tcp", "dask"))()
    assert time.monotonic() - began < most_s
    assert capfd.readouterr().err == ""
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_dead_scheduler_is_one_line(capfd):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
    said = refusal(address, 3, capfd)
    assert said == f"executor: {address}: no Dask scheduler answers there"


def test_what_answers_nothing_is_no_scheduler(capfd):
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        assert "no Dask scheduler answers there" in refusal(address, 5, capfd)


def test_a_scheduler_without_workers_is_one_line(scheduler, capfd):
    said = refusal(scheduler, 5, capfd)
    assert said.startswith(f"executor: {scheduler}: the Dask scheduler has no workers; start one")


def test_what_dask_says_of_a_cluster_that_dies_later_is_not_shown(scheduler, capfd):
    said = io.StringIO()
    for name in ("distributed", "distributed.client", "asyncio"):
        logging.getLogger(name).addHandler(logging.StreamHandler(said))  # as Dask does
    refusal(scheduler, 5, capfd)
    for name in ("distributed.client", "distributed.of.later", "asyncio", "tornado.application"):
        logging.getLogger(name).error("Failed to reconnect to scheduler")
    assert said.getvalue() + capfd.readouterr().err == ""


def ready(scheduler, lacking):
    """Start a worker that lacks a package."""
    process = subprocess.Popen(
        [sys.executable, "-c", WITHOUT.format(name=lacking, address=scheduler)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with distributed.Client(scheduler) as client:
        client.wait_for_workers(1, timeout=60)
    return process


@pytest.mark.full
def test_a_worker_that_lacks_plexor_is_named(scheduler, capfd):
    process = ready(scheduler, "plexor")
    try:
        said = refusal(scheduler, 5, capfd)
    finally:
        process.kill()
        process.wait()
    assert "1 of 1 workers lack the package plexor, such as tcp://127.0.0.1:" in said


def test_a_worker_that_has_plexor_does_the_work(scheduler):
    process = ready(scheduler, "nothing")
    try:
        with parse_executor(scheduler.replace("tcp", "dask"))() as executor:
            assert executor.submit(abs, -3).result(timeout=30) == 3
    finally:
        process.kill()
        process.wait()
