# SPDX-License-Identifier: Apache-2.0
"""Programs that only Debian's archive has: apt fetches them into a cache; none is installed.

`apt-get download` needs neither root nor the package's dependencies. The build of a version depends
on release and processor, so the SHA-256 of each file that is used is checked instead.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from plexor_sim.packages import PackageMissing, make_once, sha256

ICESTORM = "fpga-icestorm"
ICESTORM_VERSION = "0~20230218gitd20a5e9"
"""Upstream's version. Debian 12 and Ubuntu 24.04 have builds of it."""
ICESTORM_FILES: Mapping[str, str] = {
    "icebox.py": "5d13cbb7d1283680a64bf1515516af8410f6b4a82714e8ca302e02b7f65130ad",
    "iceboxdb.py": "dbe312fb18051c1fa88165720bbc7b9f817f4d5d37ef0c13cbb1155db204c9da",
    "icebox_explain": "b168a03f50c20b3cf90c24fe6d5d0393325bf6b24ddc3988d6fee01c51b000aa",
    "icebox_vlog": "a725c1d313dc65ed1e449046509333cd13bc4ca38f567297906b3e30becf15a5",
}
_ICESTORM_FOLDER = "usr/share/fpga-icestorm/python"
_FETCH_TIMEOUT_S = 300


def icestorm(cache: Path) -> Path:
    """Return the folder with icebox_explain, icebox_vlog and their imports; fetch it once.

    Raises PackageMissing if there is no apt, no such package, or one with other files.
    """
    key = sha256("".join(ICESTORM_FILES.values()).encode())[:12]
    return make_once(cache / f"{ICESTORM}-{key}", _fill)


def _fill(directory: Path) -> None:
    package = f"{ICESTORM} {ICESTORM_VERSION} (Debian package)"
    with tempfile.TemporaryDirectory(dir=directory.parent) as folder:
        download(package, f"{ICESTORM}={ICESTORM_VERSION}*", folder)
        for archive in sorted(Path(folder).glob("*.deb")):
            _run(package, folder, "dpkg-deb", "-x", str(archive), "unpacked")
        for name, wanted in ICESTORM_FILES.items():
            path = Path(folder, "unpacked", _ICESTORM_FOLDER, name)
            if not path.is_file() or sha256(path.read_bytes()) != wanted:
                raise PackageMissing(package, f"{name} is not the expected file", "report it")
            shutil.copyfile(path, directory / name)


def download(package: str, wanted: str, folder: str) -> None:
    """Have apt download `NAME=VERSION` into a folder. Raises PackageMissing with `package`."""
    _needs(package, "apt-get", "dpkg-deb")
    command = ("apt-get", "-qq", "download", wanted)
    try:
        _run(package, folder, *command)
    except PackageMissing:
        # apt may have no package lists yet. With lists of its own, it needs no root.
        own = _own_lists(folder)
        _run(package, folder, "apt-get", "-qq", *own, "update")
        _run(package, folder, "apt-get", *own, *command[1:])


def download_source(package: str, wanted: str, folder: str) -> None:
    """Have apt download the archive of upstream's source of `NAME=VERSION` into a folder.

    The archives of sources are those of the packages. Raises PackageMissing with `package`.
    """
    _needs(package, "apt-get")
    parts = Path(folder, "parts")
    parts.mkdir()
    for path in _sources_of_packages():
        text = path.read_text()
        if path.suffix == ".sources":
            text = re.sub(r"(?m)^Types:.*$", "Types: deb-src", text)
        else:
            text = re.sub(r"(?m)^deb\s", "deb-src ", text)
        (parts / path.name).write_text(text)
    own = [*_own_lists(folder), f"-oDir::Etc::SourceParts={parts}", "-oDir::Etc::SourceList=none"]
    # An archive of others may have no sources.
    with suppress(PackageMissing):
        _run(package, folder, "apt-get", "-qq", *own, "update")
    _run(package, folder, "apt-get", "-qq", *own, "source", "--tar-only", "--download-only", wanted)


def _sources_of_packages() -> list[Path]:
    folder = Path("/etc/apt")
    paths = [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*"))]
    return [path for path in paths if path.is_file() and path.suffix in (".list", ".sources")]


def _own_lists(folder: str) -> list[str]:
    Path(folder, "lists", "partial").mkdir(parents=True, exist_ok=True)
    return [f"-oDir::State::Lists={folder}/lists", f"-oDir::Cache={folder}"]


def _needs(package: str, *tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            raise PackageMissing(package, f"{tool} is not on the path", "use a Debian or Ubuntu")


def _run(package: str, folder: str, *command: str) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_FETCH_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        reason = f"took more than {_FETCH_TIMEOUT_S} s"
    else:
        if done.returncode == 0:
            return
        errors = [line for line in done.stderr.splitlines() if line.startswith(("E:", "dpkg"))]
        reason = (errors or [f"exit code {done.returncode}"])[-1]
    command_text = " ".join(command)
    raise PackageMissing(
        package, f"`{command_text}`: {reason}", "give apt access to an archive once"
    )
