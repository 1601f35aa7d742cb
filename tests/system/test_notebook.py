# SPDX-License-Identifier: Apache-2.0
"""The notebooks run from their first cells to their last, and show what their texts say."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

LEARN = Path(__file__).parents[2] / "docs" / "learn"
NOTEBOOK, BUILDS = LEARN / "notebook.ipynb", LEARN / "ten-builds.ipynb"


def executed(path, folder):
    """What the cells of a notebook show, by their ids."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    return {cell.id: cell.get("outputs", []) for cell in notebook.cells}


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return executed(NOTEBOOK, tmp_path_factory.mktemp("notebook"))


@pytest.fixture(scope="module")
def builds(tmp_path_factory):
    return executed(BUILDS, tmp_path_factory.mktemp("builds"))


@pytest.mark.full
def test_snapshots_come_while_the_run_is_under_way(shown):
    lines = "".join(entry.text for entry in shown["measure"]).splitlines()
    strikes = [int(line.split()[0]) for line in lines]
    assert len(strikes) >= 3
    assert strikes == sorted(strikes)
    assert strikes[-1] == 1000


@pytest.mark.full
def test_the_picture_is_drawn(shown):
    assert [entry.output_type for entry in shown["plot"]] == ["execute_result"]
    assert len(shown["plot"][0].data["image/png"]) > 4000


@pytest.mark.full
def test_a_run_is_a_small_table(shown):
    (entry,) = shown["table"]
    assert entry.data["text/html"].count("<tr>") == 2
    assert entry.data["text/plain"].startswith("<plexor.Run simulated, 1,000 strikes: ISR p99 ")


@pytest.mark.full
def test_the_build_that_got_slower_is_found(builds):
    """The seventh is planted: its latencies are 18 % longer."""
    (first,) = builds["first"]
    assert first.data["text/plain"] == "'build7'"
    rows = builds["changes"][0].data["text/plain"].splitlines()
    slower = [line.split()[0] for line in rows if line.endswith("True")]
    assert slower[-4:] == ["build7", "build8", "build9", "build10"]
    (sentence,) = builds["sentence"]
    assert sentence.data["text/plain"].startswith("ISR: B is 1.")
    assert "fail" in builds["gate"][0].data["text/plain"].lower()
    assert len(builds["plot"][0].data["image/png"]) > 4000


@pytest.mark.parametrize("path", [NOTEBOOK, BUILDS], ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_what_it_shows(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)
