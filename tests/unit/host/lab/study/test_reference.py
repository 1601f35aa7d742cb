# SPDX-License-Identifier: Apache-2.0
"""Cells of the published study: a figure where the text has one, and absent where it has none."""

import pytest

from plexor_lab.study.reference import (
    CE_3_0,
    CE_NET,
    IDLE,
    LOADED,
    STATEMENTS,
    Role,
    StatementSubject,
    stated,
)


@pytest.mark.parametrize(
    ("cell", "row"),
    [
        ((CE_3_0, IDLE, Role.INTERRUPT, StatementSubject.LATENCY), "R1"),
        ((CE_3_0, LOADED, Role.INTERRUPT, StatementSubject.SATURATION), "R9"),
        # Of .NET the text leaves open under which load its 47 kHz are.
        ((CE_NET, IDLE, Role.INTERRUPT, StatementSubject.SATURATION), "R11"),
        ((CE_NET, LOADED, Role.INTERRUPT, StatementSubject.SATURATION), "R11"),
        ((CE_NET, IDLE, Role.TASK, StatementSubject.LATENCY), None),
        ((CE_3_0, "cpu", Role.INTERRUPT, StatementSubject.LATENCY), None),
        (("FreeRTOS", IDLE, Role.INTERRUPT, StatementSubject.LATENCY), None),
    ],
)
def test_a_cell_is_the_texts_own_or_absent(cell, row):
    found = stated(*cell)
    assert (found.row if found else None) == row


def test_a_figure_whose_load_is_open_is_marked_and_no_other():
    marked = {entry.row for entry in STATEMENTS if entry.shown.endswith("?")}
    assert marked == {"R8", "R11", "R13", "R14"}
    assert all(entry.shown.startswith(entry.text) for entry in STATEMENTS)


def test_no_cell_has_two_figures():
    cells = [
        (entry.system, entry.role, entry.what, load)
        for entry in STATEMENTS
        if entry.what != StatementSubject.REMARK
        for load in entry.loads
    ]
    assert len(set(cells)) == len(cells)
