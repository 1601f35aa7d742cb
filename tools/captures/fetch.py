# SPDX-License-Identifier: Apache-2.0
"""Fetches packages with captures, by version and checksum, and unpacks what is needed of them."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from plexor_sim.packages import PackageMissing, crate, make_once, sha256
from tools.debian import download, download_source
from tools.strangers.fetch import pip_download

LOCK = Path(__file__).with_name("packages.lock")
SUFFIXES = (".vcd", ".fst", ".ghw", ".sr", ".lxt", ".lxt2", ".lx2", ".vzt", ".evcd", ".vcd.gz")
"""Suffixes of captures."""
_DUMPS_TOO = ".out"
"""What Verilator's tests call the dumps that they expect."""
_DECLARATIONS_END = b"$enddefinitions"
_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class Package:
    """A line of the lock."""

    registry: str
    name: str
    version: str
    checksum: str

    @property
    def folder(self) -> str:
        """The folder that it is unpacked into."""
        return f"{self.name}-{self.version}"

    @property
    def text(self) -> str:
        """How people call it."""
        of = {"crate": " (crate)", "debian": " (Debian)", "source": " (Debian's source)"}
        return f"{self.name} {self.version.partition('-')[0]}{of.get(self.registry, '')}"


def locked() -> list[Package]:
    """Return the packages of the lock."""
    lines = LOCK.read_text().splitlines()
    return [Package(*line.split()) for line in lines if not line.startswith("#")]


def unpacked_packages(cache: Path) -> Path:
    """Return the folder with the unpacked packages. Raises PackageMissing if one cannot be had."""
    key = sha256(LOCK.read_bytes())[:16]
    return make_once(cache / "captures" / key, lambda folder: _fill(folder, cache))


def _fill(directory: Path, cache: Path) -> None:
    packages = locked()
    with tempfile.TemporaryDirectory(dir=directory.parent) as folder:
        _fetch_sdists([own for own in packages if own.registry == "pypi"], Path(folder))
        for package in packages:
            archive = _ARCHIVES[package.registry](package, Path(folder), cache)
            if sha256(archive.read_bytes()) != package.checksum:
                raise PackageMissing(
                    package.text, f"{archive.name} is not the locked one", "report it"
                )
            if package.registry == "debian":
                whole = Path(folder, f"{package.name}-whole")
                subprocess.run(["dpkg-deb", "-x", archive, whole], check=True, timeout=_TIMEOUT_S)
                shutil.copytree(whole / "usr", directory / package.folder, symlinks=True)
            else:
                _unpack(archive, directory / package.folder)


def _fetch_sdists(packages: list[Package], folder: Path) -> None:
    lines = [f"{own.name}=={own.version} --hash=sha256:{own.checksum}\n" for own in packages]
    requirements = folder / LOCK.name
    requirements.write_text("".join(lines))
    # What makes a wheel of a source is taken as a wheel.
    names = ",".join(own.name for own in packages)
    pip_download(requirements, folder, f"--no-binary={names}")


def _sdist(package: Package, folder: Path, _cache: Path) -> Path:
    return folder / f"{package.folder}.tar.gz"


def _crate(package: Package, _folder: Path, cache: Path) -> Path:
    return crate(package.name, package.version, package.checksum, cache)


def _debian(package: Package, folder: Path, _cache: Path) -> Path:
    download(package.text, f"{package.name}={package.version}", str(folder))
    return _only(package, sorted(folder.glob(f"{package.name}_*.deb")))


def _source(package: Package, folder: Path, _cache: Path) -> Path:
    own = folder / package.name
    own.mkdir()
    download_source(package.text, f"{package.name}={package.version}", str(own))
    return _only(package, sorted(own.glob("*.orig.tar.*")))


_ARCHIVES: dict[str, Callable[[Package, Path, Path], Path]] = {
    "pypi": _sdist,
    "crate": _crate,
    "debian": _debian,
    "source": _source,
}


def _only(package: Package, archives: list[Path]) -> Path:
    if len(archives) != 1:
        raise PackageMissing(package.text, "apt brought no archive of it", "report it")
    return archives[0]


def _unpack(archive_path: Path, directory: Path) -> None:
    """Unpack captures, and the sources of readers."""
    with tarfile.open(archive_path) as archive:
        for member in archive:
            # Members are copied, not extracted: Debian 12's Python has no filter against bad ones.
            content = archive.extractfile(member) if member.isreg() else None
            path = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            if content is None or not path.parts:
                continue
            if ".." in path.parts:
                raise ValueError(f"{archive_path.name}: {member.name!r} leaves its folder")
            reader = path.parts[0] in ("ghw", "vcdvcd") and path.suffix in (".c", ".h", ".py")
            if not (reader or path.name.lower().endswith((*SUFFIXES, _DUMPS_TOO))):
                continue
            data = content.read()
            if path.suffix == _DUMPS_TOO:
                if _DECLARATIONS_END not in data:
                    continue
                path = path.with_name(f"{path.name}.vcd")
            target = directory / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


def captures_in(folder: Path) -> list[Path]:
    """Return all captures below a folder."""
    paths = sorted(folder.rglob("*"))
    return [path for path in paths if path.is_file() and path.name.lower().endswith(SUFFIXES)]
