# SPDX-License-Identifier: Apache-2.0
"""The notebook runs from its first cell to its last, and shows what its text says."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "docs" / "learn" / "notebook.ipynb"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What the cells show, by their ids."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    folder = str(tmp_path_factory.mktemp("notebook"))
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}}).execute()
    return {cell.id: cell.get("outputs", []) for cell in notebook.cells}


@pytest.mark.full
def test_snapshots_come_while_the_run_is_under_way(shown):
    lines = "".join(entry.text for entry in shown["measure"]).splitlines()
    strikes = [int(line.split()[0]) for line in lines]
    assert len(strikes) >= 3
    assert strikes == sorted(strikes)
    assert strikes[-1] == 1000


@pytest.mark.full
def test_the_picture_is_drawn(shown):
    assert [entry.output_type for entry in shown["plot"]] == ["display_data"]
    assert len(shown["plot"][0].data["image/png"]) > 4000


def test_the_notebook_is_kept_without_what_it_shows():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)
