# SPDX-License-Identifier: Apache-2.0
"""The examples are copied as they are, into a folder that has nothing else."""

from pathlib import Path

import pytest

import plexor_sim
from plexor.base.errors import LinkError, StoreError, UsageError
from plexor.library.upkeep.examples import copy_examples

EXAMPLES = Path(plexor_sim.__file__).parent / "examples"


@pytest.mark.parametrize("there", [False, True])
def test_every_example_is_copied(tmp_path, there):
    folder = tmp_path / "a" / "b"
    if there:
        folder.mkdir(parents=True)
    files = copy_examples(folder)
    originals = {path.name: path.read_bytes() for path in EXAMPLES.iterdir() if path.is_file()}
    assert {"irq.toml", "irq.v", "budget.toml", "farm.toml", "ci.yml"} <= set(originals)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == originals
    assert sorted(files) == sorted(folder.iterdir())


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(UsageError, match=r"is not empty; name a new folder$"):
        copy_examples(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_folder_that_cannot_be_made_is_one_error_with_its_path(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StoreError, match="file/below: cannot write"):
        copy_examples(tmp_path / "file" / "below")


def test_without_the_simulator_it_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setattr("plexor.library.upkeep.desk.find_spec", {}.get)
    with pytest.raises(LinkError, match=r"pip install '\.\[sim\]'"):
        copy_examples(tmp_path / "new")
