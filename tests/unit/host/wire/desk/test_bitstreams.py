# SPDX-License-Identifier: Apache-2.0
"""Bitstreams that are here: a clone's own, a wheel's, a user's; and files that are none."""

import json
import sys

import pytest

from plexor.base.errors import UsageError
from plexor.wire.desk import bitstreams
from plexor.wire.desk.bitstreams import available, bitstream, build_name, own

# The first bytes of files that icepack and ecppack make, as their projects describe the formats.
ICE40 = b"\xff\x00\x00\xff\x7e\xaa\x99\x7e\x51\x00\x01\x05"
ECP5 = b"\xff\x00Part: LFE5U-25F\x00\x00\xff\xff\xff\xbd\xb3\xff\xff\xff\xff"
BUILD_ID = "80000000000000b1"


@pytest.fixture
def clone(monkeypatch, tmp_path):
    """A clone without builds, on a computer without the wheel."""
    monkeypatch.setattr(bitstreams, "CLONE", tmp_path / "clone")
    monkeypatch.setattr(bitstreams, "find_spec", lambda name: None)
    (tmp_path / "clone" / "constraints").mkdir(parents=True)
    return tmp_path / "clone"


def built(clone, name, data=ICE40, build_id=BUILD_ID):
    folder = clone / "build" / name / "seed1"
    folder.mkdir(parents=True)
    (folder / "top.bit").write_bytes(data)
    if build_id:
        (folder / f"{build_id}.bit").write_bytes(data)
    return folder / "top.bit"


@pytest.fixture
def wheel(monkeypatch, tmp_path):
    """Return what puts a wheel where Python finds it."""

    def brought(**builds):
        folder = tmp_path / "site" / "plexor_boards"
        folder.mkdir(parents=True)
        index = {}
        for name, failures in builds.items():
            board = name.replace("_", "-")
            (folder / f"{board}.bit").write_bytes(ICE40)
            index[board] = {
                "file": f"{board}.bit",
                "build_id": BUILD_ID,
                "figures": {"core MHz": "131.8 of 120"},
                "failures": failures,
            }
        (folder / "index.json").write_text(json.dumps(index))
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        monkeypatch.setattr(bitstreams, "find_spec", sys.modules["importlib.util"].find_spec)
        return folder

    return brought


def test_a_board_s_name_means_its_first_build():
    assert build_name("icebreaker", None) == build_name("icebreaker", "events") == "icebreaker"
    assert build_name("icebreaker", "counts") == "icebreaker-counts"
    with pytest.raises(UsageError, match="--build: 'count'; icebreaker has events and counts; did"):
        build_name("icebreaker", "count")


def test_a_clones_build_is_named_by_the_copy_beside_it(clone):
    path = built(clone, "icebreaker")
    found = bitstream("icebreaker", None)
    assert (found.path, found.build_id, dict(found.figures)) == (path, BUILD_ID, {})


def test_a_build_without_its_copy_has_no_name(clone):
    path = built(clone, "icebreaker")
    path.with_name(f"{BUILD_ID}.bit").write_bytes(ICE40 + b"another")
    assert bitstream("icebreaker", None).build_id == ""


@pytest.mark.parametrize(("named", "failures"), [(BUILD_ID, ("core clock",)), ("0" * 16, ())])
def test_figures_beside_a_build_are_taken_if_they_are_its_own(clone, named, failures):
    row = {"cells": {"build id": named, "core MHz": "53.6 of 48"}, "failures": ["core clock"]}
    built(clone, "icebreaker").with_name("figures.json").write_text(json.dumps(row))
    found = bitstream("icebreaker", None)
    assert found.failures == failures
    assert found.figures.get("core MHz") == ("53.6 of 48" if failures else None)


def test_the_wheels_is_taken_where_the_clone_has_none(clone, wheel):
    folder = wheel(icebreaker=[], icebreaker_counts=["core clock: 47.1 MHz"])
    found = bitstream("icebreaker", "counts")
    assert found.path == folder / "icebreaker-counts.bit"
    assert (found.build_id, found.failures) == (BUILD_ID, ("core clock: 47.1 MHz",))
    assert found.figures == {"core MHz": "131.8 of 120"}
    path = built(clone, "icebreaker-counts")
    assert bitstream("icebreaker", "counts").path == path


def test_outside_of_a_clone_no_folder_is_taken_for_its_builds(clone):
    built(clone, "icebreaker")
    (clone / "constraints").rmdir()
    with pytest.raises(UsageError, match="none of another board is here either"):
        bitstream("icebreaker", None)


def test_without_a_bitstream_it_is_said_which_are_here_and_what_makes_one(clone, wheel):
    wheel(upduino=[])
    built(clone, "hx8k-evn-counts")
    assert available() == ["hx8k-evn-counts", "upduino"]
    with pytest.raises(UsageError) as caught:
        bitstream("hx8k-evn", "events")
    assert str(caught.value) == (
        "hx8k-evn: no bitstream is here, and here are those of hx8k-evn-counts, upduino: install "
        "the wheel plexor-boards, or make gateware BOARD=hx8k-evn in a clone"
    )
    with pytest.raises(UsageError, match="make gateware BOARD=icebreaker BUILD=counts in a clone"):
        bitstream("icebreaker", "counts")


@pytest.mark.parametrize(
    ("data", "board", "wrong"),
    [
        (ICE40, "ulx3s-25f", "a bitstream of an iCE40; ulx3s-25f has an ECP5"),
        (ECP5, "icebreaker", "a bitstream of an ECP5; icebreaker has an iCE40"),
        (b"\x7fELF", "icebreaker", "no bitstream; icebreaker has an iCE40"),
        (b"", "icebreaker", "no bitstream; icebreaker has an iCE40"),
    ],
)
def test_a_file_that_is_none_for_the_device_is_refused(tmp_path, data, board, wrong):
    path = tmp_path / "my.bit"
    path.write_bytes(data)
    with pytest.raises(UsageError) as caught:
        own(path, board)
    assert str(caught.value) == f"{path}: {wrong}"


def test_a_users_file_is_taken_where_it_is(tmp_path):
    path = tmp_path / "my.bit"
    path.write_bytes(ECP5)
    assert own(path, "ecpix-5").path == path
    for other, wrong in (
        (tmp_path, "is a folder; name a file in it"),
        (tmp_path / "nix", "No such file"),
    ):
        with pytest.raises(UsageError, match=f"{other}: {wrong}"):
            own(other, "ecpix-5")
