# SPDX-License-Identifier: Apache-2.0
"""Runs cases in workers with limits, and keeps those that fail.

A worker is a process that takes every n-th case and prints a line for each. Processor time of a
case is limited by a timer that raises in the case, and by one that ends the worker if the case does
not give up. Memory is limited by what the worker may allocate, and by the peak that the kernel
counts. Wall time is not limited.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from types import FrameType

from tools.fuzz import targets

CPU_S = 20.0
"""Maximum CPU time of a case, in seconds: a hundred times the slowest case's."""
MEMORY_BYTES = 1 << 30
"""Maximum memory of a worker, beyond what it has before its first case."""
PEAK_BYTES = 300 << 20
"""Maximum amount by which a case may raise the worker's peak of resident memory."""
PROGRESS_S = 5.0
MOST_KEPT = 20
"""Maximum number of failing cases that are written into the corpus."""


class OverError(BaseException):
    """A case has used up its processor time. The code under test must not catch it."""


@dataclass
class Total:
    """Results of all cases of one kind."""

    cases: int = 0
    taken: int = 0
    cpu_s: float = 0.0
    slowest_s: float = 0.0
    peak_bytes: int = 0


@dataclass
class Found:
    """Results of all cases."""

    totals: dict[str, Total] = field(
        default_factory=lambda: {kind: Total() for kind in targets.KINDS}
    )
    failures: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """Kind, what went wrong, and a command that repeats it."""
    interrupted: bool = False

    @property
    def cases(self) -> int:
        """Number of cases of all kinds."""
        return sum(total.cases for total in self.totals.values())


def attempt(kind: str, files: targets.Files) -> tuple[str, float, int]:
    """Run a case within the limits; return what went wrong, CPU seconds and peak memory in bytes.

    `taken` and `refused` mean that nothing went wrong.
    """
    _reset_peak()
    before_bytes, began_s = _status("VmRSS"), time.process_time()
    signal.setitimer(signal.ITIMER_PROF, CPU_S)
    signal.setitimer(signal.ITIMER_VIRTUAL, 3 * CPU_S)
    try:
        with tempfile.TemporaryDirectory(prefix="fuzz.") as name:
            said = "taken" if targets.run(kind, files, Path(name)) else "refused"
    except OverError:
        said = f"took more than {CPU_S:g} s of processor time"
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    peak = max(_status("VmHWM") - before_bytes, 0)
    if peak > PEAK_BYTES:
        said = f"took {peak >> 20} MB"
    return " ".join(said.split())[:400], time.process_time() - began_s, peak


def on_time(number: int, frame: FrameType | None) -> None:
    """End a case that has used up its time."""
    del number, frame
    raise OverError


def _reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _status(name: str) -> int:
    """Return one of the kernel's figures for this process, in bytes."""
    text = Path("/proc/self/status").read_text()
    return int(text.partition(f"{name}:")[2].split(maxsplit=1)[0]) << 10


def prepare() -> None:
    """Put this process under the limits for all cases."""
    warnings.simplefilter("error")
    targets.warm_up()
    signal.signal(signal.SIGPROF, on_time)
    most = _status("VmSize") + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def work(first: int, end: int, step: int) -> None:
    """Run every `step`-th case from `first` on; print a line for each."""
    # Ctrl-C is for the parent process, which ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    prepare()
    for number in range(first, end, step):
        kind = targets.kind_of(number)
        said, cpu_s, peak = attempt(kind, targets.made(kind, number))
        print(json.dumps([number, said, cpu_s, peak]), flush=True)


# These run in the parent process.


def fuzz(
    cases: int, workers: int, first: int = 0, on_progress: Callable[[int], None] | None = None
) -> Found:
    """Run cases; return the results, with failing cases written into the corpus.

    `on_progress` gets the number of cases so far, about every PROGRESS_S. An interrupt ends it, and
    the results so far are returned.
    """
    found = Found()
    threads = [
        Thread(target=_tend, args=(found, first + place, first + cases, workers))
        for place in range(workers)
    ]
    for thread in threads:
        thread.start()
    try:
        while alive := [thread for thread in threads if thread.is_alive()]:
            alive[0].join(PROGRESS_S)
            if on_progress is not None:
                on_progress(found.cases)
    except KeyboardInterrupt:
        found.interrupted = True
        for thread in threads:
            thread.join()
    found.failures.sort()
    return found


def _tend(found: Found, first: int, end: int, step: int) -> None:
    """Run every `step`-th case in a worker, and continue in another if that one is lost."""
    for number, said, cpu_s, peak in _lines(first, end, step):
        if found.interrupted:
            return
        kind = targets.kind_of(number)
        total = found.totals[kind]
        total.cases += 1
        total.cpu_s += cpu_s
        total.slowest_s = max(total.slowest_s, cpu_s)
        total.peak_bytes = max(total.peak_bytes, peak)
        if said == "taken":
            total.taken += 1
        elif said != "refused":
            found.failures.append((kind, said, _keep(kind, number, len(found.failures))))


def _lines(first: int, end: int, step: int) -> Iterator[tuple[int, str, float, int]]:
    while first < end:
        command = [sys.executable, "-m", "tools.fuzz", "--worker", f"{first}:{end}:{step}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
            assert worker.stdout is not None
            try:
                for line in worker.stdout:
                    number, said, cpu_s, peak = json.loads(line)
                    yield number, said, cpu_s, peak
                    first = number + step
            except GeneratorExit:
                worker.kill()
                raise
        if first < end:
            yield first, f"ended the worker: {_ending(worker.returncode)}", 0.0, 0
            first += step


def _ending(code: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(-code).name
    return f"exit code {code}"


def _keep(kind: str, number: int, failures: int) -> str:
    """Write a failing case into the corpus; return the command that repeats it."""
    if failures >= MOST_KEPT:
        return f"python -m tools.fuzz --case {kind}:{number}"
    files = targets.made(kind, number)
    digest = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:12]
    folder = targets.CORPUS / targets.KINDS[kind].folder / f"{kind}-{digest}"
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return f"python -m tools.fuzz --case {folder.relative_to(targets.CORPUS)}"
