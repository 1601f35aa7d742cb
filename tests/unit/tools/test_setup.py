# SPDX-License-Identifier: Apache-2.0
"""Locked packages are installed with uv, and with pip where there is no uv or it cannot."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from tools import setup

NAMES = ("anyio", "uv", "zlib")


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """Return a function that installs a lock of some names: by what, and which, in turn."""

    def of(names, uv_can):
        done = []

        def run(command, **_):
            lock = Path(command[-1])
            by = "uv" if command[0].endswith("uv") else "pip"
            done.append((by, re.findall(r"(?m)^\w+", lock.read_text())))
            assert "--require-hashes" in command
            return SimpleNamespace(returncode=int(by == "uv" and not uv_can), stderr="")

        monkeypatch.setattr(setup, "ENVIRONMENT", tmp_path)
        monkeypatch.setattr(setup.subprocess, "run", run)
        lock = tmp_path / "some.lock"
        lock.write_text("".join(f"{name}==1 \\\n    --hash=sha256:0\n" for name in names))
        setup._install_locked(lock)
        return done

    return of


def test_pip_installs_uv_and_that_the_whole_lock(installed):
    assert installed(NAMES, True) == [("pip", ["uv"]), ("uv", list(NAMES))]


def test_where_uv_cannot_pip_installs_all(installed):
    first, second, *rest = installed(NAMES, False)
    assert (first, second) == (("pip", ["uv"]), ("uv", list(NAMES)))
    assert {by for by, _ in rest} == {"pip"}
    assert sorted(name for _, names in rest for name in names) == list(NAMES)


def test_a_lock_without_uv_is_pips(installed):
    done = installed(["anyio", "zlib"], True)
    assert {by for by, _ in done} == {"pip"}
    assert sorted(name for _, names in done for name in names) == ["anyio", "zlib"]
