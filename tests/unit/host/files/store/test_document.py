# SPDX-License-Identifier: Apache-2.0
"""The JSON of a run: by its schema, and by arithmetic."""

import json
import shlex
from fractions import Fraction

import jsonschema
import pytest

import plexor
from plexor import cli
from plexor.model.results import Identity
from plexor.model.settings import Settings, Stimulus
from plexor.protocol.geometry import Geometry

SCHEMA = plexor.schema("run")
STRIKES = ["measure", "--rate", "20k", "--count", "10"]


def check(document):
    """Check a document against the schema, as another program reads it."""
    jsonschema.validate(document, SCHEMA)


def document(capsys):
    out, _ = capsys.readouterr()
    return json.loads(out)


def test_json_leaves_out_latencies_of_strikes_that_are_not_known(bench, capsys, run_of):
    # 30 µs behind the strike that was missed: TASK may answer each strike 70 µs late, or another.
    bench(run_of([[1000, 2000, 3000], [None, 20_000, 30_000]]))
    cli.main([*STRIKES, "--json"])
    found = document(capsys)
    check(found)
    isr, task = found["channels"]
    assert isr["pairing"]["standing"] == "proven"
    assert (task["pairing"]["standing"], task["pairing"]["by"]) == ("ambiguous", None)
    assert (task["answered"], task["latency"], task["fall_latency"]) == (2, None, None)
    assert isr["latency"]["max_ticks"] == 3000
    assert task["width"] is not None
    (line,) = found["doubts"]
    assert line.startswith("TASK: answers may be those of other strikes (missed strikes: 1)")
    cli.main(STRIKES)
    assert line in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("budget", [[], ["--budget", "b.toml"]])
def test_json_is_all_of_standard_output_and_fits_its_schema(
    bench, capsys, budget, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.toml").write_text('[all]\nmax = "1 s"\n')
    bench()
    assert cli.main([*STRIKES, "--json", *budget]) == 0
    found = document(capsys)
    check(found)
    assert (found["budget"] is None) == (not budget)


def test_json_has_the_figures_of_planted_latencies(bench, capsys, run_of):
    bench(run_of([[1000, 2000, 3000], [5000, 6000, None]]))
    cli.main([*STRIKES, "--json"])
    found = document(capsys)
    assert found["simulated"] is True
    assert found["tick_fs"] == 1_000_000
    assert found["valid"] is True
    assert found["strikes"] == 3
    books = found["accounting"]
    assert books["generated"] == books["received"] == 16  # 6 + 6 + 4 edges
    assert books["dropped_on_chip"] == books["lost_on_link"] == 0
    isr, task = found["channels"]
    assert (isr["name"], isr["answered"], isr["missed"]) == ("ISR", 3, 0)
    assert (task["name"], task["answered"], task["missed"], task["pending"]) == ("TASK", 2, 1, 0)
    assert (isr["late"], isr["duplicate"], isr["spurious"]) == (0, 0, 0)
    latency = isr["latency"]
    assert (latency["count"], latency["min_ticks"], latency["max_ticks"]) == (3, 1000, 3000)
    assert (latency["sum_ticks"], latency["sum_sq_ticks"]) == (6000, 14_000_000)
    assert latency["p50_ticks"] is None  # three samples bound no median
    assert latency["quantiles"][0]["ticks"] == 2000
    assert task["latency"]["sum_ticks"] == 11_000
    # Of 1000, 2000, 3000 ticks: 2/3 of a million. A tick is a nanosecond.
    assert latency["variance_ticks2"] == latency["variance_ns2"] == 2e6 / 3
    assert task["latency"]["variance_ticks2"] == 250_000


def test_json_says_what_was_done(bench, capsys, run_of):
    settings = Settings(strikes=(Stimulus(period_s=Fraction(1, 20_000), seed=7),), timeout_s=None)
    bench(run_of([[1000, 2000, 3000]], settings=settings))
    words = ["measure", "--rate", "20k", "--count", "10", "--label", "os=a b", "--json"]
    cli.main(words)
    found = document(capsys)
    assert shlex.split(found["command"]) == ["plexor", *words]
    (strikes,) = found["settings"]["strikes"]
    assert (strikes["rate_hz"], strikes["period_s"], strikes["seed"]) == ("20000", "0.00005", 7)
    latency = found["channels"][0]["latency"]
    assert (latency["max_ticks"], latency["max_s"]) == (3000, "0.000003")
    assert latency["quantiles"][0]["seconds"] == "0.000002"


def test_the_variance_in_ns_is_by_the_tick_of_the_instrument(bench, capsys, run_of):
    # With ticks of 0.5 ns, 1000 and 3000 ticks have a variance of a million square ticks.
    bench(run_of([[1000, 3000], [None, None]], identity=Identity(Geometry(tick_fs=500_000), 1)))
    cli.main([*STRIKES, "--json"])
    isr, task = (channel["latency"] for channel in document(capsys)["channels"])
    assert (isr["variance_ticks2"], isr["variance_ns2"]) == (1_000_000, 250_000)
    assert (task["variance_ticks2"], task["variance_ns2"]) == (None, None)


def test_json_has_the_jitter_of_the_last_128_and_the_greatest_of_any_128(bench, capsys, run_of):
    bench(run_of([[1000, 1500] + [1000] * 100 + [1200] * 127 + [1210]]))
    cli.main([*STRIKES, "--json"])
    latency = document(capsys)["channels"][0]["latency"]
    assert (latency["jitter128_ticks"], latency["jitter128_max_ticks"]) == (10, 500)


def test_json_says_where_a_latency_goes(bench, capsys, run_of):
    # On-widths of 100 ticks: 5000 = 1000 + 100 + 3900; the last strike has no TASK.
    bench(run_of([[1000, 3000, 2000], [5000, 6000, None]]))
    cli.main([*STRIKES, "--json"])
    (found,) = document(capsys)["shares"]
    assert (found["first"], found["second"], found["count"]) == ("ISR", "TASK", 2)
    assert found["rise"] == {
        **{"min_ticks": 1000, "max_ticks": 3000, "sum_ticks": 4000},
        **{"min_s": "0.000001", "max_s": "0.000003", "sum_s": "0.000004"},
    }
    names = ("min_ticks", "max_ticks", "sum_ticks")
    assert [found["width"][name] for name in names] == [100, 100, 200]
    assert [found["gap"][name] for name in names] == [2900, 3900, 6800]
    assert [found["total"][name] for name in names] == [5000, 6000, 11_000]
    cli.main(STRIKES)
    lines = capsys.readouterr().out.splitlines()
    head = next(place for place, line in enumerate(lines) if line.startswith("where it goes"))
    assert lines[head + 1].split() == [
        "TASK",
        "2",
        "2.0",  # ± 0.7
        "µs",
        "100",
        "ns",
        "3.4",  # ± 0.35
        "µs",
        "5.5",  # ± 0.35
        "µs",
    ]


def test_percentiles_with_enough_samples_are_in_the_json(bench, capsys, run_of):
    bench(run_of([list(range(1000, 1400))]))
    cli.main([*STRIKES, "--json"])
    latency = document(capsys)["channels"][0]["latency"]
    assert (latency["p50_ticks"], latency["p99_ticks"]) == (1199, 1395)
    assert latency["p999_ticks"] is None


def test_a_run_without_a_response_fits_the_schema(bench, capsys, run_of):
    bench(run_of([[None, None]], keep_events=False))
    assert cli.main([*STRIKES, "--json"]) == 0
    check(document(capsys))


def test_a_velocity_gives_the_way_during_each_latency(bench, capsys, run_of, tmp_path):
    # 1100 m/s x 2.5 µs = 2.75 mm
    bench(run_of([[2500] * 400, [None] * 400]))
    page = tmp_path / "page.html"
    arguments = [*STRIKES, "--columns", "1100m/s", "--page", str(page)]
    cli.main([*arguments, "--json"])
    found = document(capsys)
    check(found)
    assert found["velocity_m_per_s"] == 1100
    ways = found["channels"][0]["distance"]
    assert ways.pop("p999_m") is None
    assert ways == pytest.approx(dict.fromkeys(ways, 0.00275), rel=1e-12)
    assert found["channels"][1]["distance"] is None
    cli.main(arguments)
    lines = capsys.readouterr().out.splitlines()
    head = next(
        place for place, line in enumerate(lines) if line.startswith("distance at 1100 m/s")
    )
    assert lines[head].split()[4:] == [
        "mean",
        "min",
        "p50",
        "p99",
        "p99.9",
        "max",
        "seen",
    ]
    assert lines[head + 1].split() == ["ISR", *["2.75", "mm"] * 4, "-", "2.75", "mm"]
    assert "<td>2.75 mm</td>" in page.read_text(encoding="utf-8")


def test_without_a_velocity_no_way_is_shown(bench, capsys):
    bench()
    cli.main([*STRIKES, "--json"])
    found = document(capsys)
    assert found["velocity_m_per_s"] is None
    assert found["channels"][0]["distance"] is None
    cli.main(STRIKES)
    assert "distance" not in capsys.readouterr().out


def test_the_percentile_of_999_in_1000_is_the_least_that_as_many_do_not_exceed(
    bench, capsys, run_of
):
    bench(run_of([list(range(1000, 6000))]))
    cli.main([*STRIKES, "--json"])
    latency = document(capsys)["channels"][0]["latency"]
    # 999 of 1000 of 5,000: the 4,995th.
    assert latency["p999_ticks"] == 1000 + 4995 - 1
