# SPDX-License-Identifier: Apache-2.0
"""How two farms differ is told once for all cells that have it."""

from plexor.library.cells.asked import asked_of, differing_cells
from plexor.library.cells.cell import Cell


def cells(*names, **options):
    made = (Cell(names={"load": name}, link="sim:", options=options) for name in names)
    return {cell.name: asked_of(cell) for cell in made}


def told(now, there):
    return list(differing_cells(now, there))


def test_what_a_cell_asks_has_the_names_of_the_farms_file():
    cell = Cell(
        names={"load": "busy"},
        link="sim:",
        options={"rate": "20k", "load": "cpu"},
        keys={"os": "FreeRTOS"},
        load_on="stress",
    )
    assert asked_of(cell) == {
        "link": "sim:",
        "rate": "20k",
        "load": "cpu",
        "os": "FreeRTOS",
        "load-on": "stress",
    }


def test_a_difference_of_all_cells_is_told_once():
    assert told(cells("a", "b", rate="10k"), cells("a", "b", rate="20k")) == ["rate 10k, there 20k"]


def test_a_difference_of_some_cells_is_told_with_their_names():
    now = {**cells("a", "b", rate="20k"), **cells("c", rate="10k", count="9")}
    assert told(now, cells("a", "b", "c", rate="20k")) == [
        "rate 10k, there 20k, in c",
        "count 9, there not given, in c",
    ]


def test_cells_that_came_and_went_are_told():
    assert told(cells("a", "b", "c"), cells("a", "d")) == ["b, c are new", "d is gone"]
    assert told(cells("a"), cells("a")) == []
