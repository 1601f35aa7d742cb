# SPDX-License-Identifier: Apache-2.0
"""Work that any process can do, and experiments: generators that ask for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable
from typing import Any, Generic, TypeVar

R = TypeVar("R")


class Work(ABC, Generic[R]):
    """Work that depends on nothing but itself, such as the strikes of one step.

    A dataclass of values that can be pickled.
    """

    __slots__ = ()

    @property
    def needs(self) -> str:
        """The resource that a worker of a cluster must have for it; empty: any worker does it."""
        return ""

    @abstractmethod
    def take(self) -> R:
        """Do it, and return what came of it. Raises PlexorError."""


Experiment = Generator[Any, Any, R]
"""Yields work, or experiments to run side by side, and gets what came of them.

It does so by `yield from taken(work)` and `yield from together(experiments)`, which have types. An
error of its work is raised where it asked. What it does not catch ends the whole.
"""


def taken(work: Work[R]) -> Experiment[R]:
    """Have work done, and return what came of it."""
    return (yield work)


def together(experiments: Iterable[Experiment[R]]) -> Experiment[list[R]]:
    """Run experiments side by side, and return what each returns, in their order."""
    return (yield list(experiments))


def take(work: Work[R]) -> R:
    """Do work; this is what a worker is told."""
    return work.take()
