"""`plexor measure`: what is looked at before the first strike, and what comes of a run."""

from plexor import cli

from ...test_cli import STRIKES, document


def test_a_run_goes_to_its_folder_and_comes_back(bench, capsys, tmp_path):
    bench()
    out = tmp_path / "runs" / "one"
    assert cli.main([*STRIKES, "--out", str(out), "--json"]) == 0
    first = document(capsys)
    assert cli.main(["replay", str(out), "--json"]) == 0
    assert document(capsys) == first
    assert cli.main(["report", str(out)]) == 0
    assert "</html>" in (out / "report.html").read_text(encoding="utf-8")
    assert cli.main(["report", str(out), "--page", str(tmp_path / "a.svg")]) == 0
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_base_is_taken_off_what_is_printed(bench, capsys):
    bench()
    cli.main([*STRIKES, "--base", "12ns", "--json"])
    found = document(capsys)
    assert found["base_ticks"] == 12
    assert found["channels"][0]["latency"]["min_ticks"] == 988
