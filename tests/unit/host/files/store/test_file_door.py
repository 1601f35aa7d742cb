# SPDX-License-Identifier: Apache-2.0
"""What comes from a file is what its type says, or one clear line that names the path."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from plexor import cli
from plexor.base.errors import ExitCode, StoreError, UsageError
from plexor.experiments.calibration.store import load as load_calibration
from plexor.experiments.store import StepStore
from plexor.figures.analyse.percentiles import parse_quantile
from plexor.figures.judge.budget_file import load as load_budget
from plexor.files.store.run_folder import load as load_run
from plexor.library.scans.sweep import Sweep
from plexor_sim.design.manifest import ManifestError
from plexor_sim.design.manifest import load as load_manifest

CORPUS = Path(__file__).resolve().parents[4] / "fuzz" / "corpus"


def edited(folder, file, place, value):
    """Put a value into a JSON file, at a place such as `run/channels/0/name`; return the folder."""
    path = folder / file
    document = json.loads(path.read_text())
    *way, last = [int(part) if part.isdigit() else part for part in place.split("/")]
    inner = document
    for part in way:
        inner = inner[part]
    inner[last] = value
    path.write_text(json.dumps(document))
    return folder


@pytest.fixture
def run(tmp_path):
    """A run that was kept, with events, calibration and registers."""
    return Path(shutil.copytree(CORPUS / "run" / "seed-streamed", tmp_path / "run"))


@pytest.fixture
def swept(tmp_path):
    """A sweep that was kept."""
    return Path(shutil.copytree(CORPUS / "sweep" / "seed", tmp_path / "sweep"))


IMPOSSIBLE_RUNS = {
    "wall_seconds/nan": ("run/wall_seconds", float("nan"), "must be a finite number"),
    "a truth for a number": ("run/start_ticks", True, "start_ticks: True; must be an integer"),
    "no fraction": ("run/settings/timeout_s", "1/0", "timeout_s: '1/0'; must be a fraction"),
    "a fraction too great": ("run/settings/timeout_s", "1e999999999", "must be a fraction"),
    "an integer too great": ("run/accounting/received", 10**60, "must be finite, within 128 bits"),
    "a lone surrogate": ("run/device/os", "\ud800", r"os: '\\ud800'; must be Unicode text"),
    "a lone surrogate in a key": ("run/device/\udfff", "x", "must be Unicode text"),
    "a class too many": ("run/channels/0/classes/other", 1, "classes.'other': must be answered"),
    "an end before the start": ("run/end_ticks", 0, "ticks; must rise"),
    "a time beyond all": (
        "run/end_ticks",
        1 << 64,
        "end_ticks: 18446744073709551616; must",
    ),
    "flags below 0": ("run/flags", -1, "flags: -1; must be one of"),
    "a trigger without its time": ("run/trigger_index", 5, "must have an index and a time"),
    "one channel twice": ("run/channels/1/number", 0, "must be different and rise"),
    "a kind twice": ("run/channels/0/measurements/1/kind", "rise", "must be different"),
    "bins outside of their file": ("run/channels/0/measurements/0/bins/counts", [1], "own file"),
    "other bins": ("run/channels/0/measurements/0/bins/mantissa_bits", 31, "must be 6"),
    "a policy there is not": ("run/registers/*/policy", 3, "policy: 3; must be one of"),
    "a register there is not": ("run/registers/0/2", "colour", "does not exist"),
    "a register too great": ("run/registers/0/3", 1 << 70, "must be 0 to"),
    "a copy there is not": ("run/registers/0/1", 99, "must be 0 to"),
    "two entries for four": ("run/registers/0", ["control", 0], "must be block, copy, name"),
    "a period of 0": ("run/settings/strikes/0/period_s", "0", "must be above 0"),
    "bursts of none": ("run/settings/strikes/0/burst", 0, "must be 1 or more"),
    "an output there is not": (
        "run/settings/strikes/0/output",
        9,
        r"\[0\].output: 9; must be",
    ),
    "less than nothing received": ("run/accounting/received", -1, "must be 0 or more"),
    "books that do not hold": ("run/accounting/received", 1, "does not add up in a valid run"),
    "a source twice": ("run/accounting/sources/1/source", 0, "must be different"),
    "a calibration of another": ("run/calibration/tick_fs", 5, "made for another instrument"),
    "bins that overlap": (
        *("run/calibration/channels/0/rise/late_ps", [10**6, -(10**6), 0, 0]),
        "must leave each bin a width",
    ),
}


@pytest.mark.parametrize("name", IMPOSSIBLE_RUNS)
def test_a_run_that_cannot_be_is_one_line(run, name):
    place, value, says = IMPOSSIBLE_RUNS[name]
    if "*" in place:
        registers = json.loads((run / "run.json").read_text())["run"]["registers"]
        wanted = place.rpartition("/")[2]
        number = next(n for n, entry in enumerate(registers) if entry[2] == wanted)
        place = f"run/registers/{number}/3"
    with pytest.raises(StoreError, match=says) as caught:
        load_run(edited(run, "run.json", place, value))
    assert str(caught.value).startswith(f"{run / 'run.json'}: cannot read: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "command", [["show"], ["show", "--to", "x.html"], ["lab", "table"], ["show", "--json"]]
)
def test_a_name_that_is_no_unicode_is_one_line_on_every_command(run, capsys, command):
    edited(run, "run.json", "run/channels/0/name", "a\ud800")
    assert cli.main([*command, str(run)]) == ExitCode.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "channels[0].name" in err


@pytest.mark.parametrize("argument", ["os=a\ud800", "os=\udcff"])
def test_an_argument_that_is_no_unicode_is_one_line(capsys, argument):
    code = cli.main(["measure", "--label", argument, "--rate", "1k", "--count", "1"])
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (ExitCode.USAGE, "", 1)
    assert "must be Unicode text" in err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"format": 1, "format": 1, "run": {}}', "'format': occurs twice"),
        ("[" * 100_000, "nested too deep"),
        ('{"format": ' + "9" * 5000 + "}", "cannot read: "),
        ('{"format": 1}', "run: missing"),
        ("\ufeff{}", "cannot read: "),
    ],
)
def test_a_document_that_is_none_is_one_line(run, text, says):
    (run / "run.json").write_text(text)
    with pytest.raises(StoreError, match=says) as caught:
        load_run(run)
    assert len(str(caught.value)) < 600


def rewritten(path, **columns):
    """Replace columns of a Parquet file."""
    table = parquet.read_table(path)
    for name, values in columns.items():
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, pa.array(values))
    parquet.write_table(table, path)


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("time_ticks", lambda v: pa.array([-1, *v[1:]], pa.int64()), "must be below"),
        ("time_ticks", lambda v: pa.array(v[::-1], pa.int64()), "must be in order"),
        ("time_ticks", lambda v: pa.array(map(float, v)), "of their types"),
        ("time_ticks", lambda v: pa.array([None, *v[1:]], pa.int64()), "a missing value"),
        ("source", lambda v: pa.array([31, *v[1:]], pa.uint8()), "an event of another source"),
        ("polarity", lambda v: pa.array([2, *v[1:]], pa.uint8()), "of no polarity"),
    ],
)
def test_events_that_no_instrument_sends_are_one_line(run, name, change, says):
    path = run / "events.parquet"
    values = parquet.read_table(path).column(name).to_pylist()
    rewritten(path, **{name: change(values)})
    with pytest.raises(StoreError, match=says) as caught:
        load_run(run)
    assert str(caught.value).startswith(f"{path}: cannot read: ")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("bins", 1 << 30, "run.json has no such bin"),
        ("bin", 1 << 30, "run.json has no such bin"),
        ("channel", 7, "run.json has no such bin"),
        ("kind", "fall", "run.json has no such bin|missing"),
    ],
)
def test_histograms_of_another_shape_are_one_line(run, name, value, says):
    path = run / "histograms.parquet"
    table = parquet.read_table(path)
    values = [value] * table.num_rows
    rewritten(path, **{name: pa.array(values, table.schema.field(name).type)})
    with pytest.raises(StoreError, match=says):
        load_run(run)


def test_a_run_whose_figures_contradict_each_other_is_invalid_and_drawn(run, capsys, tmp_path):
    place = "run/channels/0/measurements/0/statistics/count"
    edited(run, "run.json", place, 1 << 63)
    result = load_run(run)
    assert any("samples in" in reason for reason in result.invalid_reasons)
    assert cli.main(["show", str(run)]) == ExitCode.INVALID
    assert cli.main(["show", str(run), "--to", str(tmp_path / "p.html")]) == ExitCode.INVALID


IMPOSSIBLE_SWEEPS = {
    "rates that fall": ("low_hz", "3000000", "must rise"),
    "no criterion": ("criteria", ["missed"], "criterion: 'missed'; must be"),
    "no knees": ("knees", [], "must be one for each channel"),
    "steps of no rate": ("steps/0/rate_hz", "0", "outside of|must be above 0"),
    "another tick": ("steps/0/tick_fs", 7, "must be the same"),
    "an unknown direction": ("steps/0/direction", "left", "must be one of"),
    "a channel that is not": ("knees/0/channel", "gone", "no such channel"),
    "a bracket upside down": ("knees/0/bracket/passing_hz", "2000000", "must fail above"),
    "strikes that are nowhere": ("steps/0/channels/0/strikes", 5, "must be equal"),
    "classes below 0": ("steps/0/channels/0/classes/early", -1, "must be 0 or more"),
    "a latency beyond all": ("steps/0/channels/0/max_ticks", 1 << 63, "must be above -4611"),
    "a wrong jitter": ("steps/0/channels/0/rms_ticks", -1.0, "must be 0 or more"),
    "no finite recovery": ("steps/0/recovery_s", float("inf"), "must be a finite number"),
    "a lone surrogate": ("shape", "\ud800", "must be Unicode text"),
    "no verdict": ("steps/0/channels/0/verdict", "maybe", "must be one of pass, fail"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE_SWEEPS)
def test_a_sweep_that_cannot_be_is_one_line(swept, name):
    place, value, says = IMPOSSIBLE_SWEEPS[name]
    with pytest.raises(StoreError, match=says) as caught:
        Sweep.load(edited(swept, "sweep.json", f"sweep/{place}", value))
    assert str(swept / "sweep.json") in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("line", ['{"job": 5, "steps": []}', "[" * 100_000, '{"job": "a"}'])
def test_a_line_that_is_no_step_is_named(tmp_path, line):
    (tmp_path / "steps.jsonl").write_text(f"{line}\n")
    with pytest.raises(
        UsageError, match=r"steps\.jsonl, line 1: not a valid step: .*; force replaces it"
    ):
        StepStore(tmp_path)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("channels/0/rise/late_ps", [1 << 70] * 4),
        ("channels/0/rise/error_ps", [-1] * 4),
        ("channels/0/number", 9),
        ("channels", []),
        ("delays/0/output", -1),
        ("source_fs", -5),
        ("gateware_hash", 1 << 64),
        ("serial", "\udc80"),
    ],
)
def test_a_calibration_that_cannot_be_is_one_line(tmp_path, place, value):
    shutil.copy(CORPUS / "calibration" / "seed" / "calibration.json", tmp_path)
    edited(tmp_path, "calibration.json", f"calibration/{place}", value)
    with pytest.raises(StoreError, match=r"calibration\.json: cannot read: "):
        load_calibration(tmp_path / "calibration.json")


@pytest.mark.parametrize("name", ["p1e-99999999", "p1e99999999", "p" + "9" * 5000, "p5%", "p1/2"])
def test_a_percentile_of_any_exponent_is_refused_at_once(name):
    with pytest.raises(ValueError, match="must be like"):
        parse_quantile(name)


def test_a_budget_of_any_exponent_is_one_line(tmp_path):
    path = tmp_path / "b.toml"
    path.write_text('[all]\n"p1e-99999999" = "1 us"\n')
    with pytest.raises(UsageError, match=r"must be like"):
        load_budget(str(path))


@pytest.mark.parametrize("value", ["[" * 3000, "9" * 5000, '"\\uD800"'])
def test_a_manifest_that_is_no_document_is_one_line(tmp_path, value):
    path = tmp_path / "m.toml"
    path.write_text(f"top = {value}\n")
    with pytest.raises(ManifestError, match=r"m\.toml: "):
        load_manifest(path)
