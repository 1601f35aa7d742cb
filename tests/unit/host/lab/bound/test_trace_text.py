# SPDX-License-Identifier: Apache-2.0
"""A trace on the terminal: a column for each section, and what it is from."""

from plexor_lab.bound.traced import trace_bus

from .buses import call, read, walk, written

HEAP = 0x40003000


def test_each_section_is_a_column_with_repetition_and_blocking(tmp_path):
    log = written(tmp_path, [record for n in (1, 3) for record in call(n, walk(n))])
    text = trace_bus(log, title="walk").text()
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.strip()}
    assert rows["accesses"] == ["once", "once-blocking", "each-blocking"]
    assert rows["repetition"] == ["1", "1", "N"]
    assert rows["blocking"] == ["no", "yes", "yes"]
    assert rows["heap32.read"] == ["0", "0", "1"]
    assert "2 values of N, 1 to 3\n" in text


def test_what_the_model_has_more_is_said(tmp_path):
    calls = {0: 0, 1: 4, 2: 6, 3: 8}
    log = written(tmp_path, [r for n, k in calls.items() for r in call(n, [read(HEAP)] * k)])
    text = " ".join(trace_bus(log).text(width=60).split())
    assert "no call without an interrupt has more accesses; over one of each N they are 2" in text
