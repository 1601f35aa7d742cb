# SPDX-License-Identifier: Apache-2.0
"""`plexor measure --out`: nothing that was measured or kept before is lost."""

import errno

from plexor import cli
from plexor.files.store.run_folder import load

from ..test_cli import STRIKES, errors_of


def test_a_folder_that_is_there_is_replaced_only_with_force(bench, capsys, tmp_path):
    bench()
    out = tmp_path / "run"
    arguments = [*STRIKES, "--out", str(out), "--json"]
    assert cli.main(arguments) == 0
    capsys.readouterr()
    assert "already exists" in errors_of(capsys, 2, arguments)
    assert cli.main([*arguments, "--force"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_force_never_replaces_what_is_no_run(bench, capsys, tmp_path):
    bench()
    (tmp_path / "thesis.txt").write_text("years of work")
    line = errors_of(capsys, 2, [*STRIKES, "--out", str(tmp_path), "--force"])
    assert "holds no run" in line
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_run_that_cannot_be_kept_is_still_shown(bench, capsys, monkeypatch, tmp_path):
    bench()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("plexor.files.store.run_folder.write", full)
    assert cli.main([*STRIKES, "--out", str(tmp_path / "run")]) == 5
    out, err = capsys.readouterr()
    assert "max seen" in out
    assert err == f"plexor: {tmp_path / 'run'}: cannot write: No space left on device\n"


def test_an_interrupt_while_a_run_is_kept_costs_neither_its_figures_nor_the_old_run(
    bench, capsys, monkeypatch, tmp_path
):
    bench()
    out = tmp_path / "run"
    assert cli.main([*STRIKES, "--out", str(out)]) == 0

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("plexor.files.store.run_folder.write", interrupted)
    capsys.readouterr()
    assert cli.main([*STRIKES, "--out", str(out), "--force"]) == 5
    shown, err = capsys.readouterr()
    assert "max seen" in shown
    assert err == f"plexor: {out}: interrupted before the run was stored\n"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert load(out).strikes == 3
