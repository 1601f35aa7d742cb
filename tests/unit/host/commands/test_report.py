"""`plexor report`: the page of what was kept, or its picture."""

import pytest

from plexor import cli
from plexor.store.run_folder import save


@pytest.mark.parametrize(
    ("limit", "code", "words"),
    [
        ("3 us", 0, "PASS: within budget b"),
        ("2 us", 1, "FAIL: 1 of 1 checks of budget b broken"),
    ],
)
def test_a_report_by_a_budget_prints_the_verdict(capsys, tmp_path, run_of, limit, code, words):
    kept = save(run_of([[1000, 2000, 3000]]), tmp_path / "kept")
    (tmp_path / "b.toml").write_text(f'[all]\nmax = "{limit}"\n')
    assert cli.main(["report", str(kept), "--budget", str(tmp_path / "b.toml")]) == code
    assert capsys.readouterr().out.splitlines()[-1] == words
