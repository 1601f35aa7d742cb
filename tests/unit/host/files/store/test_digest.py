# SPDX-License-Identifier: Apache-2.0
"""A run folder says which of its files were changed after the run was taken."""

import json
import shutil
import subprocess
from fractions import Fraction

import pytest

from plexor.base.errors import ExitCode
from plexor.figures.analyse.analyse import analyse
from plexor.files.archive.origin import Origin
from plexor.files.store.digest import changed_files
from plexor.files.store.run_folder import load, save
from plexor.library.archive import Archive
from plexor.library.compare import compare
from plexor.library.run import Run
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Feature
from plexor.protocol.registers import Stream
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

from ...fake_device import FakeDevice
from ...scenario import Scenario

SETTINGS = Settings(
    strikes=(Stimulus(0, Fraction(1, 3_000_000)),),
    channels=(Channel(0, "isr"),),
    count=40,
    stream=Stream.LIVE,
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    room = tmp_path_factory.mktemp("kept")
    wire = room / "wire.bin"
    wire.write_bytes(b"raw bytes")
    with FakeDevice(Scenario([50, 60, 61, 300] * 10)) as fake:
        with Device(open_link(fake.uri)) as device:
            return save(measure(device, SETTINGS), room / "run", wire)


@pytest.fixture
def folder(kept, tmp_path):
    return shutil.copytree(kept, tmp_path / "run")


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_run_as_it_was_taken_is_valid(folder):
    assert changed_files(folder) == []
    assert analyse(load(folder)).valid


def test_the_program_sha256sum_agrees(folder):
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, check=True)


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (("channels", 0, "classes", "early"), lambda _: 7),
        (("wall_seconds",), lambda seconds: seconds + 1),
        (("identity", "geometry", "features"), lambda bits: bits ^ Feature.SIMULATED),
        (("identity", "build_id"), lambda number: number + 1),
    ],
)
def test_an_edited_document_says_so_and_is_invalid(folder, place, change):
    content = json.loads((folder / "run.json").read_text())
    entry = content
    for name in place[:-1]:
        entry = entry[name]
    entry[place[-1]] = change(entry[place[-1]])
    (folder / "run.json").write_text(json.dumps(content))
    run = Run(load(folder))
    assert any("changed since it was taken: run.json" in text for text in run.invalid_reasons)
    assert run.exit_code() == ExitCode.INVALID
    assert "INVALID RUN: changed since it was taken: run.json" in run.text()


@pytest.mark.parametrize("name", ["events.parquet", "histograms.parquet", "wire.bin"])
def test_every_other_file_of_the_folder_is_covered(folder, name):
    with (folder / name).open("ab") as file:
        file.write(b"\0")
    assert changed_files(folder) == [name]


def test_events_of_another_run_say_so(folder, tmp_path):
    with FakeDevice(Scenario([50, 60, 61, 301] * 10)) as fake:
        with Device(open_link(fake.uri)) as device:
            other = save(measure(device, SETTINGS), tmp_path / "other")
    for name in ("events.parquet", "histograms.parquet", "run.json"):
        shutil.copy(other / name, folder / name)
    reason = "changed since it was taken: events.parquet, run.json"
    assert load(folder).invalid_reasons[0].startswith(reason)


@pytest.mark.parametrize("text", ["", "none", "0" * 64 + "  run.json\nnone\n"])
def test_digests_that_cannot_be_read_were_changed_themselves(folder, text):
    (folder / "SHA256SUMS").write_text(text)
    assert changed_files(folder) == ["SHA256SUMS"]


def test_a_folder_of_an_older_version_has_no_digests_and_is_read(folder):
    (folder / "SHA256SUMS").unlink()
    assert load(folder).valid


def test_a_recording_that_was_removed_changes_nothing(folder):
    (folder / "wire.bin").unlink()
    assert load(folder).valid


def test_an_edited_run_is_not_archived_or_compared_as_good(kept, folder, tmp_path):
    edit(folder / "run.json", '"early": 0', '"early": 7')
    archive = Archive(tmp_path / "archive")
    archive.keep(load(folder), Origin())
    assert [run.valid for run in archive.log().runs] == [False]
    found = compare(kept, folder, fail_on="p50>+5%")
    assert found.exit_code() == ExitCode.INVALID
    assert any("changed since" in reason for reason in found.invalid_reasons)


def test_the_document_of_an_edited_run_is_invalid(folder):
    content = json.loads((folder / "run.json").read_text())
    content["started"] = "2020-01-01T00:00:00+00:00"
    (folder / "run.json").write_text(json.dumps(content))
    document = Run(load(folder)).document()
    assert not document["valid"]
    assert document["exit_code"] == 4
