# SPDX-License-Identifier: Apache-2.0
"""Result of a self-test."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect: where it is and what it does."""

    subject: str
    """`ch3`, `strike0`, `lamp2`, `link`, `memory` or `registers`."""
    text: str


@dataclass(frozen=True, slots=True)
class SelftestPart:
    """One part of the self-test."""

    name: str
    summary: str
    """What was tested, with figures."""
    findings: tuple[Finding, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether there are no findings."""
        return not self.findings


@dataclass(frozen=True, slots=True)
class SelfTest:
    """All parts of a self-test, in the order in which they were done."""

    serial: str
    gateware_hash: int
    board: str
    simulated: bool
    made: str
    """Time of the test, ISO 8601 in UTC."""
    checks: tuple[SelftestPart, ...]

    @property
    def passed(self) -> bool:
        """Whether every part passed."""
        return all(check.passed for check in self.checks)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All defects."""
        return tuple(finding for check in self.checks for finding in check.findings)


def check(name: str, summary: str, findings: Iterable[Finding] = ()) -> SelftestPart:
    """Return a check without repeated findings."""
    return SelftestPart(name, summary, tuple(dict.fromkeys(findings)))
