# SPDX-License-Identifier: Apache-2.0
"""Codes of a suite's firmware, planted by tests, and runs that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from plexor.library.run import Run
from plexor.model.code_array import CODE_DTYPE, CodeArray
from plexor.model.codes import Codes, Port
from plexor.protocol.geometry import Feature

from ...coded import coded_run
from ...runs import run

BITS = 8
ENTER, EXIT, SET, VALUE_A, VALUE_B, RUN, ISR_ENTER = 8, 9, 10, 11, 12, 1, 6
TICK_FS = 500_000

Code = tuple[int, int]
"""Class and id."""


def begin(test: int) -> Code:
    return (ENTER, test) if test < 16 else (13, test - 16)


def end(test: int) -> Code:
    return (EXIT, test) if test < 16 else (14, test - 16)


def words(value: int) -> list[Code]:
    """The codes of a value: four bits each, the lowest first, of two classes in turns."""
    return [((VALUE_A, VALUE_B)[part % 2], value >> 4 * part & 15) for part in range(8)]


def announced(suite: int, iterations: int, looped: int = 100, own: int = 0) -> list[Code]:
    values = (suite, iterations, looped, 50_000_000, own)
    return [(SET, 0), *(code for value in values for code in words(value))]


def report(test: int, *counters: int) -> list[Code]:
    values = (test, len(counters), *counters)
    return [(SET, 1), *(code for value in values for code in words(value))]


DONE: list[Code] = [(SET, 2)]


class Script:
    """Codes one after the other; times in ticks."""

    def __init__(self) -> None:
        self.now = 1000
        self.rows: list[tuple[int, Code]] = []

    def say(self, codes: Sequence[Code]) -> Script:
        """Add codes that are 10 ticks apart."""
        for code in codes:
            self.now += 10
            self.rows.append((self.now, code))
        return self

    def lasts(self, test: int, ticks: int, between: Sequence[Code] = ()) -> Script:
        """Add an operation, with codes a tick apart behind its begin."""
        self.say([begin(test)])
        self.rows += [(self.now + n + 1, code) for n, code in enumerate(between)]
        self.now += ticks
        self.rows.append((self.now, end(test)))
        return self

    def codes(self) -> CodeArray:
        found = np.zeros(len(self.rows), CODE_DTYPE)
        for place, (time_ticks, (code_class, number)) in enumerate(self.rows):
            found[place]["time_ticks"] = time_ticks
            found[place]["code"] = code_class << 4 | number
        return found

    def run(self, **device: str) -> Run:
        """A valid run with these codes, of a device with a description."""
        struck, _ = run()
        result = coded_run([], max(self.now + 1000, struck.end_ticks))
        settings = replace(result.settings, codes=Codes(port=Port(), bits=BITS))
        geometry = replace(
            result.identity.geometry,
            code_bits=BITS,
            features=result.identity.geometry.features | Feature.CODES,
        )
        return Run(
            replace(
                result,
                identity=replace(result.identity, geometry=geometry),
                settings=settings,
                # The edges beside them are those of its accounting.
                events=struck.events,
                accounting=struck.accounting,
                codes=self.codes(),
                device=device,
            )
        )


def suite_run(
    suite: int = 3, iterations: int = 2, base_ticks: int = 40, counters: Sequence[int] = (2,)
) -> Script:
    """Two samples of test 1, of 140 and 170 ticks, behind two of the base."""
    script = Script().say(announced(suite, iterations))
    script.lasts(0, base_ticks).lasts(0, base_ticks).say(report(0, 2))
    script.lasts(1, 140, [(ISR_ENTER, 3)]).lasts(1, 170).say(report(1, *counters))
    return script.say(DONE)
