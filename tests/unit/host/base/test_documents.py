# SPDX-License-Identifier: Apache-2.0
"""Documents: back equal, in the versions of today, or one line with the path."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import pytest

from plexor import cli
from plexor.base.constraints import Ge, Gt, Le, Lt
from plexor.base.documents import Document, is_damaged_document, sealed
from plexor.base.errors import ExitCode, StoreError
from plexor.experiments.burst.store import BURST
from plexor.experiments.calibration.store import CALIBRATION
from plexor.experiments.phase.store import PHASE
from plexor.experiments.prove.store import PROOF
from plexor.experiments.sweep.store import SWEEP
from plexor.files.archive.folder import ARCHIVE
from plexor.files.store.run_folder import RUN
from plexor.library.farm import FARM
from plexor_lab.mixed.store import MIXED

VERSION_1 = Path(__file__).with_name("documents_1")
"""One of each kind, as the host wrote them before all had one form."""
CORPUS = Path(__file__).parents[3] / "fuzz" / "corpus"


@dataclass(frozen=True)
class Kept:
    rate_hz: Annotated[Fraction, Gt(0)]
    counts: tuple[Annotated[int, Ge(0)], ...]
    device: Mapping[str, str]
    share: Annotated[float, Ge(0), Le(1)] = 0.5
    channel: Annotated[int, Ge(0), Lt(8)] | None = None


def more_than_counted(value):
    if len(value.counts) > 3:
        yield f"{len(value.counts)} counts; must be at most 3"
        yield "never told"


def renamed(entries):
    return {("rate_hz" if name == "speed_hz" else name): e for name, e in entries.items()}


KEPT = Kept(Fraction(20_000, 3), (1, 1 << 70), {"os": "FreeRTOS"})
KIND = Document("kept", 3, Kept, more_than_counted, migrations={2: renamed}, wrapped="kept")
BODY = {"rate_hz": "20000/3", "counts": [1, 1 << 70], "device": {"os": "FreeRTOS"}}
OLD_BODY = {"speed_hz": "20000/3", "counts": [1, 1 << 70], "device": {"os": "FreeRTOS"}}


def document(**changes):
    return {"schema": "plexor.kept/3", **BODY, **changes}


def test_the_schema_comes_first_then_all_fields_and_the_digest_of_the_rest_last():
    text = KIND.text(KEPT)
    rest = [("schema", "plexor.kept/3"), *BODY.items(), ("share", 0.5), ("channel", None)]
    assert [*KIND.of(KEPT).items()] == rest
    assert json.loads(text) == sealed(dict(rest))
    assert [*json.loads(text)][-1] == "sha256"
    unsealed_kind = Document("kept", 3, Kept, sealed=False)
    assert [*json.loads(unsealed_kind.text(KEPT)).items()] == rest


def test_a_value_comes_back_equal_through_its_file(tmp_path):
    KIND.write(KEPT, tmp_path / "kept.json")
    assert KIND.read(tmp_path / "kept.json") == KEPT


@pytest.mark.parametrize(
    "old",
    [
        {"format": 1, "kept": OLD_BODY},
        {"schema": "plexor.kept/1", **OLD_BODY},
        {"schema": "plexor.kept/2", **OLD_BODY},
    ],
)
def test_an_older_version_is_read_by_its_migrations(old):
    assert KIND.back(old) == KEPT


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ({"schema": "plexor.other/3"}, "schema: 'plexor.other/3'; must be plexor.kept/3"),
        ({"schema": "plexor.kept/4"}, "version 4 of plexor.kept; this host reads 1 to 3; read it "),
        ({"schema": "plexor.kept/0"}, "version 0 of plexor.kept; this host reads 1 to 3; read it "),
        ({"schema": "plexor.kept"}, "schema: 'plexor.kept'; must be plexor.kept/3"),
        ({"format": 2}, "format 2; this host reads 1 to 3; read it with the version of Plexor "),
        ({"format": "1"}, "format: '1'; must be 1"),
        ({"format": 1}, "kept: missing"),
        ({}, "schema: None; must be plexor.kept/3"),
        ([], "the document: []; must be an object"),
        ("{", "not JSON (line 1, column 2: "),
        ('{"schema": "plexor.kept/3", "rate', "not JSON (line 1, column 29: "),
        ({"schema": "plexor.kept/3", "counts": [], "device": {}}, "rate_hz: missing"),
        (document(counts=["1"]), "counts[0]: '1'; must be an integer"),
        (document(counts=[0, -1]), "counts[1]: -1; must be 0 or more"),
        (document(counts=[1, 2, 3, 4]), "4 counts; must be at most 3"),
        (document(rate_hz="0"), "rate_hz: 0; must be above 0"),
        (document(share=1.5), "share: 1.5; must be 0 to 1"),
        (document(channel=8), "channel: 8; must be 0 or more, below 8"),
        (document(more=1), "'more': unknown"),
        (sealed(document()) | {"channel": 1}, "changed since it was taken (its SHA-256 is another"),
    ],
)
def test_a_file_that_is_none_is_one_line_with_its_path(tmp_path, text, says):
    path = tmp_path / "kept.json"
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    with pytest.raises(StoreError) as caught:
        KIND.read(path)
    assert str(caught.value).startswith(f"{path}: cannot read: {says}")
    assert "\n" not in str(caught.value)
    assert is_damaged_document(caught.value) == ("this host reads" not in says)


def test_a_file_that_is_not_there_says_so(tmp_path):
    path = tmp_path / "none.json"
    with pytest.raises(StoreError) as caught:
        KIND.read(path)
    assert str(caught.value) == f"{path}: cannot read: No such file or directory"
    assert not is_damaged_document(caught.value)


OLD = {
    "archive": (ARCHIVE, VERSION_1 / "archive.json"),
    "burst": (BURST, VERSION_1 / "burst.json"),
    "calibration": (CALIBRATION, VERSION_1 / "calibration.json"),
    "farm": (FARM, VERSION_1 / "farm.json"),
    "mixed": (MIXED, VERSION_1 / "mixed.json"),
    "phase": (PHASE, CORPUS / "phase" / "seed" / "phase.json"),
    "proof": (PROOF, VERSION_1 / "proof.json"),
    "sweep": (SWEEP, VERSION_1 / "sweep.json"),
    "a sweep of a simulator": (SWEEP, CORPUS / "sweep" / "seed" / "sweep.json"),
    **{path.parent.name: (RUN, path) for path in sorted((CORPUS / "run").glob("seed-*/run.json"))},
}


WORDS = {"undecided": "too few", "beyond": "not comparable"}
"""What verdicts were called."""


def renewed(old):
    """Return a document's content with the words of today."""
    if isinstance(old, dict):
        return {key: WORDS.get(e, e) if key == "verdict" else renewed(e) for key, e in old.items()}
    return [renewed(e) for e in old] if isinstance(old, list) else old


def without_defaults(new, old):
    """Return a document's content, as far as an older one has it."""
    if isinstance(new, dict):
        return {key: without_defaults(e, old[key]) for key, e in new.items() if key in old}
    if isinstance(new, list):
        return [without_defaults(e, o) for e, o in zip(new, old, strict=True)]
    return new


@pytest.mark.parametrize("name", OLD)
def test_what_the_host_wrote_before_is_read_with_the_same_content(name, tmp_path):
    kind, path = OLD[name]
    old = json.loads(path.read_text())
    content = old[kind.wrapped] if "format" in old else old
    content = {key: e for key, e in content.items() if key not in ("schema", "sha256")}
    value = kind.read(path)
    new = kind.of(value)
    assert new.pop("schema") == kind.schema
    assert without_defaults(new, content) == renewed(content)
    kind.write(value, tmp_path / "new.json")
    assert kind.of(kind.read(tmp_path / "new.json")) == kind.of(value)


def cut(text):
    return text[: len(text) // 2]


def newer(text):
    return json.dumps({"schema": f"{json.loads(text)['schema'].partition('/')[0]}/99"})


FOREIGN = {
    "cut": (cut, "not JSON"),
    "empty": (lambda _: "", "not JSON"),
    "newer": (newer, "version 99 of plexor."),
    "foreign": (lambda _: '{"name": "package", "version": "1.0"}', "schema: None; must be plexor."),
    "a list": (lambda _: "[1, 2]", "must be an object"),
}
SCANS = {"sweep": SWEEP, "phase": PHASE, "burst": BURST, "mixed": MIXED}


@pytest.mark.parametrize("damage", FOREIGN)
@pytest.mark.parametrize("name", [*SCANS, "run"])
def test_a_damaged_or_foreign_document_ends_replay_in_one_line(name, damage, tmp_path, capsys):
    if name == "run":
        folder = Path(shutil.copytree(CORPUS / "run" / "seed-streamed", tmp_path / "run"))
        path, kind = folder / "run.json", RUN
    else:
        path, kind = tmp_path / f"{name}.json", SCANS[name]
    text = kind.text(kind.read(OLD["seed-streamed" if name == "run" else name][1]))
    damaged, says = FOREIGN[damage]
    path.write_text(damaged(text))
    assert cli.main(["show", str(path.parent)]) == ExitCode.USAGE
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"{path}: cannot read: " in err
    assert says in err
