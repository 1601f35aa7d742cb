# SPDX-License-Identifier: Apache-2.0
"""The suites of benchmarks: their tests by number, and how the firmware says which it has.

The firmware's sources have the same numbers and titles (sim/plexor_sim/firmware/bench). The groups
of OSBench are those of M. Hall, S. Maillet, "Testing Real-Time Systems in Microsoft Windows CE
.NET", 2002. The tests of Thread-Metric and of Zephyr's latency_measure are here as their names say,
with the calls of FreeRTOS.
"""

from __future__ import annotations

from dataclasses import dataclass

BASE = 0
"""The test with nothing between its two codes, in each suite."""
MOST_TEST = 31
FURTHER = 16
"""Tests from this number on begin and end with codes of CLASS_BEGIN and CLASS_END."""
CLASS_BEGIN, CLASS_END = 13, 14
STATE_BEGIN, STATE_REPORT, STATE_DONE = 0, 1, 2
"""User states of the firmware: it begins, reports a test's counters, is done."""
USUAL_LOOPED = 100
"""Operations in a sample of a loop, unless the firmware says otherwise."""


@dataclass(frozen=True, slots=True)
class Test:
    """One test of a suite."""

    number: int
    """0 to MOST_TEST."""
    group: int
    place: int
    """Its place in its group, from 1; 0 for a base."""
    title: str
    base: int | None = BASE
    """Number of the test whose time is subtracted; None for a base."""
    looped: bool = False
    """Whether a sample is a loop of several operations."""

    @property
    def id(self) -> str:
        """The id in a report, such as `1.02`."""
        return f"{self.group}.{self.place:02}"


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite. `code` is what the firmware says it is."""

    name: str
    code: int
    tests: tuple[Test, ...]

    def test(self, number: int) -> Test:
        """Return the test of that number; raise KeyError."""
        return {test.number: test for test in self.tests}[number]


_EMPTY = Test(BASE, 0, 0, "base: nothing", None)
_LOOP = 13

OSBENCH = Suite(
    "osbench",
    1,
    (
        _EMPTY,
        Test(1, 1, 1, "recursive mutex: blocked, until the task of lower priority runs"),
        Test(2, 1, 2, "recursive mutex, free: take"),
        Test(3, 1, 3, "recursive mutex, nobody waits: give"),
        Test(4, 1, 4, "recursive mutex: give, until the waiting task has it"),
        Test(5, 2, 1, "task notification: give, until the waiting task runs"),
        Test(6, 2, 2, "event group: set, until the waiting task runs"),
        Test(7, 3, 1, "binary semaphore: give, until the waiting task has it"),
        Test(8, 4, 1, "mutex, free: take"),
        Test(9, 4, 2, "mutex: give, until the waiting task has it"),
        Test(10, 5, 1, "yield, until the other task of this priority runs"),
        Test(11, 6, 1, "kernel call: xTaskGetTickCount"),
        Test(12, 6, 2, "kernel call: uxTaskPriorityGet, which has a critical section"),
        Test(_LOOP, 7, 0, "base of the loops: nothing", None, looped=True),
        Test(14, 7, 1, "interlocked: decrement", _LOOP, looped=True),
        Test(15, 7, 2, "interlocked: increment", _LOOP, looped=True),
        Test(16, 7, 3, "interlocked: compare and exchange", _LOOP, looped=True),
        Test(17, 7, 4, "interlocked: exchange", _LOOP, looped=True),
    ),
)
THREADMETRIC = Suite(
    "threadmetric",
    2,
    (
        _EMPTY,
        Test(1, 1, 1, "basic: a pass over an array"),
        Test(2, 2, 1, "cooperative: yield, until the next of five tasks runs"),
        Test(3, 3, 1, "preemptive: resume a task of higher priority, until it runs"),
        Test(4, 4, 1, "interrupt: raise it, until it has given a semaphore and that is taken"),
        Test(5, 5, 1, "interrupt preemption: raise it, until the task that it wakes runs"),
        Test(6, 6, 1, "message: send and receive 16 bytes"),
        Test(7, 7, 1, "synchronization: take and give a semaphore"),
        Test(8, 8, 1, "allocation: allocate and free 128 bytes"),
    ),
)
KERNEL = Suite(
    "kernel",
    3,
    (
        _EMPTY,
        Test(1, 1, 1, "yield, until the other task of this priority runs"),
        Test(2, 2, 1, "interrupt: from its end, until the interrupted task goes on"),
        Test(3, 2, 2, "interrupt: from its end, until another task runs"),
        Test(4, 3, 1, "create a task of lower priority"),
        Test(5, 3, 2, "start a task of higher priority, until it runs"),
        Test(6, 3, 3, "suspend itself, until another task runs"),
        Test(7, 3, 4, "resume a task of higher priority, until it runs"),
        Test(8, 3, 5, "abort another task"),
        Test(9, 4, 1, "semaphore: give, nobody waits"),
        Test(10, 4, 2, "semaphore: take, at once"),
        Test(11, 4, 3, "semaphore: give, until the waiting task has it"),
        Test(12, 4, 4, "semaphore: take, blocked until another task runs"),
        Test(13, 5, 1, "mutex: lock, at once"),
        Test(14, 5, 2, "mutex: unlock, nobody waits"),
        Test(15, 5, 3, "mutex: lock, blocked until its owner runs"),
        Test(16, 5, 4, "mutex: unlock, until the waiting task has it"),
        Test(17, 6, 1, "malloc of 128 bytes"),
        Test(18, 6, 2, "free of 128 bytes"),
    ),
)
SUITES = {suite.name: suite for suite in (OSBENCH, THREADMETRIC, KERNEL)}
"""All suites, by name."""
