"""Defaults in plexor.toml: found upwards, overridden by the command line, refused if wrong."""

from fractions import Fraction

import pytest

from plexor import cli
from plexor.commands.defaults import nearest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder two below the one with the file; returns what writes that file."""
    below = tmp_path / "project" / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    return (tmp_path / "project" / "plexor.toml").write_text


def test_defaults_come_from_the_nearest_file_upwards(folder, bench, capsys, tmp_path):
    channels = 'channel = ["A=ch1", "B=ch2:invert"]'
    folder(f'[measure]\nrate = "20k"\ncount = 40\n{channels}\nload = true\n')
    (tmp_path / "plexor.toml").write_text("[measure]\nrate = 1\n")
    asked = bench()
    assert cli.main(["measure"]) == 0
    settings = asked["settings"]
    assert settings.strikes[0].period_s == Fraction(1, 20_000)
    assert settings.strikes[0].count == 40
    assert [channel.label for channel in settings.channels] == ["A", "B"]
    assert settings.load
    assert f"defaults from {tmp_path / 'project' / 'plexor.toml'}" in capsys.readouterr().err


def test_the_command_line_and_presets_override_them(folder, bench):
    folder('[all]\nwidth = "3us"\n[measure]\nrate = "1k"\ncount = 5\n')
    asked = bench()
    assert cli.main(["measure", "--rate", "2k"]) == 0
    strike = asked["settings"].strikes[0]
    assert (strike.period_s, strike.width_s) == (Fraction(1, 2000), Fraction(3, 10**6))
    assert cli.main(["measure", "--preset", "cots5k"]) == 0
    strike = asked["settings"].strikes[0]
    assert (strike.period_s, strike.width_s) == (Fraction(1, 5000), Fraction(40, 10**6))
    assert strike.count == 5


def test_an_option_for_all_commands_is_left_out_where_a_command_has_none(folder, capsys):
    folder('[all]\nrate = "20k"\n')
    assert cli.main(["completion", "bash"]) == 0
    assert "defaults" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[measure]\nrat = "20k"\n', "[measure] rat: no such option"),
        ("[all]\nrat = 1\n", "[all] rat: no such option"),
        ("[mesure]\nrate = 1\n", "[mesure]: no such command"),
        ("[measure]\nload = 1\n", "[measure] load: 1; must be true or false"),
        ("[measure]\nrate = [1]\n", "[measure] rate: [1]; must be a text or a number"),
        ("rate = 1\n", "rate: must be a table"),
        ("[measure\n", "plexor.toml: "),
        ('[measure]\nrate = "fast"\n', "rate: 'fast'"),
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
