# SPDX-License-Identifier: Apache-2.0
"""Defaults in plexor.toml: found upwards, overridden by the command line, refused if wrong."""

import os
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from plexor import cli
from plexor.cli.defaults import Defaults, nearest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder two below the one with the file; returns what writes that file."""
    below = tmp_path / "project" / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    return (tmp_path / "project" / "plexor.toml").write_text


def test_defaults_come_from_the_nearest_file_upwards(folder, bench, capsys, tmp_path):
    channels = 'channel = ["A=ch1", "B=ch2:invert"]'
    folder(f'[measure]\nrate = "20k"\ncount = 40\n{channels}\nactive-low = true\n')
    (tmp_path / "plexor.toml").write_text("[measure]\nrate = 1\n")
    asked = bench()
    assert cli.main(["measure"]) == 0
    settings = asked["settings"]
    assert settings.strikes[0].period_s == Fraction(1, 20_000)
    assert settings.strikes[0].count == 40
    assert [channel.label for channel in settings.channels] == ["A", "B"]
    assert settings.strikes[0].invert
    assert f"defaults from {tmp_path / 'project' / 'plexor.toml'}" in capsys.readouterr().err


def test_the_command_line_overrides_them(folder, bench):
    folder('[all]\nwidth = "3us"\n[measure]\nrate = "1k"\ncount = 5\n')
    asked = bench()
    assert cli.main(["measure", "--rate", "2k"]) == 0
    strike = asked["settings"].strikes[0]
    assert (strike.period_s, strike.width_s) == (Fraction(1, 2000), Fraction(3, 10**6))
    assert strike.count == 5


def test_an_option_for_all_commands_is_left_out_where_a_command_has_none(folder, capsys):
    folder('[all]\nrate = "20k"\n')
    assert cli.main(["board", "devices", "--help"]) == 0
    assert "defaults" not in capsys.readouterr().err


def test_a_table_of_a_command_below_may_stand_before_the_options_of_its_group():
    tables = {"board": {"calibrate": {"pps": "ch7"}, "link": "tcp://h:1"}}
    defaults = Defaults(Path("plexor.toml"), tables)
    assert defaults.of(("board", "selftest"), cli.plexor) == {
        "board": {"selftest": {"link": "tcp://h:1"}}
    }
    of_calibrate = {"pps": "ch7", "link": "tcp://h:1"}
    found = defaults.of(("board", "calibrate"), cli.plexor)
    assert found == {"board": {"calibrate": of_calibrate}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[measure]\nrat = "20k"\n', "[measure] rat: no such option"),
        ("[all]\nrat = 1\n", "[all] rat: no such option"),
        ("[mesure]\nrate = 1\n", "[mesure]: no such command"),
        ("[measure]\nload = true\n", "[measure] load: True; must be a text or a number"),
        ("[measure]\npoisson = 1\n", "[measure] poisson: 1; must be true or false"),
        ("[measure]\nrate = [1]\n", "[measure] rate: [1]; must be a text or a number"),
        ("rate = 1\n", "rate: must be a table"),
        ("[measure\n", "plexor.toml: "),
        ('[measure]\nrate = "fast"\n', "'--rate': 'fast'"),
    ],
)
def test_a_wrong_file_is_one_line_with_its_path_and_exit_code_2(folder, capsys, text, said):
    folder(text)
    assert cli.main(["measure", "--count", "3"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err.splitlines()[-1]


def test_without_a_file_there_are_none(tmp_path):
    assert nearest(tmp_path) is None


FOREIGN = 12345
"""A user who is neither root nor the one who runs the tests."""
FSTAT = os.fstat


def owned(number, user):
    """Return what is known of an open file, as if it were a user's."""
    known = FSTAT(number)
    return os.stat_result((*known[:4], user, *known[5:10]))


def foreign(number):
    """Return what is known of an open file, as if it were FOREIGN's."""
    return owned(number, FOREIGN)


def refused(capsys, *arguments):
    """Return the one line of a command that is wrong use."""
    assert cli.main(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("here", [True, False])
def test_a_file_of_another_user_is_refused_in_one_line(
    folder, bench, capsys, tmp_path, monkeypatch, here
):
    folder("[measure]\ncount = 40\n")
    if here:
        monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setattr(os, "fstat", foreign)
    asked = bench()
    line = refused(capsys, "measure", "--rate", "20k")
    assert f"{tmp_path / 'project' / 'plexor.toml'}: belongs to user " in line
    assert "must belong to you" in line
    assert "settings" not in asked


def test_a_link_of_another_user_to_a_file_of_ones_own_is_refused(folder, capsys, monkeypatch):
    folder("[measure]\ncount = 40\n")
    monkeypatch.setattr(Path, "lstat", lambda path: SimpleNamespace(st_uid=FOREIGN))
    assert "belongs to user 12345" in refused(capsys, "measure", "--rate", "20k")


@pytest.mark.parametrize(("owner", "trusted"), [(0, True), (1, False), (1234, True)])
def test_a_file_of_root_or_of_ones_own_is_taken(folder, bench, capsys, monkeypatch, owner, trusted):
    folder("[measure]\ncount = 40\n")
    monkeypatch.setattr(os, "getuid", lambda: 1234)
    monkeypatch.setattr(Path, "lstat", lambda path: SimpleNamespace(st_uid=owner))
    known = os.fstat
    monkeypatch.setattr(
        os,
        "fstat",
        lambda number: os.stat_result((*known(number)[:4], owner, *known(number)[5:10])),
    )
    bench()
    assert cli.main(["measure", "--rate", "20k"]) == (0 if trusted else 2)


def test_who_calls_sudo_keeps_the_defaults(folder, bench, capsys, monkeypatch):
    folder("[measure]\ncount = 40\n")
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(Path, "lstat", lambda path: SimpleNamespace(st_uid=FOREIGN))
    refused(capsys, "measure", "--rate", "20k")
    monkeypatch.setenv("SUDO_UID", str(FOREIGN))
    monkeypatch.setattr(os, "fstat", foreign)
    asked = bench()
    assert cli.main(["measure", "--rate", "20k"]) == 0
    assert asked["settings"].strikes[0].count == 40


@pytest.mark.parametrize("key", ["load-on", "load-off"])
@pytest.mark.parametrize("table", ["all", "sweep"])
def test_a_command_is_taken_only_from_where_one_stands(
    folder, capsys, tmp_path, monkeypatch, table, key
):
    mark = tmp_path / "ran"
    folder(f'[{table}]\n{key} = "touch {mark}"\n')
    line = refused(capsys, "sweep", "--from", "x", "--to", "2k")
    assert f"[{table}] {key}: a command comes from the command line, or from plexor.toml in" in line
    monkeypatch.chdir(tmp_path / "project")
    assert cli.main(["sweep", "--from", "x", "--to", "2k"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.endswith("plexor.toml")
    assert "'--from': 'x'" in second
    assert not mark.exists()


def test_every_option_that_is_a_command_is_known_as_one():
    def options(command):
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                yield from options(command.get_command(context, name))
        else:
            yield from (each for each in command.params if isinstance(each, click.Option))

    named = {o.opts[0] for o in options(cli.plexor) if "COMMAND" in (o.metavar or "")}
    known = {o.opts[0] for o in options(cli.plexor) if getattr(o, "is_command", False)}
    assert named == known == {"--load-on", "--load-off", "--on"}


@pytest.mark.parametrize("value", ['"missed:touch {}"', '["missed:touch {}"]'])
def test_what_a_late_answer_starts_is_taken_only_from_where_one_stands(
    bench, folder, capsys, tmp_path, value
):
    bench()
    folder(f"[measure]\non = {value.format(tmp_path / 'ran')}\n")
    line = refused(capsys, "measure", "--rate", "20k", "--count", "10")
    assert "[measure] on: a command comes from the command line, or from plexor.toml in" in line
    assert not (tmp_path / "ran").exists()
