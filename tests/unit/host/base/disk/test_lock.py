# SPDX-License-Identifier: Apache-2.0
"""Locks end with their process, and a folder that was made for nothing is gone."""

import os
import signal
import subprocess
import sys

import pytest

from plexor.base.disk.lock import Held, lock
from plexor.base.errors import UsageError

HOLDER = """
import sys
from pathlib import Path
from plexor.base.disk.lock import Held
held = Held(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_one_lock_at_a_time(tmp_path):
    first = lock(tmp_path)
    assert first is not None
    assert lock(tmp_path) is None
    first.close()
    first.close()
    second = lock(tmp_path)
    assert second is not None
    second.close()


def test_what_is_not_there_cannot_be_locked(tmp_path):
    with pytest.raises(FileNotFoundError):
        lock(tmp_path / "nosuch")


def test_a_folder_is_free_again_when_its_process_is_killed(tmp_path):
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(UsageError, match=f"^--out {tmp_path}: process {other.pid} writes"):
            Held(tmp_path, "--out")
        other.send_signal(signal.SIGKILL)
    Held(tmp_path).close()
    assert os.listdir(tmp_path) == []


def test_a_folder_that_something_came_into_stays(tmp_path):
    held = Held(tmp_path / "a" / "b")
    (tmp_path / "a" / "b" / "x").touch()
    held.close()
    assert os.listdir(tmp_path / "a" / "b") == ["x"]


def test_a_folder_that_was_empty_before_stays(tmp_path):
    Held(tmp_path).close()
    assert tmp_path.is_dir()
