# SPDX-License-Identifier: Apache-2.0
"""Third-party sources are checked, appear whole or not at all, and are missed by name."""

import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plexor_sim import packages
from plexor_sim.packages import PackageMissing


def test_without_cargo_the_kernel_is_missing_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "empty"))
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = r"freertos-next 0\.12\.0.*cargo is not on the path; install .*cargo 1\.85 or later"
    with pytest.raises(PackageMissing, match=missing):
        packages.freertos_kernel(tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize("stack", ["", "\nStack backtrace:\n   0: main\n  13: <unknown>\n"])
def test_a_failing_cargo_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stack: str
) -> None:
    cargo = tmp_path / "cargo"
    (tmp_path / "said").write_text(f"downloading\nerror: it failed\nno route\n{stack}")
    cargo.write_text(f"#!/bin/sh\ncat {tmp_path / 'said'} >&2\nexit 101\n")
    cargo.chmod(0o755)
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "empty"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(PackageMissing, match=r"no route; let .* 1\.85 or later") as caught:
        packages.freertos_kernel(tmp_path / "cache")
    assert "\n" not in str(caught.value)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_crate_with_another_checksum_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "home" / "registry" / "cache" / "somewhere"
    folder.mkdir(parents=True)
    (folder / "freertos-next-0.12.0.crate").write_bytes(b"not this one")
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PackageMissing):
        packages.freertos_kernel(tmp_path / "cache")


def test_the_kernel_once_unpacked_needs_no_cargo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = packages.freertos_kernel(tmp_path / "cache")
    assert (kernel / "tasks.c").is_file()
    assert (kernel / "LICENSE.md").is_file()
    assert not (kernel / "portable" / "ThirdParty").exists()
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "empty"))
    monkeypatch.setattr(subprocess, "run", None)
    assert packages.freertos_kernel(tmp_path / "cache") == kernel


def test_what_was_interrupted_is_not_there(tmp_path: Path) -> None:
    def fill(directory: Path) -> None:
        (directory / "half").write_text("made")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        packages.make_once(tmp_path / "thing", fill)
    assert list(tmp_path.iterdir()) == []


def test_who_comes_second_waits_and_takes_what_the_first_made(tmp_path: Path) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def first(directory: Path) -> None:
        begun.set()
        assert may_end.wait(30)
        (directory / "first").write_text("whole")

    def second(directory: Path) -> None:
        (directory / "second").write_text("whole")

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(packages.make_once, tmp_path / "thing", first)
        assert begun.wait(30)
        other = pool.submit(packages.make_once, tmp_path / "thing", second)
        assert not other.done()
        may_end.set()
        assert one.result() == other.result() == tmp_path / "thing"
    assert [path.name for path in (tmp_path / "thing").iterdir()] == ["first"]
    assert [path.name for path in tmp_path.iterdir()] == ["thing"]


def test_who_waited_for_one_that_failed_makes_it(tmp_path: Path) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def broken(directory: Path) -> None:
        begun.set()
        assert may_end.wait(30)
        raise OSError("no space")

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(packages.make_once, tmp_path / "thing", broken)
        assert begun.wait(30)
        other = pool.submit(
            packages.make_once, tmp_path / "thing", lambda made: (made / "second").touch()
        )
        may_end.set()
        with pytest.raises(OSError, match="no space"):
            one.result()
        other.result()
    assert [path.name for path in (tmp_path / "thing").iterdir()] == ["second"]
    assert [path.name for path in tmp_path.iterdir()] == ["thing"]


def test_the_cache_directory_follows_the_xdg_convention(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/some/cache")
    assert packages.default_cache() == Path("/some/cache/plexor")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert packages.default_cache() == Path.home() / ".cache" / "plexor"
