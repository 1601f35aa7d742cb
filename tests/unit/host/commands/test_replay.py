"""`plexor replay`: the figures of what was kept, and how it ends."""

import pytest

from plexor import cli
from plexor.store.run_folder import save

from ..test_cli import document


@pytest.mark.parametrize(
    ("limits", "code"), [(None, 0), ('max = "3 us"', 0), ('max = "2 us"', 1), ('p99 = "1 s"', 4)]
)
def test_a_replay_of_an_interrupted_run_ends_by_its_verdict(capsys, tmp_path, run_of, limits, code):
    kept = save(run_of([[1000, 2000, 3000]], interrupted=True), tmp_path / "kept")
    budget = []
    if limits is not None:
        (tmp_path / "b.toml").write_text(f"[all]\n{limits}\n")
        budget = ["--budget", str(tmp_path / "b.toml")]
    assert cli.main(["replay", str(kept), *budget]) == code
    assert "interrupted" in capsys.readouterr().out.splitlines()[1]
    assert cli.main(["replay", str(kept), "--json", *budget]) == code
    found = document(capsys)
    assert (found["interrupted"], found["exit_code"]) == (True, code)
    assert cli.main(["report", str(kept), *budget]) == code
