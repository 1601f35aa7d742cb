# SPDX-License-Identifier: Apache-2.0
"""What a log and a trend say."""

from dataclasses import replace

import pytest

from plexor.files.archive.changes import ERROR
from plexor.files.archive.origin import Origin
from plexor.show.archive import words

from ...files.archive.trends import FLAT, KEPT, STEPPED, TRENDS, course, history, trend


def test_a_run_is_a_row_of_when_what_and_how():
    head, (row,) = words.log_rows([KEPT])
    found = dict(zip(head, (text for text, _ in row), strict=True))
    assert found == {
        "began, UTC": "2026-11-01 08:00",
        "run": "012345678",
        "commit": "fffffffff+",
        "branch": "main",
        "device": "FreeRTOS on VexRiscv",
        "load": "none",
        "rate": "20 kHz",
        "strikes": "12,000",
        "state": "simulated",
    }


def test_what_is_not_known_of_a_run_is_a_dash():
    bare = replace(KEPT, started=None, origin=Origin(), configuration={"dut": "bare"})
    head, (row,) = words.log_rows([bare])
    found = dict(zip(head, (text for text, _ in row), strict=True))
    assert found["began, UTC"] == found["commit"] == found["branch"] == found["rate"] == "-"
    assert found["device"] == "bare"


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({"simulated": False}, "measured"),
        ({"valid": False}, "simulated, INVALID"),
        (
            {"interrupted": True, "valid": False, "simulated": False},
            "measured, interrupted, INVALID",
        ),
    ],
)
def test_a_state_says_what_proves_nothing(change, state):
    assert words.state(replace(KEPT, **change)) == state


def test_a_trend_says_what_it_is_of_and_how_many_runs():
    many = TRENDS["many changes"]
    assert words.title(many) == "p99 of ISR by commit"
    assert words.extent(many) == (
        "1,000 runs in 1 history, 3,000 older runs not shown, 3 left out, invalid or interrupted"
    )
    assert words.title(TRENDS["periods"]) == "mean of the period of ISR by commit"
    assert words.extent(TRENDS["two loads by commit"]) == "100 runs in 2 histories"


@pytest.mark.parametrize(
    ("simulated", "source"),
    [
        ((True,), "simulated"),
        ((False, False), "measured"),
        ((True, False), "measured and simulated"),
    ],
)
def test_where_figures_come_from_is_said_of_all(simulated, source):
    found = tuple(history({}, FLAT, simulated=each) for each in simulated)
    assert words.source(found) == source


def test_a_history_is_named_by_what_tells_it_from_the_others():
    found = TRENDS["two loads by commit"]
    assert [words.label(found, each) for each in found.histories] == [
        "load none",
        "load stress-ng",
    ]
    assert words.label(found, *found.histories) == ""
    alone = TRENDS["one history"]
    assert words.label(alone, alone.histories[0]) == ""
    other = trend(history({"rate": "1 kHz"}, FLAT), history({}, FLAT))
    assert words.label(other, other.histories[1]) == "rate unknown"


def test_a_change_is_told_with_its_place_size_and_error():
    found = TRENDS["one history"]
    (one,) = found.histories
    (step,) = STEPPED.steps
    told = words.step_text(found, one, STEPPED, step)
    assert told.startswith("p99 +6.")
    assert " % at 006ffffff (2026-11-01 13:00): 3.2" in told
    assert told.endswith(" µs, error 0.1 %")
    by_load = TRENDS["two loads by load"]
    told = words.step_text(by_load, by_load.histories[0], STEPPED, step)
    assert told.startswith("load none: p99 +6.")
    assert " % from 2026-11-01 13:00: " in told


def test_a_change_from_nothing_has_no_percentage():
    found = TRENDS["a share"]
    (one,) = found.histories
    told = words.step_text(found, one, one.courses[0], one.courses[0].steps[0])
    assert told.startswith("missed from 0 at 004ffffff")
    assert "0.0000% to 0.4000%" in told


def test_a_history_without_a_figure_has_dashes_and_a_note():
    found = TRENDS["gaps"]
    _, rows = words.history_rows(found)
    assert [[text for text, _ in row][1:] for row in rows] == [
        ["p99", "10", *(text for text, _ in rows[0][3:6]), "0"],
        ["p99.9", "0", "-", "-", "-", "0"],
    ]
    assert words.too_few(found) == [
        "p99: 20 runs have too few samples for it",
        "p99.9: 30 runs have too few samples for it",
    ]


def test_the_method_states_its_error():
    assert words.METHOD.count(words.percent(ERROR)) == 2
    assert words.percent(ERROR) == "1 %"


def test_a_run_in_words():
    assert words.run_text(KEPT) == (
        f"{KEPT.run}, begun 2026-11-01 08:00, commit fffffffff+, branch main, simulated"
    )
    bare = replace(KEPT, started=None, origin=Origin(), simulated=False)
    assert words.run_text(bare) == f"{KEPT.run}, begun -, measured"


def test_devices_of_manifests_have_short_names_that_tell_them_apart():
    long = [
        "/srv/ci/a/irq.toml",
        "/srv/ci/a/irq.toml:clock=20ns",
        "/srv/ci/b/irq.toml",
        "freertos",
        "freertos:platform=/x/sdram.toml",
    ]
    assert words.short_devices(long) == {
        long[0]: "a/irq.toml",
        long[1]: "a/irq.toml:clock=20ns",
        long[2]: "b/irq.toml",
    }
    runs = [replace(KEPT, configuration={"dut": device}) for device in long[:2]]
    head, rows = words.log_rows(runs)
    assert [row[head.index("device")][0] for row in rows] == ["irq.toml", "irq.toml:clock=20ns"]
    found = trend(history({"dut": long[0]}, FLAT), history({"dut": long[2]}, FLAT))
    assert words.label(found, found.histories[0]) == "device a/irq.toml"


def test_an_imported_run_is_not_called_measured():
    run = replace(KEPT, simulated=False, configuration={"source": "imported"})
    assert words.state(run) == "imported"
    assert words.source([run, KEPT]) == "imported and simulated"


def test_of_many_histories_with_too_few_runs_one_sentence_tells_how_many():
    short = replace(course("p99", [3e-6] * 4), lacking=6)
    few = trend(*(history({"load": f"{n}"}, short) for n in range(4)))
    assert words.undecided(few) == [
        "p99: 4 of 4 histories have too few runs to tell whether they changed: 4, needs 10"
    ]
    assert len(words.undecided(trend(*few.histories[:3]))) == 3
