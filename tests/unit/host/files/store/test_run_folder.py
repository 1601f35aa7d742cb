# SPDX-License-Identifier: Apache-2.0
"""A run on disk equals the run that was stored."""

import json
import os
import resource
import stat
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plexor.base.constraints import MOST_TICKS
from plexor.base.errors import ExitCode, StoreError
from plexor.files.store.run_folder import load, save
from plexor.model.code_array import CODE_DTYPE
from plexor.model.code_tables import CodeFigures, CodeTables
from plexor.model.codes import Codes, Port
from plexor.model.results import EVENT_DTYPE, Kind, StepChannel, StepResult
from plexor.model.settings import Channel, Settings, Stimulus, TableStep
from plexor.protocol.geometry import Feature
from plexor.protocol.registers import Policy, Stream
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

from ...fake_device import FakeDevice
from ...scenario import Scenario

SETTINGS = Settings(
    strikes=(Stimulus(0, Fraction(1, 3_000_000), dither_s=Fraction(8, 10**9), seed=1 << 63),),
    channels=(Channel(0, "isr", deadline_s=Fraction(1, 10**7)), Channel(1, reference="ch0.fall")),
    policy=Policy.LATEST,
    count=40,
    stream=Stream.LIVE,
)


@pytest.fixture(scope="module")
def result():
    with FakeDevice(Scenario([50, None, 61, 300] * 10), trace=True) as fake:
        with Device(open_link(fake.uri)) as device:
            return measure(device, SETTINGS, description={"board": "a “board”", "os": "FreeRTOS"})


def test_a_run_comes_back_equal(result, tmp_path):
    assert load(save(result, tmp_path / "run")) == result


def test_codes_of_a_port_come_back_equal(result, tmp_path):
    geometry = replace(
        result.identity.geometry,
        features=result.identity.geometry.features | Feature.CODES,
        code_bits=10,
    )
    codes = np.array([(5, 1, 0x3FF, 2, True, False), (90, 3, 7, 0, False, True)], CODE_DTYPE)
    coded = replace(
        result,
        identity=replace(result.identity, geometry=geometry),
        settings=replace(SETTINGS, codes=Codes(port=Port(settle_s=Fraction(1, 10**8)))),
        codes=codes,
    )
    folder = save(coded, tmp_path / "run")
    assert load(folder) == coded
    (folder / "codes.parquet").unlink()
    with pytest.raises(StoreError, match=r"codes.parquet: cannot read"):
        load(folder)


def test_codes_that_no_port_of_the_instrument_shows_are_refused(result, tmp_path):
    codes = np.array([(5, 1, 1, 0, False, False)], CODE_DTYPE)
    settings = replace(SETTINGS, codes=Codes(port=Port()))
    folder = save(replace(result, settings=settings, codes=codes), tmp_path / "run")
    with pytest.raises(StoreError, match="a code of 1; must be at most 0"):
        load(folder)


def test_steps_come_back_equal_and_an_older_run_has_none(result, tmp_path):
    whole = tuple(
        StepChannel(c.number, c.name, c.classes, 0, c.pending, c.measurement(Kind.RISE).statistics)
        for c in result.channels
    )
    step = StepResult(0, result.start_ticks, result.end_ticks, whole)
    table = (TableStep(Fraction(1, 3), 1 << 47, guard_s=Fraction(0)),)
    stepped = replace(result, steps=(step,), settings=replace(result.settings, table=table))
    folder = save(stepped, tmp_path / "run")
    assert load(folder) == stepped
    document = json.loads((folder / "run.json").read_text())
    del document["steps"], document["settings"]["table"]
    (folder / "run.json").write_text(json.dumps(document))
    (folder / "SHA256SUMS").unlink()
    assert load(folder) == result


def test_tables_of_codes_come_back_equal_and_an_older_run_has_none(result, tmp_path):
    rise = result.channels[0].measurement(Kind.RISE).statistics
    whole = CodeFigures(0, rise.count, rise.sum_ticks, rise.min_ticks, rise.max_ticks)
    tables = CodeTables(0, (CodeFigures(0, 2, 30, 10, 20),), (whole,))
    folder = save(replace(result, code_tables=tables), tmp_path / "run")
    assert load(folder).code_tables == tables
    document = json.loads((folder / "run.json").read_text())
    del document["code_tables"]
    (folder / "run.json").write_text(json.dumps(document))
    (folder / "SHA256SUMS").unlink()
    assert load(folder) == result


def test_equality_sees_a_single_count_and_a_single_event(result):
    measurement = result.channels[0].measurements[0]
    counts = measurement.bins.counts.copy()
    counts[0] += 1
    changed = replace(measurement, bins=replace(measurement.bins, counts=counts))
    channel = replace(result.channels[0], measurements=(changed,))
    assert replace(result, channels=(channel, *result.channels[1:])) != result
    events = result.events.copy()
    events["polarity"][-1] ^= 1
    assert replace(result, events=events) != result
    assert replace(result, events=result.events.copy()) == result


def test_a_run_without_events_comes_back_without_events(result, tmp_path):
    bare = replace(result, events=None, trace=None)
    folder = save(bare, tmp_path / "run")
    assert load(folder) == bare
    names = ["SHA256SUMS", "histograms.parquet", "run.json"]
    assert sorted(path.name for path in folder.iterdir()) == names


def test_a_run_with_no_event_at_all_is_not_one_without_events(result, tmp_path):
    empty = replace(result, events=np.empty(0, dtype=EVENT_DTYPE))
    assert load(save(empty, tmp_path / "run")).events.shape == (0,)


def test_great_numbers_come_back_exact(result, tmp_path):
    events = np.zeros(3, dtype=EVENT_DTYPE)
    events["time_ticks"] = [0, (1 << 61) + 1, MOST_TICKS - 1]
    events["index"] = [2 * MOST_TICKS - 1, 5, 1 << 53 | 1]
    great = replace(result, events=events, end_ticks=MOST_TICKS - 1)
    assert load(save(great, tmp_path / "run")) == great


def test_the_document_says_what_the_run_was_taken_with(result, tmp_path):
    document = json.loads((save(result, tmp_path / "run") / "run.json").read_text())
    assert document["device"] == {"board": "a “board”", "os": "FreeRTOS"}
    assert document["settings"]["strikes"][0]["period_s"] == "1/3000000"
    assert document["identity"]["geometry"]["board"] == "sim"
    assert ["control", 0, "stream", 1] in document["registers"]
    assert set(document["versions"]) >= {"plexor", "python"}
    assert document["accounting"]["generated"] == result.accounting.generated


def test_events_take_little_room(tmp_path, result):
    count = 200_000
    events = np.empty(count, dtype=EVENT_DTYPE)
    generator = np.random.default_rng(1)
    events["index"] = np.arange(count)
    strikes = np.repeat(np.arange(count // 4) * 50_000, 4)
    events["time_ticks"] = strikes + np.tile([0, 700, 10_000, 12_000], count // 4)
    events["time_ticks"][1::4] += generator.integers(0, 200, count // 4, dtype=np.uint64)
    events["source"] = np.tile([8, 0, 8, 0], count // 4)
    events["polarity"] = np.tile([1, 1, 0, 0], count // 4)
    folder = save(replace(result, events=events), tmp_path / "run")
    assert (folder / "events.parquet").stat().st_size < 3 * count


def test_raw_bytes_are_moved_in(result, tmp_path):
    wire = tmp_path / "wire"
    wire.write_bytes(b"raw")
    folder = save(result, tmp_path / "run", wire)
    assert (folder / "wire.bin").read_bytes() == b"raw"
    assert not wire.exists()


def test_a_run_is_never_written_over_another(result, tmp_path):
    folder = save(result, tmp_path / "run")
    with pytest.raises(StoreError, match="already exists"):
        save(replace(result, started="later"), folder)
    assert load(folder) == result


def test_an_empty_folder_is_taken(result, tmp_path):
    (tmp_path / "run").mkdir()
    assert load(save(result, tmp_path / "run")) == result


def test_a_full_disk_is_one_clear_error_and_leaves_nothing(result, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    wire = tmp_path / "wire"
    wire.write_bytes(b"raw")
    import signal  # noqa: PLC0415

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        with pytest.raises(StoreError) as caught:
            save(result, tmp_path / "run", wire)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert str(tmp_path / "run") in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == ExitCode.UNWRITTEN
    assert [path.name for path in tmp_path.iterdir()] == ["wire"]


def test_a_folder_that_cannot_be_made_is_one_clear_error(result, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        save(result, tmp_path / "file" / "run")


def test_a_stored_run_has_the_permissions_of_any_new_folder(result, tmp_path):
    (tmp_path / "any").mkdir()
    folder = save(result, tmp_path / "run")
    assert stat.S_IMODE(os.stat(folder).st_mode) == stat.S_IMODE(os.stat(tmp_path / "any").st_mode)


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "run.json").write_text("{"),
        lambda folder: (folder / "run.json").write_text("[]"),
        lambda folder: (folder / "run.json").write_text('{"format": 99}'),
        lambda folder: (folder / "run.json").write_text('{"format": 1, "run": {}}'),
        lambda folder: (folder / "run.json").write_bytes(b"\xff\xfe"),
        lambda folder: (folder / "run.json").unlink(),
        lambda folder: (folder / "histograms.parquet").write_bytes(b"PAR1"),
        lambda folder: (folder / "histograms.parquet").unlink(),
        lambda folder: (folder / "events.parquet").unlink(),
        lambda folder: (folder / "events.parquet").write_bytes(
            (folder / "events.parquet").read_bytes()[:-20]
        ),
        lambda folder: (folder / "events.parquet").write_bytes(
            (folder / "histograms.parquet").read_bytes()
        ),
    ],
)
def test_a_damaged_run_is_one_clear_error_with_its_path(result, tmp_path, damage):
    folder = save(result, tmp_path / "run")
    damage(folder)
    with pytest.raises(StoreError) as caught:
        load(folder)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (name, value)
        for name in ("settings", "identity", "channels", "start_ticks", "accounting")
        for value in (None, 5, "text", [], {}, [1], {"a": 1})
        # These three make a run.
        if (name, value) not in (("channels", []), ("start_ticks", 5), ("settings", {}))
    ],
)
def test_a_document_of_other_types_is_one_clear_error(result, tmp_path, name, value):
    folder = save(result, tmp_path / "run")
    document = json.loads((folder / "run.json").read_text())
    document[name] = value
    (folder / "run.json").write_text(json.dumps(document))
    with pytest.raises(StoreError):
        load(folder)


def test_a_folder_without_a_run_is_one_clear_error(tmp_path):
    with pytest.raises(StoreError, match=r"run\.json: cannot read"):
        load(tmp_path)


def test_a_run_is_read_and_stored_without_pandas(result, tmp_path):
    save(result, tmp_path / "run")
    text = """
import sys
from pathlib import Path
from plexor.files.store.run_folder import load, save
save(load(Path("run")), Path("again"))
assert "pyarrow" in sys.modules
assert "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", text], check=True, cwd=tmp_path)
