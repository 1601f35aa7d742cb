# SPDX-License-Identifier: Apache-2.0
"""Calibrations on disk: kept by board and build, refused for any other."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from plexor.base.documents import unsealed
from plexor.base.errors import StoreError, UsageError
from plexor.experiments.calibration.store import (
    checked,
    data_folder,
    default_path,
    find,
    forget,
    load,
    of_other_builds,
    save,
)
from plexor.model.calibration import Calibration, ChannelInstants, Instants, PadDelay
from plexor.model.identity import Identity
from plexor.protocol.geometry import Feature, Geometry
from plexor.show.table import NOTHING
from plexor.show.terminal.calibration import calibration_text

GEOMETRY = Geometry(channels=1, strikes=1)
IDENTITY = Identity(replace(GEOMETRY, features=GEOMETRY.features & ~Feature.SIMULATED), 0xABCDEF)
BINS = Instants((10, -20, 5, 5), (3, 3, 3, 3), 20_000)
CALIBRATION = Calibration(
    serial="FT1234",
    gateware_hash=0xABCDEF,
    board="ulx3s",
    simulated=False,
    tick_fs=1_000_000,
    made="2026-11-22T12:00:00+00:00",
    source_fs=413_000_000,
    channels=(ChannelInstants(0, BINS, replace(BINS, edges=19_000)),),
    delays=(PadDelay(0, 0, 1500, 1510, 400, 390),),
)


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def test_what_is_loaded_is_what_was_saved(tmp_path):
    path = tmp_path / "deep" / "c.json"
    save(CALIBRATION, path)
    assert load(path) == CALIBRATION
    assert [entry.name for entry in path.parent.iterdir()] == ["c.json"]


SIMULATED = replace(
    IDENTITY, geometry=replace(GEOMETRY, features=GEOMETRY.features | Feature.SIMULATED)
)


def test_that_of_a_simulated_instrument_is_applied_only_where_it_is_named():
    kept = default_path("sim", SIMULATED.placement)
    save(replace(CALIBRATION, serial="sim", simulated=True), kept)
    assert find("sim", SIMULATED, None) is None
    assert find("sim", SIMULATED, kept) == load(kept)
    later = replace(SIMULATED, build_id=7)
    assert of_other_builds("sim", later) == []


def test_one_that_is_forgotten_is_not_found_again_and_the_others_stay():
    mine, other = default_path("FT1234", 0xABCDEF), default_path("FT1235", 0xABCDEF)
    save(CALIBRATION, mine)
    save(replace(CALIBRATION, serial="FT1235"), other)
    assert forget("FT1234", IDENTITY) == mine
    assert find("FT1234", IDENTITY, None) is None
    assert find("FT1235", IDENTITY, None) is not None
    with pytest.raises(UsageError, match=f"no calibration is kept.*{mine.name}"):
        forget("FT1234", IDENTITY)


def test_one_that_cannot_be_removed_is_an_error_of_the_store():
    default_path("FT1234", 0xABCDEF).mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot remove"):
        forget("FT1234", IDENTITY)


def test_it_is_found_again_by_serial_and_hash_alone():
    save(CALIBRATION, default_path("FT1234", 0xABCDEF))
    assert find("FT1234", IDENTITY, None) == CALIBRATION
    assert find("FT1235", IDENTITY, None) is None
    assert find("FT1234", replace(IDENTITY, gateware_hash=0xABCDEE), None) is None


BUILT = replace(IDENTITY, build_id=0x8000_0000_0000_00B1)
OF_THIS_BUILD = replace(CALIBRATION, build_id=BUILT.build_id)
OF_ANOTHER = replace(CALIBRATION, build_id=0x8000_0000_0000_00B2)
SAYS = (
    "made for build 80000000000000b2 of this gateware, but this is build 80000000000000b1, "
    "whose delays from the pads differ; plexor board calibrate measures them"
)


def test_builds_of_one_gateware_have_calibrations_of_their_own():
    for calibration in (CALIBRATION, OF_THIS_BUILD, OF_ANOTHER):
        save(calibration, default_path("FT1234", calibration.placement))
    assert find("FT1234", BUILT, None) == OF_THIS_BUILD
    assert find("FT1234", replace(BUILT, build_id=OF_ANOTHER.build_id), None) == OF_ANOTHER
    assert find("FT1234", IDENTITY, None) == CALIBRATION


def test_one_of_another_build_of_the_gateware_is_refused_by_name(tmp_path):
    path = tmp_path / "c.json"
    save(OF_ANOTHER, path)
    with pytest.raises(UsageError) as caught:
        find("FT1234", BUILT, path)
    assert str(caught.value) == f"{path}: {SAYS}"
    save(CALIBRATION, path)
    with pytest.raises(UsageError, match="for an unknown build of this gateware"):
        find("FT1234", BUILT, path)


def test_one_kept_for_another_build_is_not_applied_and_named():
    path = default_path("FT1234", OF_ANOTHER.placement)
    save(OF_ANOTHER, path)
    save(replace(OF_ANOTHER, gateware_hash=1), default_path("FT1234", 1))
    save(replace(OF_ANOTHER, serial="FT1"), default_path("FT1", OF_ANOTHER.placement))
    path.with_name(path.name.replace("00b2", "00b3")).write_text("{")
    assert find("FT1234", BUILT, None) is None
    assert of_other_builds("FT1234", BUILT) == [f"{path}: {SAYS}"]
    save(OF_THIS_BUILD, default_path("FT1234", BUILT.placement))
    assert of_other_builds("FT1234", replace(BUILT, build_id=OF_ANOTHER.build_id)) != []
    assert of_other_builds("FT1", BUILT) != []
    assert of_other_builds("FT2", BUILT) == []


def test_serials_that_are_no_file_names_have_files_of_their_own(tmp_path):
    serials = [
        "tcp://127.0.0.1:5",
        "tcp___127.0.0.1_5",
        "tcp:__127.0.0.1:5",
        "../..",
        "",
        "a" * 400,
        "a" * 399 + "b",
        f"{'a' * 399}?front-end=rise.0=-450:-140",
        f"{'a' * 399}?front-end=rise.0=-450:-141",
        # Their bytes, times their places, have one sum.
        "x!%y",
        "x$#y",
        "FT1234",
        "ft1234",
        "con",
        "FT1234 ",
        "\ud800",
    ]
    # macOS and Windows do not tell letters apart by case.
    paths = {
        str(default_path(s, 1, tmp_path)).lower(): default_path(s, 1, tmp_path) for s in serials
    }
    assert len(paths) == len(serials)
    for path in paths.values():
        assert path.parent == tmp_path / "calibrations"
        save(CALIBRATION, path)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"serial": "FT9"}, "made for board FT9, but this is board FT1234"),
        (
            {"gateware_hash": 1},
            "made for gateware 0000000000000001, but this is gateware 0{10}abcdef",
        ),
        ({"tick_fs": 500_000}, "has 4 phases of 500000 fs, this instrument 4 of 1000000 fs"),
    ],
)
def test_one_of_another_instrument_is_refused_in_one_line(tmp_path, change, says):
    path = tmp_path / "c.json"
    save(replace(CALIBRATION, **change), path)
    with pytest.raises(UsageError, match=says) as caught:
        find("FT1234", IDENTITY, path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_one_kept_under_a_wrong_name_is_refused_too():
    save(replace(CALIBRATION, serial="other"), default_path("FT1234", 0xABCDEF))
    with pytest.raises(UsageError, match="made for board other"):
        find("FT1234", IDENTITY, None)


def test_bins_of_other_phases_are_refused():
    few = replace(CALIBRATION, channels=(ChannelInstants(0, *[Instants((1, -1), (1, 1), 5)] * 2),))
    with pytest.raises(UsageError, match="has 2 phases"):
        checked(few, "FT1234", IDENTITY, "here")


BROKEN = {
    "no json": "{",
    "a list": "[]",
    "another format": '{"format": 7}',
    "no calibration": '{"format": 1}',
    "no channels": {"channels": []},
    "a text for a number": {"tick_fs": "1"},
    "an unknown field": {"colour": 1},
    "phases that differ": {"channels": "odd"},
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_is_none_is_one_line_with_its_path(tmp_path, name):
    path = tmp_path / "c.json"
    change = BROKEN[name]
    if isinstance(change, str):
        path.write_text(change)
    else:
        save(CALIBRATION, path)
        document = unsealed(json.loads(path.read_text()))
        if change == {"channels": "odd"}:
            document["channels"][0]["fall"]["late_ps"] = [1]
        else:
            document |= change
        path.write_text(json.dumps(document))
    with pytest.raises(StoreError, match=r"c\.json: cannot read: "):
        load(path)


def test_a_file_that_is_not_there_is_one_line_with_its_path(tmp_path):
    with pytest.raises(StoreError, match=r"nowhere\.json: cannot read"):
        load(tmp_path / "nowhere.json")


def test_a_folder_that_cannot_be_written_is_one_line_with_its_path(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"file/c\.json: cannot write"):
        save(CALIBRATION, tmp_path / "file" / "c.json")


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({"XDG_DATA_HOME": "/data"}, "linux", "/data/plexor"),
        ({}, "linux", "~/.local/share/plexor"),
        # The XDG specification: a path that is not absolute is to be ignored.
        ({"XDG_DATA_HOME": "data"}, "linux", "~/.local/share/plexor"),
        ({"XDG_DATA_HOME": "/data"}, "darwin", "~/Library/Application Support/plexor"),
        ({"LOCALAPPDATA": "/local"}, "win32", "/local/plexor"),
    ],
)
def test_the_folder_is_the_platforms(environment, platform, expected):
    assert data_folder(environment, platform) == Path(expected).expanduser()


def test_a_delay_that_was_not_measured_leaves_its_column_empty():
    channels = tuple(replace(CALIBRATION.channels[0], number=number) for number in (0, 1))
    delays = (PadDelay(0, 1, -506, -496, 3, 4),)
    text = calibration_text(
        replace(CALIBRATION, channels=channels, delays=delays), width=100, colour=False
    )
    looped, pins = [line for line in text.splitlines() if line.startswith("strike0 up")]
    assert looped.split()[2:] == [NOTHING, "-506"]
    # Of a board that is not known the loop is 4.5 ns longer, give or take.
    assert pins.split()[2:] == [NOTHING, "-5006"]


def test_a_damaged_one_that_was_kept_is_set_aside_and_a_chosen_one_is_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = default_path("B1", IDENTITY.placement)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    with pytest.raises(StoreError, match="cannot read"):
        find("B1", IDENTITY, path)
    for _ in range(2):
        assert find("B1", IDENTITY, None) is None
    assert path.with_name(f"{path.name}.damaged").exists()
    (told,) = caplog.messages
    assert told.startswith(f"{path}: cannot read: ")


def test_one_that_another_version_has_kept_stays_and_is_not_applied(
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = default_path("B1", IDENTITY.placement)
    path.parent.mkdir(parents=True)
    path.write_text('{"format": 2}')
    assert find("B1", IDENTITY, None) is None
    assert path.read_text() == '{"format": 2}'
    (told,) = caplog.messages
    assert told.startswith(
        f"{path}: cannot read: format 2; this host reads 1 to 2; read it with the"
    )
    assert told.endswith("; latencies are not corrected")


NEWER = ("jumpers", "detours", "scale")


def test_a_file_from_before_jumpers_is_read_and_has_the_detours_of_an_unknown_board(tmp_path):
    path = tmp_path / "old.json"
    save(CALIBRATION, path)
    document = unsealed(json.loads(path.read_text()))
    for name in NEWER:
        del document[name]
    path.write_text(json.dumps(document))
    found = load(path)
    assert found == CALIBRATION
    # 4.5 ± 8.5 ns shorter than the loop.
    pins = found.pins(0, 0)
    assert (pins.rise_ps, pins.fall_ps, pins.made) == (1500 - 4500, 1510 - 4500, "")
    assert (pins.rise_error_ps, pins.fall_error_ps) == (8900, 8890)


def test_a_file_is_named_after_the_serial_and_16_digits_of_its_sha256(tmp_path):
    """A file that a version has kept is found by every later one."""
    digest = hashlib.sha256(b"ULX3S 85F/1").hexdigest()
    found = default_path("ULX3S 85F/1", 0x2A, tmp_path)
    assert found == tmp_path / "calibrations" / f"ULX3S_85F_1-{digest[:16]}-000000000000002a.json"
