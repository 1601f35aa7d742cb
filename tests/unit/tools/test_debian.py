# SPDX-License-Identifier: Apache-2.0
"""What is fetched from Debian's archive is the known one, or one line says why not."""

import pytest
from tools import debian

from plexor_sim.packages import PackageMissing

APT = """#!/bin/sh
echo "$@" >> "$0.called"
{}
"""


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Return what puts a program on a path that has no other."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/bin")
    monkeypatch.setattr(debian.shutil, "which", lambda name: (folder / name).exists() or None)

    def add(name, does):
        (folder / name).write_text(APT.format(does))
        (folder / name).chmod(0o755)
        return folder / f"{name}.called"

    return add


def unpack(content):
    """Return what a dpkg-deb does that unpacks files of that content."""
    folder = "unpacked/usr/share/fpga-icestorm/python"
    files = " ".join(f"{folder}/{name}" for name in debian.ICESTORM_FILES)
    return f"mkdir -p {folder}; for f in {files}; do printf '{content}' > $f; done"


def test_the_package_is_fetched_once_by_its_version_and_unpacked(programs, tmp_path, monkeypatch):
    wanted = debian.sha256(b"known")
    monkeypatch.setattr(debian, "ICESTORM_FILES", dict.fromkeys(debian.ICESTORM_FILES, wanted))
    called = programs("apt-get", "touch icestorm.deb")
    programs("dpkg-deb", unpack("known"))
    for _ in range(2):
        folder = debian.icestorm(tmp_path / "cache")
    assert {path.name for path in folder.iterdir()} == set(debian.ICESTORM_FILES)
    assert called.read_text() == "-qq download fpga-icestorm=0~20230218gitd20a5e9*\n"


def test_other_files_than_the_known_ones_are_refused(programs, tmp_path):
    programs("apt-get", "touch icestorm.deb")
    programs("dpkg-deb", unpack("other"))
    with pytest.raises(PackageMissing, match=r"icebox\.py is not the expected file"):
        debian.icestorm(tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


def test_without_apt_one_line_says_so(programs, tmp_path):
    with pytest.raises(PackageMissing, match=r"^fpga-icestorm .*: apt-get is not on the path; "):
        debian.icestorm(tmp_path / "cache")


def test_without_lists_of_packages_it_makes_its_own(programs, tmp_path, monkeypatch):
    wanted = debian.sha256(b"known")
    monkeypatch.setattr(debian, "ICESTORM_FILES", dict.fromkeys(debian.ICESTORM_FILES, wanted))
    programs("apt-get", 'case "$*" in *Lists*) touch icestorm.deb;; *) exit 100;; esac')
    programs("dpkg-deb", unpack("known"))
    assert len(list(debian.icestorm(tmp_path / "cache").iterdir())) == len(debian.ICESTORM_FILES)


def test_what_apt_says_is_passed_on(programs, tmp_path):
    programs("apt-get", "echo 'E: no such version' >&2; exit 100")
    programs("dpkg-deb", "")
    with pytest.raises(PackageMissing, match="E: no such version; give apt access to an archive"):
        debian.icestorm(tmp_path / "cache")
