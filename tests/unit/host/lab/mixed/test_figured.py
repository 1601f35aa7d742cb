# SPDX-License-Identifier: Apache-2.0
"""Two schedules are compared by what became of their entries, and by their lateness."""

from fractions import Fraction

import pytest

import plexor
from plexor import cli
from plexor.base.errors import ApartError
from plexor.files.store.run_folder import save
from plexor_lab.mixed.mixed import Mixed
from plexor_lab.mixed.model import Mode

from .lists import MS, run_of
from .lists import result_of as planted


@pytest.fixture
def kept(tmp_path):
    """Return a function that keeps a schedule of one run in a folder of that name."""

    def keep(name, lateness_ticks, **changes):
        Mixed(planted(run_of(lateness_ticks, distance=2), **changes)).write(tmp_path / name)
        # As the command keeps them: its runs lie beside it, and are no results of their own here.
        (tmp_path / name / "mixed-2").mkdir()
        return tmp_path / name

    return keep


def test_lateness_and_shares_of_both_are_compared(kept):
    idle, loaded = kept("idle", [0, 4]), kept("loaded", [0, 8, 2 * MS, None])
    found = {(e.channel, e.figure): e for e in plexor.compare(idle, loaded).differences}
    most = found["mixed-2", "max"]
    assert (most.before, most.after) == (Fraction(2, 10**9), Fraction(2, 1000))
    late = found["mixed-2", "late"]
    assert (late.before, late.after, late.unit) == (0, Fraction(1, 4), "share")
    assert ("mixed-2", "early") not in found


def test_heavy_load_has_four_times_the_variance_in_the_text(kept, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    idle, loaded = kept("idle", [0, 4]), kept("loaded", [0, 8], device={"load": "disk"})
    assert cli.main(["compare", str(idle), str(loaded), "--columns", "all"]) == 0
    line = next(e for e in capsys.readouterr().out.splitlines() if " variance " in e)
    assert " ".join(line.split()) == "mixed-2 variance 1 ns² 4 ns² +300.00 % x4.000 -"


def test_a_gate_judges_the_mean_of_schedules(kept):
    idle, loaded = kept("idle", [100] * 40), kept("loaded", [200] * 40)
    assert cli.main(["compare", str(idle), str(loaded), "--fail-on", "mean>+5%"]) == 1
    assert cli.main(["compare", str(idle), str(idle), "--fail-on", "mean>+5%"]) == 0


def test_a_schedule_and_a_run_are_refused_in_one_line(kept, tmp_path, run_of):
    save(run_of([[1000]]), tmp_path / "run")
    with pytest.raises(ApartError, match="one is a schedule, the other a run; both must be"):
        plexor.compare(kept("idle", [0, 4]), tmp_path / "run")


def test_schedules_without_a_run_in_common_are_refused(kept, tmp_path):
    Mixed(planted(run_of([3], Mode.NORMAL, None))).write(tmp_path / "other")
    with pytest.raises(ApartError, match="no channel in common: mixed-2, and normal"):
        plexor.compare(kept("idle", [0, 4]), tmp_path / "other")


def test_an_archive_refuses_a_schedule_and_says_what_it_keeps(kept, tmp_path, capsys):
    archive = str(tmp_path / "archive")
    assert cli.main(["archive", "add", str(kept("idle", [0, 4])), "--archive", archive]) == 2
    assert "holds a schedule; only runs are kept in an archive" in capsys.readouterr().err
