# SPDX-License-Identifier: Apache-2.0
"""A log and a trend as JSON: strict, exact, with every run."""

import json

from plexor.files.archive.document import log_document, trend_document

from .trends import KEPT, STEPPED, TRENDS


def strict(document):
    """Return what a strict reader makes of a document."""

    def refuse(name):
        raise AssertionError(name)

    return json.loads(json.dumps(document, allow_nan=True), parse_constant=refuse)


def test_a_log_has_each_run_with_its_configuration():
    document = strict(log_document([KEPT], 7))
    assert (document["schema"], document["total"]) == ("plexor.archive.log/1", 7)
    (run,) = document["runs"]
    assert run["run"] == KEPT.run
    assert run["started"] == "2026-11-01T08:00:30+00:00"
    assert (run["commit"], run["branch"], run["dirty"]) == ("f" * 40, "main", True)
    assert (run["simulated"], run["valid"]) == (True, True)
    assert run["configuration"] == KEPT.configuration


def test_every_trend_is_strict_json():
    for found in TRENDS.values():
        document = strict(trend_document(found))
        assert document["schema"] == "plexor.archive.trend/2"
        assert len(document["histories"]) == len(found.histories)


def test_a_trend_has_the_values_of_its_runs_and_its_changes():
    document = strict(trend_document(TRENDS["one history"]))
    (history,) = document["histories"]
    own = history["figures"]["p99"]
    assert own["values"] == STEPPED.values.tolist()
    assert own["unit"] == "s"
    assert history["runs"][30]["commit"].startswith("006f")
    (change,) = own["changes"]
    assert (change["place"], change["error"]) == (30, 0.001)
    assert change["change"] == STEPPED.steps[0].change


def test_what_a_run_does_not_know_is_null():
    document = strict(trend_document(TRENDS["gaps"]))
    values = document["histories"][0]["figures"]["p99"]["values"]
    assert [value is None for value in values] == [n % 3 != 0 for n in range(30)]
