# SPDX-License-Identifier: Apache-2.0
"""sigrok sessions of any unit size and in any number of files, as sigrok-cli makes them."""

import random
import subprocess
import zipfile

import pytest

from plexor.base.errors import UsageError
from plexor.files.imports import sigrok as module

from .captures import edges, read, sr

PINS = {"trig": (0, [10, 14, 30]), "irq": (1, [0, 12, 13, 17])}
EDGES = {"trig": [(10, 1), (14, 0), (30, 1)], "irq": [(12, 0), (13, 1), (17, 0)]}


@pytest.mark.parametrize("parts", [(), (12,), (10, 13, 14), (1, 39)])
@pytest.mark.parametrize("unit", range(1, 9))
def test_edges_are_at_their_samples_in_any_files_of_any_unit(unit, parts, tmp_path):
    pins = {"trig": (0, PINS["trig"][1]), "irq": (unit * 8 - 1, PINS["irq"][1])}
    path = sr(tmp_path / "a.sr", pins, 40, unit=unit, parts=parts)
    assert edges(path, ["trig", "irq"]) == EDGES
    found, _ = read(path, ["trig", "irq"])
    assert (found.unit_fs, found.start, found.end, found.sampled) == (10**6, 0, 40, True)


@pytest.mark.parametrize("piece", [1, 3, 7])
def test_samples_may_be_cut_anywhere(piece, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_PIECE", piece)
    pins = {"trig": (0, PINS["trig"][1]), "irq": (15, PINS["irq"][1])}
    path = sr(tmp_path / "a.sr", pins, 40, unit=2, parts=(9,))
    assert edges(path, ["trig", "irq"]) == EDGES


def test_version_one_has_one_file_without_a_number(tmp_path):
    path = sr(tmp_path / "a.sr", PINS, 40, version="1", entry="logic-1")
    assert edges(path, ["irq", "trig"]) == EDGES


def test_analog_files_and_other_probes_are_left_alone(tmp_path):
    pins = {**PINS, "other": (2, [5])}
    path = sr(tmp_path / "a.sr", pins, 40, **{"analog-1-4-1": b"\0" * 160})
    assert edges(path, ["trig"]) == {"trig": EDGES["trig"]}


def test_analog_channels_are_named_as_left_out(tmp_path):
    metadata = (
        "[device 1]\ncapturefile=logic-1\ntotal probes=2\nsamplerate=200 kHz\ntotal analog=2\n"
        "probe1=trig\nprobe2=irq\nanalog3=A0\nanalog4=A1\nunitsize=1\n"
    )
    path = sr(tmp_path / "a.sr", PINS, 40, metadata=metadata, **{"analog-1-3-1": b"\0" * 160})
    found, _ = read(path, ["trig"])
    assert found.notes[0].startswith("A0, A1: analog, and left out; ")
    assert read(sr(tmp_path / "b.sr", PINS, 40), ["trig"])[0].notes == ()


def test_a_file_of_plexors_begins_before_its_run(tmp_path):
    about = b"program: Plexor 0.1.0\nlead_ticks: 1\n"
    path = sr(tmp_path / "a.sr", PINS, 40, **{"about.txt": about})
    assert read(path, ["trig"])[0].start == 1
    empty = sr(tmp_path / "b.sr", {"trig": (0, [])}, 0, **{"about.txt": about})
    found, _ = read(empty, ["trig"])
    assert (found.start, found.end) == (0, 0)


def test_what_sigrok_cli_writes_is_read(tmp_path):
    made = sr(tmp_path / "a.sr", PINS, 40, samplerate="24 MHz")
    again = tmp_path / "b.sr"
    subprocess.run(["sigrok-cli", "-i", made, "-O", "srzip", "-o", again], check=True)
    assert edges(again, ["trig", "irq"]) == EDGES
    found, _ = read(again, ["trig"])
    assert found.unit_fs * 24 == 10**9


@pytest.mark.parametrize(
    ("text", "hertz"),
    [("1 GHz", 10**9), ("2.5 MHz", 2_500_000), ("200 kHz", 200_000), ("50", 50), ("3 Hz", 3)],
)
def test_sample_rates_have_units(text, hertz, tmp_path):
    found, _ = read(sr(tmp_path / "a.sr", PINS, 40, samplerate=text), ["trig"])
    assert found.unit_fs * hertz == 10**15


def test_an_empty_session_has_no_edges(tmp_path):
    path = sr(tmp_path / "a.sr", {"a": (0, [])}, 0)
    assert edges(path, ["a"]) == {"a": []}
    assert read(path, ["a"])[0].end == 0


def without(path, name):
    """Take a file out of an archive."""
    with zipfile.ZipFile(path) as archive:
        files = {each: archive.read(each) for each in archive.namelist() if each != name}
    with zipfile.ZipFile(path, "w") as archive:
        for each, content in files.items():
            archive.writestr(each, content)
    return path


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"version": "3"}, "version '3' of sigrok's format; must be 1 or 2"),
        ({"metadata": ""}, "its metadata does not say 'device 1'"),
        ({"metadata": "[device 1]\nunitsize=1\n"}, "its metadata does not say 'samplerate'"),
        ({"metadata": "no ini"}, "its metadata: File contains no section headers"),
        ({"samplerate": "fast"}, "samplerate 'fast'; must be above 0 Hz"),
        ({"samplerate": "0 Hz"}, "samplerate '0 Hz'; must be above 0 Hz"),
        ({"entry": "samples-{}"}, "no samples of logic; it has version, metadata, samples-1"),
        ({"parts": (5, 9), "entry": "logic-1-{}0"}, "must all be there"),
    ],
)
def test_what_is_no_session_is_one_line(options, line, tmp_path):
    path = sr(tmp_path / "a.sr", PINS, 40, **options)
    with pytest.raises(UsageError, match=line) as caught:
        read(path, ["trig"])
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_probe_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    with pytest.raises(UsageError, match=r"no signal 'x'; it has trig, irq$"):
        read(sr(tmp_path / "a.sr", PINS, 40), ["x"])
    metadata = "[device 1]\ncapturefile=logic-1\nsamplerate=1\nprobe9=a\n"
    path = sr(tmp_path / "b.sr", PINS, 40, metadata=metadata)
    with pytest.raises(UsageError, match=r"probe 'a' is not in samples of 1 byte"):
        read(path, ["a"])


def test_an_archive_without_its_parts_is_one_line(tmp_path):
    for name in ("version", "metadata"):
        path = without(sr(tmp_path / "a.sr", PINS, 40), name)
        with pytest.raises(UsageError, match=f"not a sigrok session: no '{name}' in the archive"):
            read(path, ["trig"])


def test_samples_without_end_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 30)
    with pytest.raises(UsageError, match="40 bytes of samples; at most 30 can be read"):
        read(sr(tmp_path / "a.sr", PINS, 40), ["trig"])
    monkeypatch.undo()
    monkeypatch.setattr(module, "MOST_EDGES", 2)
    with pytest.raises(UsageError, match=r"more than .* edges of these signals"):
        read(sr(tmp_path / "b.sr", PINS, 40), ["trig"])
    monkeypatch.undo()
    path = sr(tmp_path / "c.sr", PINS, 40)
    count = len(edges(path, ["trig"])["trig"])
    # The level at the start counts, too.
    monkeypatch.setattr(module, "MOST_EDGES", count + 1)
    assert len(edges(path, ["trig"])["trig"]) == count


def refusal(path):
    """Return why a file is refused; nothing if it is read."""
    try:
        read(path, ["trig", "irq"])
    except UsageError as error:
        return str(error)
    return ""


def test_damaged_and_truncated_files_are_read_or_refused(tmp_path):
    good = sr(tmp_path / "good.sr", PINS, 40, parts=(20,)).read_bytes()
    path = tmp_path / "a.sr"
    rng = random.Random(18)
    refused = 0
    for _ in range(400):
        data = bytearray(good)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.3:
            del data[rng.randrange(len(data)) :]
        path.write_bytes(data)
        said = refusal(path)
        assert said.startswith(f"{path}: ") or not said
        assert "\n" not in said
        refused += bool(said)
    assert 100 < refused < 400
    path.write_bytes(b"")
    assert "not a whole sigrok session" in refusal(path)
