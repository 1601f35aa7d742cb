# SPDX-License-Identifier: Apache-2.0
"""`plexor examples` names each file, and the command to begin with."""

from plexor import cli


def test_each_file_is_named_and_a_command_to_try(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["examples", "my own"]) == 0
    *files, last = capsys.readouterr().out.splitlines()
    assert sorted(files) == sorted(
        str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*")
    )
    assert last == "Try: plexor measure --dut 'my own/irq.toml' --rate 20k --count 2k"
    assert cli.main(["examples"]) == 0
    assert (tmp_path / "plexor-examples" / "irq.toml").exists()
    assert cli.main(["examples"]) == 2
    assert capsys.readouterr().err == "plexor: plexor-examples: is not empty; name a new folder\n"
