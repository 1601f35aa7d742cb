# SPDX-License-Identifier: Apache-2.0
"""Processes that do jobs: an interrupt is not theirs, and their end is that of their holder."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures.process import BrokenProcessPool, _ExecutorManagerThread
from pathlib import Path

from plexor.experiments.pool import Workers, parse_executor
from plexor.experiments.processes import Processes

from ..fake_device import wait_until


def test_a_worker_leaves_an_interrupt_to_the_process_that_asked_for_its_job():
    with Workers(parse_executor("local:1")) as workers:
        assert workers.submit(signal.raise_signal, signal.SIGINT).result() is None


def test_what_is_under_way_ends_at_once_if_it_is_abandoned():
    with Processes(1) as processes:
        assert processes.submit(len, "begun").result(60) == 5
        endless = processes.submit(time.sleep, 3600)
        assert wait_until(endless.running)
        processes.abandon()
        assert isinstance(endless.exception(60), BrokenProcessPool)


def test_a_dropped_job_that_still_waits_is_no_error_of_a_thread_when_all_is_abandoned():
    with Processes(1) as processes:
        assert processes.submit(len, "begun").result(60) == 5
        submitted = [processes.submit(time.sleep, 3600) for _ in range(6)]
        assert wait_until(submitted[0].running)
        begun = [job for job in submitted if not job.cancel()]
        assert len(begun) < len(submitted)
        processes.abandon()
        # pytest fails a test if a thread ends with an exception.
        assert all(isinstance(job.exception(60), BrokenProcessPool) for job in begun)


def test_an_executor_that_is_left_as_it_is_abandoned_is_no_error_of_its_thread(monkeypatch):
    """Its thread and its process come late on a busy machine, when nobody holds the executor."""
    come = threading.Event()
    seen = _ExecutorManagerThread.is_shutting_down

    def late(thread):
        come.wait(60)
        return seen(thread)

    processes = Processes(1)
    submitted = [processes.submit(time.sleep, 3600) for _ in range(6)]
    assert wait_until(submitted[1].running)
    begun = [job for job in submitted if not job.cancel()]
    monkeypatch.setattr(_ExecutorManagerThread, "is_shutting_down", late)
    processes.abandon()
    del processes
    gc.collect()
    come.set()
    assert all(isinstance(job.exception(60), BrokenProcessPool) for job in begun)
    assert wait_until(lambda: not any(map(_is_manager, threading.enumerate())))


def _is_manager(thread):
    return isinstance(thread, _ExecutorManagerThread)


def test_a_process_ends_with_the_one_that_asked_for_its_job():
    program = (
        "import time\n"
        "from plexor.experiments.pool import Workers, parse_executor\n"
        "workers = Workers(parse_executor('local:1'))\n"
        "print(workers.submit(eval, '__import__(\"os\").getpid()').result(), flush=True)\n"
        "workers.submit(time.sleep, 3600).result()\n"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        worker = int(holder.stdout.readline())
        os.kill(worker, 0)
        holder.kill()

    def ended():
        try:
            return Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
        except (FileNotFoundError, ProcessLookupError):
            return True

    assert wait_until(ended)
