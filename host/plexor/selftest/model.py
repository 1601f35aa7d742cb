"""What a self-test found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect: where, and what it does."""

    subject: str
    """`ch3`, `strike0`, `link`, `memory` or `registers`."""
    text: str


@dataclass(frozen=True, slots=True)
class Check:
    """One part of the self-test."""

    name: str
    summary: str
    """What was done, with its figures."""
    findings: tuple[Finding, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


@dataclass(frozen=True, slots=True)
class SelfTest:
    """All parts, in the order in which they were done."""

    serial: str
    gateware_hash: int
    board: str
    simulated: bool
    made: str
    """When, ISO 8601 in UTC."""
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return all(check.passed for check in self.checks)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All defects."""
        return tuple(finding for check in self.checks for finding in check.findings)


def check(name: str, summary: str, findings: Iterable[Finding] = ()) -> Check:
    """Return a check; a finding that is there twice is there once."""
    return Check(name, summary, tuple(dict.fromkeys(findings)))
