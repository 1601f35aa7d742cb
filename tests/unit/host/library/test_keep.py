# SPDX-License-Identifier: Apache-2.0
"""A run in its folder: nothing that was measured or kept before is lost."""

import errno
import os
from pathlib import Path

import pytest

from plexor.base.disk.folder import FolderPlace
from plexor.base.errors import LinkError, StoreError, UnwrittenError, UsageError
from plexor.files.store.run_folder import load, save
from plexor.library.keep import Tap, check_new, check_out, keep, recording, tap_at


def test_a_folder_that_is_empty_or_not_there_is_free(tmp_path):
    for out in (tmp_path, tmp_path / "new" / "run"):
        for force in (False, True):
            assert check_out(out, force).path == out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("force", [False, True])
def test_a_file_in_the_place_of_the_folder_is_refused_with_or_without_force(tmp_path, force):
    (tmp_path / "run").write_text("mine")
    with pytest.raises(UsageError, match=f"out {tmp_path / 'run'}"):
        check_out(tmp_path / "run", force)


@pytest.mark.parametrize(("force", "refused"), [(False, True), (True, False)])
def test_a_folder_that_holds_a_run_is_free_with_force_alone(tmp_path, force, refused):
    (tmp_path / "run.json").touch()
    if refused:
        with pytest.raises(UsageError, match=f"out {tmp_path}.*force"):
            check_out(tmp_path, force)
    else:
        check_out(tmp_path, force)


def test_a_name_that_no_folder_can_have_is_refused_with_the_reason():
    with pytest.raises(UsageError, match=r"out .*: File name too long"):
        check_out(Path("x" * 300), force=False)


class Disk:
    """A file that takes so many bytes, three at a time, and then is full."""

    name = "/somewhere/wire.bin"

    def __init__(self, room):
        self.room = room
        self.taken = b""

    def write(self, data):
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        part = data[: min(3, self.room)]
        self.room -= len(part)
        self.taken += part
        return len(part)


def test_a_tap_takes_every_byte_however_little_is_taken_at_once():
    disk = Disk(100)
    tap = Tap(disk)
    tap.write(b"0123456789")
    tap.write(b"")
    tap.write(b"ab")
    assert (disk.taken, tap.error) == (b"0123456789ab", None)


def test_a_tap_on_a_full_disk_raises_nothing_and_takes_nothing_from_there_on():
    disk = Disk(4)
    tap = Tap(disk)
    tap.write(b"0123456789")
    assert tap.error.errno == errno.ENOSPC
    disk.room = 100
    tap.write(b"later")
    assert disk.taken == b"0123"


def test_the_raw_bytes_are_written_beside_the_folder_and_moved_into_it(tmp_path, run_of):
    out = tmp_path / "deep" / "run"
    with recording(FolderPlace(out)) as tap:
        tap.write(b"raw")
        assert tap.path == tmp_path / "deep" / "run.wire.part"
        assert keep(run_of([[1000]]), FolderPlace(out), tap) == out
    assert (out / "wire.bin").read_bytes() == b"raw"
    assert [path.name for path in out.parent.iterdir()] == ["run"]


def test_a_run_without_its_raw_bytes_is_kept_and_that_is_the_error(tmp_path, run_of):
    out = tmp_path / "run"
    tap = Tap(Disk(0))
    tap.write(b"raw")
    with pytest.raises(UnwrittenError, match="No space left on device") as caught:
        keep(run_of([[1000, 2000]]), FolderPlace(out), tap)
    assert str(out) in str(caught.value)
    assert load(out).strikes == 2
    assert not (out / "wire.bin").exists()


def test_raw_bytes_that_cannot_be_kept_are_said_with_the_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    out = tmp_path / "file" / "run"
    with (
        pytest.raises(StoreError, match=rf"{out}: .*(File|directory)"),
        recording(FolderPlace(out)),
    ):
        pass


def test_raw_bytes_of_a_run_that_never_began_are_not_kept(tmp_path):
    def refused():
        with recording(FolderPlace(tmp_path / "run")) as tap:
            tap.write(b"identity")
            raise LinkError("no answer")

    with pytest.raises(LinkError):
        refused()
    assert os.listdir(tmp_path) == []


def test_raw_bytes_stay_if_the_program_ends_within_the_run_and_are_never_written_over(
    tmp_path, caplog
):
    def ended(data):
        with recording(FolderPlace(tmp_path / "run")) as tap:
            tap.write(data)
            raise KeyboardInterrupt

    for data in (b"first", b"second"):
        with pytest.raises(KeyboardInterrupt):
            ended(data)
    first, second = tmp_path / "run.wire.part", tmp_path / "run-2.wire.part"
    assert (first.read_bytes(), second.read_bytes()) == (b"first", b"second")
    caplog.clear()
    check_out(tmp_path / "run", force=False)
    assert [line.partition(":")[0] for line in caplog.messages] == [str(first), str(second)]


@pytest.mark.parametrize(
    "error", [StoreError("x: full"), OSError(errno.EIO, "broken"), KeyboardInterrupt()]
)
def test_a_run_that_cannot_be_kept_leaves_the_one_that_was_there(
    tmp_path, run_of, monkeypatch, error
):
    out = tmp_path / "run"
    save(run_of([[1000]]), out)

    def failing(*_):
        raise error

    with monkeypatch.context() as patched:
        patched.setattr("plexor.files.store.run_folder.write", failing)
        with pytest.raises(UnwrittenError):
            keep(run_of([[1000, 2000]]), check_out(out, force=True))
    assert load(out).strikes == 1
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert keep(run_of([[1000, 2000]]), check_out(out, force=True)) == out
    assert load(out).strikes == 2
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_new_folder_is_one_that_is_empty_or_not_there(tmp_path):
    for out in (tmp_path, tmp_path / "new"):
        assert check_new(out).path == out
    (tmp_path / "mine").touch()
    for out in (tmp_path, tmp_path / "mine"):
        with pytest.raises(UsageError, match=f"^--out {out}: already exists; name a new folder"):
            check_new(out, "--out")


def test_a_recording_has_the_raw_bytes_of_its_link_or_is_refused_with_its_path(tmp_path):
    tap = tap_at(tmp_path / "wire.bin")
    tap.write(b"raw")
    assert [path.name for path in tmp_path.iterdir()] == ["wire.bin.part"]
    tap.close()
    tap.close()
    assert (tmp_path / "wire.bin").read_bytes() == b"raw"
    again = tap_at(tmp_path / "wire.bin")
    assert (tmp_path / "wire.bin").read_bytes() == b"raw"
    again.close()
    assert (tmp_path / "wire.bin").read_bytes() == b""
    with pytest.raises(StoreError, match=f"{tmp_path}: cannot write: is a folder"):
        tap_at(tmp_path)
