# SPDX-License-Identifier: Apache-2.0
"""Boards' files: the instrument that each one has, and what is said of one that cannot be used."""

from fractions import Fraction

import pytest

from plexor.protocol.geometry import Feature
from plexor_hdl.build import boards
from plexor_hdl.build.boards import BoardError
from plexor_hdl.build.profiles import PROFILES


@pytest.mark.parametrize("name", boards.names())
def test_a_board_has_its_profiles_instrument_with_the_tick_of_its_own_clock(name):
    file = boards.read(name)
    table, geometry = file.table, file.geometry
    board = max((each for each in boards.files() if name.startswith(each)), key=len)
    build = name.removeprefix(board)
    profile = PROFILES[table["profile"] + build]
    assert file.core_mhz == Fraction(str(table["clock"]["core_mhz"]))
    exact = Fraction(10**9) / (file.core_mhz * profile.geometry.samples)
    assert abs(geometry.tick_fs - exact) <= Fraction(1, 2)
    assert geometry.board == table["identity"]
    assert geometry.code_bits == len(table["pins"].get("codes", ()))
    codes = Feature.CODES if "codes" in table["pins"] else Feature(0)
    assert (geometry.channels, geometry.features) == (
        profile.geometry.channels,
        profile.geometry.features | codes,
    )


def test_an_ulx3s_has_a_code_port_of_eight_pins_of_its_own():
    for name in ("ulx3s-25f", "ulx3s-85f"):
        pins = boards.read(name).table["pins"]
        sites = [pin["site"] for pin in pins["codes"]]
        assert len(set(sites)) == 8
        others = [*pins["channels"], *pins["outputs"], pins["gate"]]
        assert not set(sites) & {pin["site"] for pin in others}


def test_a_simulation_is_of_the_boards_instrument_and_says_that_it_is_one():
    real, simulated = boards.read(boards.DEFAULT).geometry, boards.simulated()
    assert simulated.features == real.features | Feature.SIMULATED
    assert simulated.tick_fs == real.tick_fs
    assert boards.DEFAULT in boards.names()


def test_a_boards_builds_are_named_by_it_and_the_first_is_what_its_name_means():
    assert boards.builds("icebreaker") == ("events", "counts")
    assert boards.read("icebreaker-events") == boards.read("icebreaker")
    assert boards.build_of("icebreaker", "events") == "icebreaker"
    assert boards.build_of("icebreaker", "counts") == "icebreaker-counts"
    assert boards.read("icebreaker-counts").name == "icebreaker-counts"
    assert boards.build_of("ulx3s-25f", "full") == "ulx3s-25f"
    with pytest.raises(BoardError, match="build: 'full'; icebreaker has events and counts"):
        boards.build_of("icebreaker", "full")
    assert set(boards.files()) < set(boards.names())


def test_an_events_build_matches_nothing_and_the_others_match():
    for board in boards.files():
        for build in boards.builds(board):
            features = boards.read(boards.build_of(board, build)).geometry.features
            assert (Feature.MATCH in features) == (build != "events")
            assert (Feature.EVENTS in features) or build == "counts"


def test_a_board_that_there_is_no_file_of_is_refused_with_those_there_are():
    with pytest.raises(BoardError, match=r"board: 'no'; must be one of alchitry-cu, .*ulx3s-85f"):
        boards.read("no")


GOOD = 'identity = "one"\nprofile = "up5k"\n[clock]\ncore_mhz = 48\n'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (GOOD.replace('profile = "up5k"', ""), "one.toml: no 'profile'"),
        (GOOD.replace("core_mhz = 48", ""), "one.toml: no 'core_mhz'"),
        (GOOD.replace("up5k", "up6k"), "one.toml: profile: 'up6k'; must be one of ecp5, ecp5-12k"),
        (GOOD.replace("48", '"fast"'), "one.toml: .*fast"),
        (GOOD.replace('"one"', '"much too long"'), "one.toml: board: .*up to 8 ASCII"),
        (GOOD + "[", "one.toml: "),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_what_is_wrong(
    text, reason, tmp_path, monkeypatch
):
    monkeypatch.setattr(boards, "CONSTRAINTS", tmp_path)
    (tmp_path / "one.toml").write_text(GOOD)
    assert boards.read("one").geometry.board == "one"
    (tmp_path / "one.toml").write_text(text)
    with pytest.raises(BoardError, match=reason):
        boards.read("one")
