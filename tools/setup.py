# SPDX-License-Identifier: Apache-2.0
"""Sets up a bare clone: system packages, a virtual environment with locked versions, FreeRTOS.

    python3 -m tools.setup {demo,test,flash}

Uses the standard library only. Parts that exist are left alone, so a second run takes no time. Exit
codes: 0 ready, 1 something is missing (one line on stderr says what to do), 2 usage.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.system import (
    SetupError,
    install,
    last_line,
    missing_cargo,
    missing_packages,
    missing_test_tools,
)

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
PROFILES = ("demo", "test", "flash")
"""Profiles that can be set up. Each includes the one before."""
_OLDEST_PYTHON = (3, 11)
_INSTALLERS = 3
"""Number of parallel installers: one waits for the network while another unpacks."""
_PIP = ("install", "--quiet", "--no-deps", "--no-compile", "--disable-pip-version-check")
_KERNEL = "from plexor_sim import packages; packages.freertos_kernel(packages.default_cache())"


def main(arguments: Sequence[str]) -> int:
    """Set up a profile; return the exit code."""
    if len(arguments) != 1 or arguments[0] not in PROFILES:
        print(f"usage: python3 -m tools.setup {{{','.join(PROFILES)}}}", file=sys.stderr)
        return 2
    try:
        set_up(arguments[0])
    except SetupError as error:
        print(f"set-up: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("set-up: interrupted", file=sys.stderr)
        return 130
    return 0


def set_up(profile: str) -> None:
    """Make everything that a profile needs. Raises SetupError if something cannot be had."""
    if sys.version_info < _OLDEST_PYTHON:
        wanted = ".".join(map(str, _OLDEST_PYTHON))
        raise SetupError(f"Python {wanted} or later is needed: make PYTHON=python{wanted}")
    started = time.monotonic()
    kernel = kernel_reason(path="") is None
    ready = stamp(profile).is_file()
    # If an environment can be made at once, cargo is not needed to begin with it.
    cargo = [] if kernel else missing_cargo()
    optional = profile == "demo"
    tools = [] if optional else missing_test_tools()
    install(missing_packages(ENVIRONMENT), later=[*cargo, *tools])
    with ThreadPoolExecutor(1) as beside:
        # One thread for both: apt works for one caller at a time.
        fetched = [] if kernel else [beside.submit(_fetch_kernel, cargo, optional=optional)]
        fetched += [beside.submit(install, tools)] if tools else []
        if not ready:
            _make_environment(profile)
        for part in fetched:
            part.result()
    if fetched or not ready:
        _say(f"ready after {time.monotonic() - started:.0f} s")


def stamp(profile: str) -> Path:
    """Return the file that exists if the environment matches this lock and project."""
    content = [lock_file(profile).read_bytes(), (ROOT / "pyproject.toml").read_bytes()]
    content.append(f"{sys.version}\0{ENVIRONMENT}".encode())
    digest = hashlib.sha256(b"\0".join(content)).hexdigest()[:16]
    return ENVIRONMENT / f"{profile}-{digest}.ready"


def lock_file(profile: str) -> Path:
    """Return the file with all packages of a profile, with versions and hashes."""
    return ROOT / "requirements" / f"{profile}.lock"


def kernel_reason(path: str) -> str | None:
    """Return why FreeRTOS' kernel is neither cached nor available with that path; None if it is."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "sim"), "PATH": path}
    done = subprocess.run(
        [sys.executable, "-c", _KERNEL],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    return None if done.returncode == 0 else last_line(done.stderr)


def _make_environment(profile: str) -> None:
    for old in ENVIRONMENT.glob("*.ready"):
        old.unlink()
    if not _usable():
        _say("making .venv")
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        venv.create(ENVIRONMENT, with_pip=True, symlinks=True)
    _say(f"installing the packages of requirements/{profile}.lock")
    _install_locked(lock_file(profile))
    _pip("plexor itself", "--no-build-isolation", "--editable", str(ROOT))
    for held in PROFILES[: PROFILES.index(profile) + 1]:
        stamp(held).touch()


def _usable() -> bool:
    """Return whether the environment exists, and was made here by this version of Python."""
    pip = ENVIRONMENT / "bin" / "pip"
    library = "python{}.{}".format(*sys.version_info)
    if not (pip.is_file() and PYTHON.exists() and (ENVIRONMENT / "lib" / library).is_dir()):
        return False
    return pip.read_text().startswith(f"#!{ENVIRONMENT}/")


def _install_locked(lock: Path) -> None:
    """Install all packages of a lock: with uv, if it is one of them and can, otherwise with pip.

    uv takes a third of the time. It does not know an index that only pip is told of.
    """
    entries = re.findall(r"^\w.*(?:\n +--.*)*", lock.read_text(), re.MULTILINE)
    own = [entry for entry in entries if entry.startswith("uv==")]
    if own:
        _install_part(0, own)
        options = ("--quiet", "--no-deps", "--require-hashes", "--python", str(PYTHON))
        command = (str(ENVIRONMENT / "bin" / "uv"), "pip", "install", *options)
        command += ("--requirement", str(lock))
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
        if done.returncode == 0:
            return
    # A lock is complete, so its parts need no resolving and can be installed in parallel.
    with ThreadPoolExecutor(_INSTALLERS) as pool:
        parts = [entries[index::_INSTALLERS] for index in range(_INSTALLERS)]
        for installed in [pool.submit(_install_part, *item) for item in enumerate(parts)]:
            installed.result()


def _install_part(index: int, entries: Sequence[str]) -> None:
    part = ENVIRONMENT / f"part{index}.lock"
    part.write_text("\n".join(entries) + "\n")
    _pip("the locked packages", "--require-hashes", "--requirement", str(part))


def _pip(what: str, *arguments: str) -> None:
    command = (str(PYTHON), "-m", "pip", *_PIP, *arguments)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SetupError(f"pip cannot install {what}: {last_line(done.stderr)}")


def _fetch_kernel(packages: Sequence[str], *, optional: bool) -> None:
    """Fetch FreeRTOS' kernel into the cache, after packages. If `optional`, only report failure."""
    try:
        install(packages)
        reason = kernel_reason(path=os.environ["PATH"])
        if reason is not None:
            raise SetupError(reason)
    except SetupError as error:
        if not optional:
            raise
        _say(f"FreeRTOS is not available, so another device will be measured: {error}")


def _say(text: str) -> None:
    print(f"set-up: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
