# SPDX-License-Identifier: Apache-2.0
"""Lists of events: PTU as another reader has it, and the arrays of a Time Tagger."""

import struct

import numpy as np
import ptufile
import pytest

from plexor.base.errors import UsageError
from plexor.files.imports.capture import MOST_EDGES, ReadRules
from plexor.files.imports.open import open_capture

TYPES = {"empty": 0xFFFF0008, "int": 0x10000008, "float": 0x20000008, "text": 0x4001FFFF}
T2 = (0x00010203, 0x00010204, 0x01010204, 0x00010205, 0x00010206, 0x00010207)
T3 = (0x00010303, 0x00010304, 0x01010304, 0x00010305, 0x00010306, 0x00010307)
PICOHARP = (0x00010203, 0x00010303)
HYDRAHARP_2_T2 = 0x01010204
SYNC_S, STEP_S = 5e-8, 25e-12


def tag(name, kind, value):
    head = struct.pack("<32siI", name.encode(), -1, TYPES[kind])
    if kind == "float":
        return head + struct.pack("<d", value)
    if kind == "text":
        text = value.encode().ljust(len(value) // 8 * 8 + 8, b"\0")
        return head + struct.pack("<q", len(text)) + text
    return head + struct.pack("<q", value)


def ptu(path, records, kind, *, count=None, resolution_s=1e-12, ends=True):
    """Write a PTU file as PicoQuant's description of the format has it."""
    is_t3 = kind in T3
    parts = [
        b"PQTTTR\0\0" + b"1.0.00\0\0",
        tag("File_GUID", "text", "{6A4A1A4F-0000-0000-0000-000000000000}"),
        tag("Measurement_Mode", "int", 3 if is_t3 else 2),
        tag("Measurement_SubMode", "int", 0),
        tag("TTResultFormat_TTTRRecType", "int", kind),
        tag("TTResultFormat_BitsPerRecord", "int", 32),
        tag("TTResult_NumberOfRecords", "int", len(records) if count is None else count),
        tag("MeasDesc_GlobalResolution", "float", SYNC_S if is_t3 else resolution_s),
    ]
    if is_t3:
        parts.append(tag("MeasDesc_Resolution", "float", STEP_S))
        parts.append(tag("TTResult_SyncRate", "int", round(1 / SYNC_S)))
    if ends:
        parts.append(tag("Header_End", "empty", 0))
    path.write_bytes(b"".join(parts) + np.array(records, "<u4").tobytes())
    return path


def read(path):
    """Return the capture, and the rises of each signal in units."""
    file = open_capture(path, ReadRules())
    capture = file.read([file.chosen(name) for name in file.signals])
    rises = {n: edges.times[edges.levels == 1].tolist() for n, edges in capture.edges.items()}
    return capture, rises


def records_of(kind, seed):
    """Return 2,000 random photons, syncs, markers and overflows."""
    rng = np.random.default_rng(seed)
    records = []
    for what in rng.choice(["photon", "photon", "marker", "overflow", "sync"], 2000):
        bits = int(rng.integers(1, 16)) if what == "marker" else 0
        payload = int(rng.integers(1 << 28))
        if kind in PICOHARP:
            # In T3 there is no input 0.
            channel = int(rng.integers(4)) if kind in T2 else int(rng.integers(1, 5))
            channel = 15 if what in ("marker", "overflow") else channel
            if channel == 15:
                low = payload & ~0xF | bits if bits else 0
                payload = low if kind in T2 else payload & 0xFFFF | bits << 16
            records.append(channel << 28 | payload)
            continue
        payload &= (1 << 25) - 1
        special, channel = 0, int(rng.integers(8))
        if what == "marker":
            special, channel = 1, bits
        elif what == "overflow":
            special, channel, payload = 1, 63, int(rng.integers(4))
        elif what == "sync" and kind in T2:
            special, channel = 1, 0
        records.append(special << 31 | channel << 25 | payload)
    return records


@pytest.mark.parametrize("kind", [*T2, *T3], ids=hex)
def test_every_event_is_where_another_reader_has_it(kind, tmp_path):
    path = ptu(tmp_path / "a.ptu", records_of(kind, 7), kind)
    capture, rises = read(path)
    with ptufile.PtuFile(path) as other:
        known = other.decode_records()
    channels, markers = known["channel"].astype(int), known["marker"].astype(int)
    times = 2 * known["time"].astype(np.int64)
    if kind in T3:
        # 50 ns have 4,000 halves of 25 ps.
        times = 2000 * times + 2 * np.maximum(known["dtime"].astype(np.int64), 0)
    assert capture.unit_fs == (12_500 if kind in T3 else 500)
    if kind == PICOHARP[0]:
        # A marker stands in the lowest bits of its own time.
        times = np.where(markers > 0, times & ~0x1F, times)
    for bit in range(4):
        chosen = np.unique(times[(markers >> bit & 1) == 1])
        assert rises.get(f"marker{bit + 1}", []) == chosen.tolist()
    first = 0 if kind == PICOHARP[0] else 1
    for channel in range(8):
        theirs = np.unique(times[channels == channel]).tolist()
        ours = set(rises.get(f"ch{channel + first}", []))
        if kind in T2 and not channel:
            # The other reader has syncs and the first input in one channel.
            ours |= {*rises["sync"]}
        assert sorted(ours) == theirs
    assert capture.end >= times.max()


def test_syncs_and_the_first_input_of_t2_are_told_apart(tmp_path):
    sync, photon, overflow = 1 << 31 | 100, 150, 1 << 31 | 63 << 25 | 2
    path = ptu(tmp_path / "a.ptu", [sync, photon, overflow, sync, photon], HYDRAHARP_2_T2)
    _, rises = read(path)
    later = 2 * (2 << 25)
    assert rises == {"sync": [200, later + 200], "ch1": [300, later + 300]}


def test_the_syncs_of_t3_are_where_their_numbers_say(tmp_path):
    photon = 3 << 25 | 40 << 10 | 5
    _, rises = read(ptu(tmp_path / "a.ptu", [photon], T3[2]))
    assert rises["sync"] == [4000 * number for number in range(6)]
    assert rises["ch4"] == [5 * 4000 + 80]


def test_a_pulse_is_half_of_the_resolution_and_a_note_says_so(tmp_path):
    path = ptu(tmp_path / "a.ptu", [10, 11], HYDRAHARP_2_T2, resolution_s=4e-12)
    capture, _ = read(path)
    edges = capture.edges["ch1"]
    assert edges.times[-4:].tolist() == [20, 21, 22, 23]
    assert edges.levels[-4:].tolist() == [1, 0, 1, 0]
    assert capture.unit_fs == 2000
    assert "its events have no width" in capture.notes[0]


def test_a_file_that_is_cut_off_is_read_to_its_end(tmp_path):
    capture, rises = read(ptu(tmp_path / "a.ptu", [10, 20], HYDRAHARP_2_T2, count=5))
    assert rises == {"ch1": [20, 40]}
    assert capture.notes[1] == "it is incomplete: 2 of 5 records"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "does not begin with PQTTTR"),
        (b"PQTTTR\0\0" + b"1.0.00\0\0", "its header has no end"),
        (b"PQTTTR\0\0" + b"1.0.00\0\0" + tag("Header_End", "empty", 0), "of type 0x00000000 are"),
    ],
)
def test_what_is_no_ptu_file_is_refused_in_a_line(content, reason, tmp_path):
    path = tmp_path / "a.ptu"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=reason) as caught:
        open_capture(path, ReadRules())
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"count": MOST_EDGES + 1}, "more than"),
        ({"resolution_s": 0.0}, "must be between 0 and 1 s"),
        ({"resolution_s": float("nan")}, "must be between 0 and 1 s"),
        ({"resolution_s": 1e-19}, "must be a femtosecond or more"),
        ({"ends": False}, "its header has no end"),
    ],
)
def test_a_header_that_cannot_be_is_refused(options, reason, tmp_path):
    path = ptu(tmp_path / "a.ptu", [10], HYDRAHARP_2_T2, **options)
    with pytest.raises(UsageError, match=reason):
        open_capture(path, ReadRules())


def test_the_arrays_of_a_time_tagger_are_pulses_or_levels(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(
        path,
        timestamps=np.array([5000, 5100, 5200, 5300, 4000, 9000]),
        channels=np.array([1, 2, -2, 2, 3, 1], np.int32),
    )
    capture, rises = read(path)
    assert capture.unit_fs == 500
    # Times count from the first event, at 4,000 ps.
    assert rises == {"ch1": [2000, 10_000], "ch2": [2200, 2600], "ch3": [0]}
    second = capture.edges["ch2"]
    assert second.times[-3:].tolist() == [2200, 2400, 2600]
    assert [note.partition(":")[0] for note in capture.notes] == ["ch1", "ch3"]


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({"timestamps": [1]}, "channels"),
        ({"timestamps": [1], "channels": [1, 2]}, "1 timestamp, 2 channels"),
        ({"timestamps": [-(1 << 62), 1 << 62], "channels": [1, 1]}, "have a span of"),
        # A type as wide as this has no room in memory, so its numbers are not read.
        ({"timestamps": np.zeros(2, "V1000"), "channels": [1]}, "timestamps: 1 dimensions of"),
        ({"timestamps": [1.5], "channels": [1]}, "timestamps: 1 dimensions of float64"),
        ({"timestamps": [[1]], "channels": [1]}, "timestamps: 2 dimensions of int64"),
        ({"timestamps": np.array([None]), "channels": [1]}, "timestamps: 1 dimensions of object"),
    ],
)
def test_other_arrays_are_refused_with_what_would_be_right(arrays, reason, tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, **arrays)
    with pytest.raises(UsageError, match=reason) as caught:
        open_capture(path, ReadRules())
    assert "must be numpy.savez(FILE, timestamps=" in str(caught.value)


def test_what_is_no_archive_of_arrays_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    path.write_bytes(b"PK\3\4 nothing")
    with pytest.raises(UsageError, match=r"must be numpy\.savez"):
        open_capture(path, ReadRules())


def locked(content):
    """Set the bit of each file in an archive by which it is encrypted."""
    for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        place = -1
        while (place := content.find(mark, place + 1)) >= 0:
            content[place + offset] |= 1
    return content


def packed_anew(content):
    """Say of each file in an archive that it is packed in a way that nobody knows."""
    for mark, offset in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        place = -1
        while (place := content.find(mark, place + 1)) >= 0:
            content[place + offset] = 97
    return content


def damaged(content):
    content[60:90] = bytes(30)
    return content


@pytest.mark.parametrize("break_it", [locked, packed_anew, damaged])
def test_an_archive_that_cannot_be_unpacked_is_refused_in_a_line(break_it, tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, timestamps=np.arange(9), channels=np.ones(9, np.int32))
    path.write_bytes(break_it(bytearray(path.read_bytes())))
    with pytest.raises(UsageError, match=r"must be numpy\.savez") as caught:
        open_capture(path, ReadRules())
    assert "\n" not in str(caught.value)


def test_timestamps_without_a_sign_are_sorted_as_they_are(tmp_path):
    path = tmp_path / "a.npz"
    times = np.array([(1 << 63) + 50, (1 << 63) - 50], np.uint64)
    np.savez(path, timestamps=times, channels=np.array([1, 2]))
    assert read(path)[1] == {"ch1": [200], "ch2": [0]}


def test_times_that_have_no_room_are_refused(tmp_path):
    overflow = 1 << 31 | 63 << 25 | (1 << 25) - 1
    path = ptu(tmp_path / "a.ptu", [overflow] * 3000 + [10], HYDRAHARP_2_T2)
    with pytest.raises(UsageError, match="its times are beyond what can be measured"):
        open_capture(path, ReadRules())


def test_syncs_that_are_too_many_are_left_out_with_a_word(tmp_path):
    overflow, photon = 1 << 31 | 63 << 25 | 1023, 3 << 25 | 40 << 10 | 5
    capture, rises = read(ptu(tmp_path / "a.ptu", [*[overflow] * 40, photon], T3[2]))
    syncs = 40 * 1023 * 1024 + 5
    assert rises == {"ch4": [4000 * syncs + 80]}
    assert f"sync is left out: its {syncs + 1:,} pulses cannot be read" in capture.notes
