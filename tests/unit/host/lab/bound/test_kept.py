# SPDX-License-Identifier: Apache-2.0
"""A folder of a sweep of N: whole runs are found again, others and other devices are not."""

import pytest

from plexor.base.errors import UsageError
from plexor.library.run import Run
from plexor_lab.bound.kept import FILE, RunsByN


def kept(folder, *, force=False, **settings):
    return RunsByN(folder, settings, "--{}".format, force=force)


def test_a_whole_run_is_found_again_and_an_interrupted_one_is_not(tmp_path, run_of):
    with kept(tmp_path / "walk") as runs:
        assert runs.find(3, "a:blocks=3") is None
        runs.add(3, "a:blocks=3", Run(run_of([[1000]])))
        runs.add(5, "a:blocks=5", Run(run_of([[1000]], interrupted=True)))
    with kept(tmp_path / "walk") as runs:
        assert runs.find(3, "a:blocks=3").result.strikes == 1
        assert runs.find(5, "a:blocks=5") is None
        with pytest.raises(UsageError, match=r"walk: N = 3 was measured with other files"):
            runs.find(3, "b:blocks=3")


def test_a_device_whose_file_has_changed_is_another_one(tmp_path, run_of):
    firmware = tmp_path / "firmware.elf"
    firmware.write_bytes(b"one")
    dut = f"freertos:firmware={firmware}"
    with kept(tmp_path / "walk") as runs:
        runs.add(3, dut, Run(run_of([[1000]])))
        assert runs.find(3, dut) is not None
        firmware.write_bytes(b"another")
        with pytest.raises(UsageError, match="other files of the device"):
            runs.find(3, dut)


def test_one_process_has_the_folder_and_leaves_none_that_is_empty(tmp_path):
    with kept(tmp_path / "walk"), pytest.raises(UsageError, match=r"process \d+ writes to it"):
        kept(tmp_path / "walk")
    assert [*tmp_path.iterdir()] == []


def test_other_settings_are_named_and_replaced_by_force_when_they_are_measured(tmp_path, run_of):
    with kept(tmp_path / "walk", count="20") as runs:
        runs.add(3, "a", Run(run_of([[1000]])))
    with pytest.raises(UsageError, match=r"with --count 50, there 20; --force replaces it"):
        kept(tmp_path / "walk", count="50")
    with kept(tmp_path / "walk", force=True, count="50") as runs:
        assert runs.find(3, "a") is None
    # Nothing was measured, so nothing was replaced.
    with kept(tmp_path / "walk", count="20") as runs:
        assert runs.find(3, "a") is not None


def test_what_holds_something_else_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").touch()
    for force in (False, True):
        with pytest.raises(UsageError, match="holds no sweep of N"):
            kept(tmp_path, force=force)
    with pytest.raises(UsageError, match=r"notes\.txt: Not a directory|notes\.txt: File exists"):
        kept(tmp_path / "notes.txt")
    assert FILE not in {path.name for path in tmp_path.iterdir()}
