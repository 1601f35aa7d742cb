# SPDX-License-Identifier: Apache-2.0
"""Third-party sources: found in registries by name and checksum, never committed.

The caller chooses the cache directory; the command line passes `default_cache`. Everything in the
cache appears by one rename, so that a killed download leaves nothing half made.
"""

import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

VEXRISCV_PACKAGE = "pythondata-cpu-vexriscv 1.0.1.post407"
VEXRISCV_SHA256 = {
    "Full": "506a6e6dd161ab96459bf4e08c2388435cb0ffb5f5e591c843b2f042fa4a3eee",
    "Min": "a2f6dbdab57278866f6b371b5b7d8b74bc813444757ef06195e8559f0d02e279",
}

FREERTOS_CRATE = "freertos-next"
FREERTOS_VERSION = "0.12.0"
FREERTOS_SHA256 = "b7824fb42660c16e1b3b573eef99c2fe5c5cba6294a631c309084635f6bfcbb0"
# The parts of FreeRTOS-Kernel V11.2.0 that the device needs, and its licence.
FREERTOS_PARTS = (
    "LICENSE.md",
    "event_groups.c",
    "list.c",
    "queue.c",
    "tasks.c",
    "include/",
    "portable/GCC/RISC-V/",
    "portable/MemMang/heap_4.c",
)

_FETCH_TIMEOUT_S = 300
# Older ones cannot read the 2024 edition, which some crates beside FreeRTOS' are written in.
_CARGO = "Rust's cargo 1.85 or later"


class PackageMissing(Exception):  # noqa: N818 - named for what a caller falls back on
    """A third-party package that cannot be had: which version, why, and what would help."""

    def __init__(self, package: str, reason: str, remedy: str) -> None:
        super().__init__(f"{package}: {reason}; {remedy}")
        self.package = package


def default_cache() -> Path:
    """Return the user's cache directory for plexor, by the XDG convention."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "plexor"


def sha256(data: bytes) -> str:
    """Return the SHA-256 of the data in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def make_once(directory: Path, fill: Callable[[Path], None]) -> Path:
    """Return the directory; `fill` fills it if it does not exist. It appears whole or not at all.

    If another process or thread is making it, this one waits.
    """
    if directory.is_dir():
        return directory
    directory.parent.mkdir(parents=True, exist_ok=True)
    with (
        _alone(directory.with_name(f".lock-{directory.name}")),
        tempfile.TemporaryDirectory(dir=directory.parent, prefix=".making-") as temporary,
    ):
        if not directory.is_dir():
            made = Path(temporary) / "made"
            made.mkdir()
            fill(made)
            made.rename(directory)
    return directory


@contextmanager
def _alone(path: Path) -> Generator[None]:
    """Hold an exclusive lock on a file of this name, which is removed afterwards."""
    while True:
        with path.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            # The previous holder has removed the file, so others would wait for a new one.
            if not os.fstat(file.fileno()).st_nlink:
                continue
            try:
                yield
            finally:
                path.unlink()
            return


def vexriscv(variant: str = "Full") -> Path:
    """Return the Verilog of VexRiscv's variant, Full or Min, from its Python wheel."""
    remedy = f"install it: pip install '{VEXRISCV_PACKAGE.replace(' ', '==')}'"
    module = importlib.util.find_spec("pythondata_cpu_vexriscv")
    if module is None or module.origin is None:
        raise PackageMissing(VEXRISCV_PACKAGE, "not installed", remedy)
    source = Path(module.origin).parent / "verilog" / f"VexRiscv_{variant}.v"
    if not source.is_file() or sha256(source.read_bytes()) != VEXRISCV_SHA256[variant]:
        raise PackageMissing(
            VEXRISCV_PACKAGE, f"the installed version has a different {source.name}", remedy
        )
    return source


def freertos_kernel(cache: Path) -> Path:
    """Return the folder of FreeRTOS-Kernel's sources. The first call fetches them with cargo."""
    parts = sha256("\0".join((FREERTOS_SHA256, *FREERTOS_PARTS)).encode())[:12]
    directory = cache / f"{FREERTOS_CRATE}-{FREERTOS_VERSION}-{parts}"
    return make_once(
        directory,
        lambda made: _unpack(crate(FREERTOS_CRATE, FREERTOS_VERSION, FREERTOS_SHA256, cache), made),
    )


def _unpack(archive_path: Path, directory: Path) -> None:
    """Unpack the needed part of the kernel from the crate."""
    prefix = f"{FREERTOS_CRATE}-{FREERTOS_VERSION}/FreeRTOS-Kernel/"
    with tarfile.open(archive_path) as archive:
        for member in archive:
            name = member.name.removeprefix(prefix)
            # Members are copied, not extracted: Debian 12's Python has no filter against bad ones.
            content = archive.extractfile(member) if member.isreg() else None
            if content is None or name == member.name or not name.startswith(FREERTOS_PARTS):
                continue
            target = directory / name
            if ".." in target.parts:
                raise ValueError(f"{archive_path.name}: {member.name!r} leaves its folder")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.read())


def crate(name: str, version: str, checksum: str, cache: Path) -> Path:
    """Return the checked .crate file in cargo's own cache; fetch it if it is missing.

    Raises PackageMissing.
    """
    package = f"{name} {version} (Rust crate)"
    path = _cached_crate(name, version, checksum)
    if path is None:
        cargo = shutil.which("cargo")
        if cargo is None:
            raise PackageMissing(
                package, "cargo is not on the path", f"install {_CARGO}, needed only once"
            )
        reason = _fetch(cargo, f'{name} = "={version}"', cache)
        path = _cached_crate(name, version, checksum)
        if path is None:
            raise PackageMissing(
                package,
                reason or "cargo's cache has no such file with the right SHA-256",
                f"let {_CARGO} reach a registry or mirror once",
            )
    return path


def _cached_crate(name: str, version: str, checksum: str) -> Path | None:
    """Return the crate file with the right checksum in cargo's registry caches, if there is one."""
    # CARGO_HOME is cargo's own variable. Cargo, with its mirrors, decides where to download to.
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    for path in sorted(home.glob(f"registry/cache/*/{name}-{version}.crate")):
        if sha256(path.read_bytes()) == checksum:
            return path
    return None


def _fetch(cargo: str, dependency: str, cache: Path) -> str:
    """Have cargo fetch the crate for a temporary project; return the reason of a failure, or ""."""
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix=".cargo-") as project:
        # The project is its own workspace, in case the cache is inside a user's Rust project.
        manifest = (
            '[package]\nname = "plexor-fetch"\nversion = "0.0.0"\nedition = "2021"\n\n'
            '[lib]\npath = "lib.rs"\n\n[workspace]\n\n'
            f"[dependencies]\n{dependency}\n"
        )
        Path(project, "Cargo.toml").write_text(manifest)
        Path(project, "lib.rs").write_text("")
        try:
            done = subprocess.run(
                [cargo, "fetch"],
                cwd=project,
                capture_output=True,
                text=True,
                timeout=_FETCH_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"`cargo fetch` took more than {_FETCH_TIMEOUT_S} s"
    if done.returncode == 0:
        return ""
    return f"`cargo fetch` failed: {_cause(done.stderr) or done.returncode}"


def _cause(said: str) -> str:
    """Return the line of cargo's or rustup's error that is closest to the cause, if any."""
    # Cargo's cause comes last; rustup's comes before its stack trace.
    before, _, _ = said.partition("Stack backtrace:")
    lines = [line.strip() for line in before.splitlines() if line.strip()]
    return lines[-1] if lines else ""
