# SPDX-License-Identifier: Apache-2.0
"""Experiments that are made of steps: they are told one by one, counted, and end in a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from plexor.base.errors import PlexorError
from plexor.experiments.engine import Engine, Store
from plexor.experiments.pool import Workers
from plexor.experiments.step import RateStep
from plexor.experiments.work import Experiment

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
OnStep = Callable[[Any, RateStep, int, int], None]
"""Gets the work, a step of it, how many steps were taken, and about how many there will be."""


class Stepping(Protocol[R_co]):
    """A sweep or a burst scan as an experiment."""

    kind: ClassVar[str]
    """What it is, such as `sweep`."""

    @property
    def goal(self) -> object:
        """What it is to find out."""
        ...

    @property
    def duts(self) -> Sequence[str | None]:
        """The simulated devices that it is of."""
        ...

    def run(self) -> Experiment[None]:
        """Return the generator that asks for its steps."""
        ...

    def expected(self) -> int:
        """Return about how many steps there will be."""
        ...

    def result(self, steps: Sequence[RateStep], interrupted: bool) -> R_co:
        """Return what one or more steps say."""
        ...


@dataclass(frozen=True, slots=True)
class Stepped(Generic[R]):
    """What came of steps."""

    result: R | None
    """None: there is no step. Then nothing is known of a device, not even if it is simulated."""
    interrupted: bool = False
    error: PlexorError | None = None


def stepped(
    stepping: Stepping[R], workers: Workers, store: Store, on_step: OnStep | None = None
) -> Stepped[R]:
    """Take steps to the end of an experiment, or to an early one as `Engine.run` has it."""
    taken, noted = 0, _Noted(store)

    def heard(work: Any, steps: Sequence[RateStep]) -> None:
        nonlocal taken
        for step in steps:
            taken += 1
            if on_step is not None:
                on_step(work, step, taken, stepping.expected())

    ending = Engine(workers, noted, heard).run(stepping.run())
    result = stepping.result(noted.steps, ending.interrupted) if noted.steps else None
    return Stepped(result, ending.interrupted, ending.error)


class _Noted:
    """A store that notes all steps, those too that come behind an early end."""

    def __init__(self, store: Store) -> None:
        self.steps: list[RateStep] = []
        self._store = store

    def find(self, work: Any) -> Sequence[RateStep] | None:
        known = self._store.find(work)
        self.steps += known or ()
        return known

    def add(self, work: Any, found: Sequence[RateStep]) -> None:
        self._store.add(work, found)
        self.steps += found
