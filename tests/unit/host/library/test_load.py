# SPDX-License-Identifier: Apache-2.0
"""What is read of a path: a scan, a run, or raw bytes off a link."""

import json

import jsonschema
import pytest

import plexor
from plexor.base.errors import ExitCode, IdentityError, StoreError, UsageError
from plexor.experiments.phase.store import PHASE
from plexor.files.store.run_folder import save

from .. import kept_scans
from ..show.scans_to_draw import MASKS, phase_result
from ..sweeps import swept

KINDS = {"sweep": plexor.Sweep, "phase": plexor.PhaseScan, "burst": plexor.BurstScan}
RESULTS = {
    "sweep": swept({"none": 100_000}),
    "phase": kept_scans.PHASE,
    "burst": kept_scans.BURST,
}


def test_a_scan_is_read_of_its_folder_or_its_file(folder):
    scan, same = plexor.load(folder), plexor.load(str(folder / f"{folder.name}.json"))
    assert type(scan) is type(same) is KINDS[folder.name]
    assert scan.what.split()[0] == folder.name
    assert scan.result == same.result == RESULTS[folder.name]
    assert scan.document() == same.document()
    assert (scan.error, scan.unsaved) == (None, None)
    assert scan.exit_code() is ExitCode.PASS


def test_a_scan_that_was_changed_is_refused_and_one_without_a_digest_is_read(folder):
    path = folder / f"{folder.name}.json"
    document = json.loads(path.read_bytes())
    path.write_bytes(path.read_bytes().replace(b"1", b"2"))
    with pytest.raises(StoreError, match="changed since it was taken"):
        plexor.load(folder)
    del document["sha256"]
    path.write_text(json.dumps(document))
    assert plexor.load(folder).result == RESULTS[folder.name]


def test_a_scan_is_shown_as_wide_and_as_coloured_as_asked(folder):
    scan = plexor.load(folder)
    assert "\x1b[" not in scan.text()
    assert "\x1b[" in scan.text(colour=True)
    assert max(len(line) for line in scan.text(width=60).splitlines()) <= 60


@pytest.mark.parametrize(("reasons", "code"), [((), ExitCode.PASS), (("full",), ExitCode.INVALID)])
def test_a_phase_scan_that_is_invalid_ends_so(tmp_path, reasons, code):
    scan = phase_result(MASKS["none"], invalid_reasons=reasons)
    (tmp_path / "phase.json").write_text(json.dumps(PHASE.of(scan)))
    found = plexor.load(tmp_path)
    assert (found.exit_code(), found.invalid_reasons) == (code, reasons)
    assert found.valid == (not reasons)


def test_a_run_beside_a_scan_is_read_by_its_file_alone(tmp_path, run_of):
    kept = kept_scans.keep("phase", tmp_path)
    save(run_of([[1000, 2000]]), tmp_path / "run")
    for file in (tmp_path / "run").iterdir():
        file.rename(kept / file.name)
    assert plexor.load(kept).what == "phase scan"
    run = plexor.load(kept / "run.json")
    assert isinstance(run, plexor.Run)
    assert run.result.strikes == 2


def test_a_run_is_what_was_saved(tmp_path, run_of):
    saved = run_of([[1000, 2000]])
    save(saved, tmp_path / "run")
    for path in (tmp_path / "run", tmp_path / "run" / "run.json"):
        assert plexor.load(path).result == saved


def test_a_folder_of_a_results_name_holds_none(tmp_path, run_of):
    save(run_of([[1000]]), tmp_path / "run")
    (tmp_path / "sweep.json").mkdir()
    (tmp_path / "run" / "sweep.json").mkdir()
    assert isinstance(plexor.load(tmp_path / "run"), plexor.Run)
    with pytest.raises(StoreError, match=r"sweep\.json: holds no run, scan or schedule"):
        plexor.load(tmp_path / "sweep.json")


def test_a_folder_and_a_run_json_without_a_run_are_one_error_with_the_path(tmp_path):
    with pytest.raises(StoreError, match=f"{tmp_path}: holds no run, scan or schedule"):
        plexor.load(tmp_path)
    with pytest.raises(StoreError, match=f"{tmp_path / 'run.json'}: there is no such folder or f"):
        plexor.load(tmp_path / "run.json")


def test_a_folder_whose_run_lost_a_file_names_that_file(tmp_path, run_of):
    save(run_of([[1000]]), tmp_path / "run")
    (tmp_path / "run" / "events.parquet").unlink()
    with pytest.raises(StoreError, match=r"events\.parquet: cannot read: Failed to open"):
        plexor.load(tmp_path / "run")


@pytest.mark.parametrize("name", ["README.md", "wire.bin", "proof.json"])
def test_any_other_file_without_frames_is_no_recording(tmp_path, name):
    (tmp_path / name).write_bytes(b"no bytes of an instrument")
    with pytest.raises(IdentityError) as caught:
        plexor.load(tmp_path / name)
    assert str(caught.value) == (
        f"{tmp_path / name}: is no run and no recording: none of its 25 bytes is in a frame; must "
        "be a folder of --out, its .json file, or raw bytes of a link (wire.bin)"
    )


def test_an_empty_file_and_one_that_is_not_there_are_no_recordings(tmp_path):
    (tmp_path / "wire.bin").touch()
    with pytest.raises(IdentityError, match=r"wire\.bin: is no run .*: it is empty; must be"):
        plexor.load(tmp_path / "wire.bin")
    with pytest.raises(StoreError, match="none: there is no such folder or file"):
        plexor.load(tmp_path / "none")
    (tmp_path / "idle").mkdir()
    with pytest.raises(StoreError, match=f"or file; did you mean {tmp_path / 'idle'}[?]"):
        plexor.load(tmp_path / "Idel")


def test_a_capture_of_another_tool_is_told_from_a_run(tmp_path):
    (tmp_path / "run.vcd").write_text("$enddefinitions $end")
    with pytest.raises(UsageError, match=r"run\.vcd: is a capture .* plexor import .*run\.vcd"):
        plexor.load(tmp_path / "run.vcd")


SCHEMAS = ("burst", "calibration", "mixed", "phase", "proof", "run", "run-file", "sweep")


@pytest.mark.parametrize("kind", SCHEMAS)
def test_each_kind_has_a_schema_that_names_it(kind):
    found = plexor.schema(kind)
    jsonschema.Draft202012Validator.check_schema(found)
    named = found["properties"]["schema"]["const"]
    assert named.partition("/")[0] == f"plexor.{kind}"


def test_a_schema_of_another_kind_is_refused_with_those_that_there_are():
    with pytest.raises(UsageError) as caught:
        plexor.schema("sweeps")
    assert str(caught.value) == f"schema: 'sweeps'; must be one of {', '.join(SCHEMAS)}"
