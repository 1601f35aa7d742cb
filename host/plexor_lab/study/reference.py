# SPDX-License-Identifier: Apache-2.0
"""Figures that a published study gives for two systems, row by row.

C. Tacke, L. Ricci, "Benchmarking Real-Time Determinism in Windows CE", COTS Journal. The known text
lacks the study's table (Figure 7). Cells that the text does not mention are absent here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SOURCE = 'C. Tacke, L. Ricci, "Benchmarking Real-Time Determinism in Windows CE", COTS Journal'
CE_3_0, CE_NET = "CE 3.0", "CE .NET"
IDLE, LOADED = "none", "polygons"


class Role(StrEnum):
    """What a response pin belongs to."""

    INTERRUPT = "interrupt"
    TASK = "task"


class StatementSubject(StrEnum):
    """The subject of a statement. The first three are columns of the table."""

    LATENCY = "latency"
    JITTER = "jitter"
    SATURATION = "saturation"
    CHANGE = "change"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class Statement:
    """One figure from the text."""

    row: str
    system: str
    role: Role
    loads: tuple[str, ...]
    """Loads that the figure may belong to; several if the text leaves it open."""
    what: StatementSubject
    text: str
    explicit: bool = True
    """Whether the text names the load."""

    @property
    def shown(self) -> str:
        """The figure, with `?` if its load is not explicit."""
        return self.text if self.explicit else f"{self.text}?"


_IST, _APP = Role.INTERRUPT, Role.TASK
_IDLE, _LOADED, _BOTH = (IDLE,), (LOADED,), (IDLE, LOADED)

STATEMENTS: tuple[Statement, ...] = (
    Statement("R1", CE_3_0, _IST, _IDLE, StatementSubject.LATENCY, "~2.5 µs"),
    Statement("R2", CE_3_0, _APP, _IDLE, StatementSubject.LATENCY, "16 µs"),
    Statement("R3", CE_3_0, _IST, _LOADED, StatementSubject.JITTER, "~5 µs"),
    Statement("R4", CE_3_0, _APP, _LOADED, StatementSubject.LATENCY, "≤ 133 µs"),
    Statement(
        "R5", CE_3_0, _APP, _LOADED, StatementSubject.REMARK, "early peaks at about 15 and 30 µs"
    ),
    Statement(
        "R6", CE_3_0, _IST, _LOADED, StatementSubject.REMARK, "all completed within about 50 µs"
    ),
    Statement(
        "R7", CE_3_0, _APP, _LOADED, StatementSubject.REMARK, "all completed within about 125 µs"
    ),
    Statement("R8", CE_3_0, _IST, _IDLE, StatementSubject.SATURATION, "> 100 kHz", explicit=False),
    Statement("R9", CE_3_0, _IST, _LOADED, StatementSubject.SATURATION, "80 kHz"),
    Statement("R10", CE_3_0, _APP, _LOADED, StatementSubject.CHANGE, "more than 50 %"),
    Statement("R11", CE_NET, _IST, _BOTH, StatementSubject.SATURATION, "47 kHz", explicit=False),
    Statement("R12", CE_NET, _APP, _LOADED, StatementSubject.CHANGE, "about 2 %"),
    Statement("R13", CE_NET, _IST, _LOADED, StatementSubject.LATENCY, "6.3 µs", explicit=False),
    Statement("R14", CE_NET, _APP, _LOADED, StatementSubject.LATENCY, "53 µs", explicit=False),
    Statement(
        "R15",
        CE_NET,
        _APP,
        _LOADED,
        StatementSubject.REMARK,
        "jitter less than when idle, and than that of CE 3.0 under load",
    ),
)


def stated(system: str, load: str, role: Role, subject: StatementSubject) -> Statement | None:
    """Return what the text says about a cell; None if it says nothing."""
    return next(
        (
            statement
            for statement in STATEMENTS
            if (statement.system, statement.role, statement.what) == (system, role, subject)
            and load in statement.loads
        ),
        None,
    )
