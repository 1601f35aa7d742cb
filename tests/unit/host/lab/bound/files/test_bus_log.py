# SPDX-License-Identifier: Apache-2.0
"""Calls are found in the log of a bus; what is no log is refused."""

import pytest

from plexor.base.errors import UsageError
from plexor_lab.bound.files.bus_log import RECORD, RecordKind, calls, read_log

from ..buses import HEAP, LOWER, RAISE, call, log_bytes, read, written, wrote


def test_a_call_is_what_follows_the_rise_of_its_pin_up_to_the_fall(tmp_path):
    log = written(tmp_path, [*call(3, [read(HEAP)]), *call(4, [read(HEAP)] * 2), wrote(RAISE, 1)])
    found = list(calls(read_log(log), 0))
    assert [(each.n, len(each.records), each.time_ps) for each in found] == [
        (3, 2, 40_000),
        (4, 3, 60_000),
    ]
    assert [record["kind"] for record in found[0].records] == [RecordKind.READ, RecordKind.WRITE]


def test_other_pins_are_other_services_and_a_call_without_a_note_has_no_n(tmp_path):
    log = written(tmp_path, [*call(None, [read(HEAP)], pin=2), wrote(LOWER, 1)])
    assert [each.n for each in calls(read_log(log), 2)] == [None]
    assert list(calls(read_log(log), 0)) == []


def test_what_is_no_log_is_refused(tmp_path):
    path = tmp_path / "bus"
    good = log_bytes([read(HEAP), read(HEAP)])
    swapped = good[RECORD.itemsize :] + good[: RECORD.itemsize]
    unknown = good[:20] + b"\x07" + good[21:]
    for data, text in (
        (b"", "0 bytes; must be a log"),
        (good[:-1], "47 bytes; must be a log"),
        (swapped, "record 1 is none"),
        (unknown, "record 0 is none"),
    ):
        path.write_bytes(data)
        with pytest.raises(UsageError, match=text):
            read_log(path)
    with pytest.raises(UsageError, match="cannot read: No such file"):
        read_log(tmp_path / "none")
