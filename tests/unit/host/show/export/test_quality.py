# SPDX-License-Identifier: Apache-2.0
"""GitLab's Code Quality: the keys that it asks for, and an entry for what is not kept."""

import json
from dataclasses import replace
from fractions import Fraction

from plexor.figures.judge.budget import Budget, Limit, Scope
from plexor.show.export.quality import write_quality

from . import planted

NS = Fraction(1, 10**9)
BUDGET = Budget(
    "motor.toml",
    (
        Limit(Scope.ALL, "max", 250 * NS),
        Limit(Scope.ALL, "missed", Fraction(0)),
        Limit(Scope.ALL, "p99", 1000 * NS, q=Fraction(99, 100)),
    ),
)
SEVERITIES = {"info", "minor", "major", "critical", "blocker"}


def written(tmp_path, run):
    return json.loads(
        planted.written(write_quality, tmp_path / "a.codequality", run, BUDGET).read_text()
    )


def test_what_is_not_kept_has_what_gitlab_asks_for(tmp_path):
    found = written(tmp_path, planted.run())
    assert found
    for entry in found:
        assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert entry["severity"] in SEVERITIES
        assert entry["location"] == {"path": "motor.toml", "lines": {"begin": 1}}
    assert len({entry["fingerprint"] for entry in found}) == len(found)
    by_name = {entry["check_name"]: entry for entry in found}
    assert by_name["plexor: ISR: max seen ≤ 250 ns"]["severity"] == "major"
    assert by_name["plexor: ISR: p99 ≤ 1 µs"]["severity"] == "minor"
    # What is kept is no entry.
    assert not [name for name in by_name if "ISR: missed" in name]
    assert "plexor: TASK: missed ≤ 0" in by_name


def test_an_entry_is_known_again_in_the_next_run(tmp_path):
    first, second = (written(tmp_path, planted.run()) for _ in range(2))
    assert [e["fingerprint"] for e in first] == [e["fingerprint"] for e in second]


def test_an_invalid_run_blocks(tmp_path):
    run = replace(planted.run(), invalid_reasons=("the clock was lost",))
    (entry, *others) = written(tmp_path, run)
    assert (entry["severity"], entry["description"]) == ("blocker", "the clock was lost")
    assert {other["severity"] for other in others} == {"info"}
