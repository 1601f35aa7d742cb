# SPDX-License-Identifier: Apache-2.0
"""Where jobs run: in processes here, or on a Dask cluster, behind the same interface."""

from __future__ import annotations

import importlib
import logging
import os
import socket
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from typing import Any, TypeVar

from plexor.base.errors import LinkError, UsageError

T = TypeVar("T")
R = TypeVar("R")

FORMS = "local, local:PROCESSES or dask://HOST:PORT"


ANSWER_S = 5.0
"""Wall time that a scheduler has for its answer."""
WORKERS_S = 5.0
"""Wall time that the first worker has to come."""
_HAS_PLEXOR = "__import__('importlib.util', fromlist=['util']).find_spec('plexor') is not None"
RETRIES = 3
"""Retries of a job whose worker dies."""


def parse_executor(text: str) -> Callable[[], Executor]:
    """Return what opens the executor of `local:2` or `dask://host:port`; raise ValueError."""
    name, colon, rest = text.partition(":")
    if name == "local" and (not colon or (rest.isdecimal() and 0 < int(rest) <= 1024)):
        return lambda: _local(int(rest) if rest else os.cpu_count() or 1)
    if name == "dask" and rest.startswith("//") and rest[2:].rpartition(":")[2].isdecimal():
        return lambda: _dask(f"tcp:{rest}")
    raise ValueError(f"executor: {text!r}; must be {FORMS}")


def is_lost(error: BaseException) -> bool:
    """Return whether a job failed because its worker died, not by itself."""
    lost = isinstance(error, BrokenExecutor | CancelledError)
    return lost or type(error).__module__.partition(".")[0] == "distributed"


class Workers:
    """An executor that is opened anew where a worker has died; a context manager that ends it."""

    def __init__(self, open_executor: Callable[[], Executor]) -> None:
        self._open = open_executor
        self._executor = open_executor()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        """End what is under way; jobs that have not begun are dropped."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def submit(self, work: Callable[[T], R], job: T, needs: str = "") -> Future[R]:
        """Have a job done; on a cluster by a worker that has the resource `needs`, if one is named.

        Such a worker does one job at a time that needs it.
        """
        if needs and isinstance(self._executor, _Cluster):
            # What a real instrument did for one is no answer to another that asks for the same.
            return self._executor.submit(work, job, resources={needs: 1}, pure=False)
        return self._executor.submit(work, job)

    def offers(self, needs: str) -> bool:
        """Return whether there is a worker that has a resource; without a cluster there is."""
        return not isinstance(self._executor, _Cluster) or needs in self._executor.resources()

    def last(self, submitted: Iterable[Future[R]]) -> list[Future[R]]:
        """Drop jobs that have not begun, wait for the others; return those that have a result.

        An interrupt ends the wait, and at once what is still under way.
        """
        begun = [future for future in submitted if not future.cancel()]
        try:
            wait(begun)
        except KeyboardInterrupt:
            abandon: Callable[[], None] | None = getattr(self._executor, "abandon", None)
            if abandon is not None:
                abandon()
        ended = (future for future in begun if future.done() and not future.cancelled())
        return [future for future in ended if future.exception() is None]

    def renew(self) -> None:
        """Leave an executor that is broken for a new one; its jobs are lost."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = self._open()


def _local(processes: int) -> Executor:
    # Imported here so that --help and wrong options answer at once.
    from plexor.experiments.processes import Processes  # noqa: PLC0415

    return Processes(processes)


def _dask(address: str) -> Executor:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ModuleNotFoundError as error:
        raise UsageError(
            f"executor: {address}: Dask is not installed; in a clone: pip install '.[cluster]'"
        ) from error
    _quiet()
    try:
        host, _, port = address.removeprefix("tcp://").rpartition(":")
        socket.create_connection((host.strip("[]"), int(port)), ANSWER_S).close()
        client = _within(ANSWER_S, lambda: distributed.Client(address, timeout=ANSWER_S))
    except (OSError, OverflowError, UnicodeError) as error:
        raise LinkError(f"executor: {address}: no Dask scheduler answers there") from error
    try:
        _check_workers(client, address)
    except BaseException:
        client.close()
        raise
    return _Cluster(client)


def _within(seconds: float, work: Callable[[], R]) -> R:
    """Return the result of work in a thread; raise TimeoutError if it takes too long.

    Dask's own limit does not hold where something listens and never says a word.
    """
    found: Future[R] = Future()

    def do() -> None:
        try:
            found.set_result(work())
        except Exception as error:
            found.set_exception(error)

    threading.Thread(target=do, daemon=True).start()
    return found.result(seconds)


def _quiet() -> None:
    """Silence what Dask says of connections; what matters of it becomes one line of ours."""
    for name in ("asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("asyncio", "distributed", "tornado"):
            logger = logging.getLogger(name)
            logger.handlers, logger.propagate = [logging.NullHandler()], False


def _check_workers(client: Any, address: str) -> None:
    """Raise LinkError unless there are workers, and all of them have this package."""
    try:
        client.wait_for_workers(1, timeout=WORKERS_S)
    except TimeoutError as error:
        raise LinkError(
            f"executor: {address}: the Dask scheduler has no workers; start one where Plexor is "
            f"installed: dask worker {address}"
        ) from error
    # A function of ours could not be unpickled where it is missing.
    having: dict[str, Any] = client.run(eval, _HAS_PLEXOR, on_error="return")
    lacking = [worker for worker, has in having.items() if has is not True]
    if lacking:
        raise LinkError(
            f"executor: {address}: {len(lacking)} of {len(having)} workers lack the package "
            f"plexor, such as {lacking[0]}; install it in their environment"
        )


class _Cluster(Executor):
    """A Dask client with the interface of every executor; its end closes the client."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._executor: Executor = client.get_executor(retries=RETRIES)

    def submit(self, fn: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        return self._executor.submit(fn, *args, **kwargs)

    def resources(self) -> set[str]:
        """Return what its workers have, as their option --resources says."""
        workers: dict[str, Any] = self._client.scheduler_info()["workers"]
        return {name for worker in workers.values() for name in worker["resources"]}

    def abandon(self) -> None:
        self.shutdown(wait=False)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        del cancel_futures  # Dask knows `wait` only: without it, what is under way is cancelled
        self._executor.shutdown(wait)
        self._client.close()
