# SPDX-License-Identifier: Apache-2.0
"""What other packages add: read from their metadata, and refused in one line where it is wrong."""

import hashlib
import json
import re
import sys
from importlib.metadata import distribution, entry_points

import click
import pytest

import plexor
from plexor import cli
from plexor.base.errors import UsageError
from plexor.cli.groups import _defaults
from plexor.library.instrument import Instrument
from plexor.library.parts import extensions
from plexor.library.parts.extensions import names, offer_of
from plexor.library.run import Run

MODULE = """
import click
from plexor.library.parts.extensions import Command

@click.command()
def greet():
    "Greet."
    print("hello")

@click.command()
def broken():
    raise ZeroDivisionError("planted")

offer = Command("Greet whoever is there.", "{module}:greet")
breaks = Command("Break.", "{module}:broken")
number = 7
lost = Command("Lost.", "{module}_gone:greet")
"""


@pytest.fixture
def plant(tmp_path, monkeypatch):
    """Return what installs a package with a module and entry points, as an installer would."""

    def planted(package, points, module=None, folder="site"):
        site = tmp_path / folder
        information = site / f"{package.replace('-', '_')}-1.0.dist-info"
        information.mkdir(parents=True)
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\n")
        (information / "entry_points.txt").write_text(points)
        if module is not None:
            name = package.replace("-", "_")
            (site / f"{name}.py").write_text(module.format(module=name))
        if str(site) not in sys.path:
            monkeypatch.syspath_prepend(site)
        extensions._read.cache_clear()

    yield planted
    extensions._read.cache_clear()


def points(package, name="greet", attribute="offer"):
    return f"[plexor.commands]\n{name} = {package}:{attribute}\n"


def test_names_and_targets_are_those_that_importlib_metadata_reads(plant):
    text = (
        "# made by hand\n[console_scripts]\na = b:c\n\n[plexor.commands]\ngreet=stranger_a:offer\n"
        "  wave = stranger_a.deep:hand [extra]\n[plexor.exporters]\nx = y:z\n"
    )
    plant("stranger_a", text)
    read = {each.name: each.value for each in entry_points(group="plexor.commands")}
    assert {"greet", "wave"} <= read.keys()
    assert names("plexor.commands") == sorted(read)
    for name, value in read.items():
        offer = offer_of("plexor.commands", name)
        assert offer.target == value.partition("[")[0].strip()
    assert offer_of("plexor.commands", "greet").package == "stranger_a"
    assert offer_of("plexor.commands", "none") is None


def test_the_own_package_is_read_as_it_is_installed():
    own = {e.name for e in distribution("plexor").entry_points if e.group == "plexor.commands"}
    assert own
    assert own <= set(names("plexor.commands"))


def test_of_a_package_that_is_installed_twice_the_first_counts(plant):
    plant("stranger-b", points("second"), folder="late")
    plant("Stranger_B", points("first"), folder="early")
    assert offer_of("plexor.commands", "greet").target == "first:offer"


def test_a_file_that_is_no_text_and_a_folder_that_is_gone_are_passed_over(plant, tmp_path):
    plant("stranger_c", points("stranger_c", "wave_c"))
    (tmp_path / "site" / "broken-1.0.dist-info").mkdir()
    (tmp_path / "site" / "broken-1.0.dist-info" / "entry_points.txt").write_bytes(b"\xff\xfe\n")
    (tmp_path / "site" / "bare-1.0.dist-info").mkdir()
    sys.path.append(str(tmp_path / "gone"))
    extensions._read.cache_clear()
    assert "wave_c" in names("plexor.commands")


def test_a_command_of_another_package_runs_and_is_in_the_help(plant, capsys):
    plant("stranger_d", points("stranger_d"), MODULE)
    assert cli.main(["lab", "greet"]) == 0
    assert capsys.readouterr().out == "hello\n"
    assert cli.main(["lab", "--help"]) == 0
    assert "greet         Greet whoever is there." in capsys.readouterr().out
    assert cli.main(["--help"]) == 0
    assert "greet" in capsys.readouterr().out
    assert cli.main(["lab", "gret"]) == 2
    assert "Did you mean 'lab greet'?" in capsys.readouterr().err
    assert cli.main(["greet"]) == 2
    assert capsys.readouterr().err == "plexor: greet: this is `plexor lab greet` now\n"


def test_one_that_cannot_be_imported_names_package_and_error_and_breaks_no_other(plant, capsys):
    plant("stranger-e", points("stranger_e"), "import nothing_of_that_name\n")
    line = (
        "plexor: greet, of package stranger_e: stranger_e:offer cannot be imported: "
        "ModuleNotFoundError: No module named 'nothing_of_that_name'\n"
    )
    assert cli.main(["lab", "greet"]) == 2
    assert capsys.readouterr().err == line
    assert cli.main(["lab", "--help"]) == 0
    shown = capsys.readouterr()
    assert shown.err == line
    assert "bench" in shown.out
    assert "greet" not in shown.out
    assert cli.main(["lab", "table", "--help"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("attribute", "said"),
    [
        ("number", "stranger_f:number is a int; must be a Command"),
        ("none", "stranger_f:none cannot be imported: AttributeError: module 'stranger_f' has no"),
        ("lost", "stranger_f_gone:greet cannot be imported: ModuleNotFoundError: No module named"),
    ],
)
def test_what_is_no_command_is_refused_by_its_package(plant, capsys, attribute, said):
    plant("stranger_f", points("stranger_f", attribute=attribute), MODULE)
    assert cli.main(["lab", "greet"]) == 2
    assert f"plexor: greet, of package stranger_f: {said}" in capsys.readouterr().err


def test_a_fault_of_a_command_names_its_package(plant, capsys):
    plant("stranger_n", points("stranger_n", "breaks", "breaks"), MODULE)
    assert cli.main(["lab", "breaks"]) == 70
    line = capsys.readouterr().err
    assert line.startswith("plexor: a fault of package stranger_n: ZeroDivisionError: planted; ")
    assert line.count("\n") == 1


def test_two_packages_of_one_name_are_both_named(plant, capsys):
    plant("stranger_g", points("stranger_g"), MODULE)
    plant("stranger_h", points("stranger_h"), MODULE)
    line = "plexor: greet: packages stranger_g and stranger_h offer it; uninstall all but one\n"
    assert cli.main(["lab", "greet"]) == 2
    assert capsys.readouterr().err == line
    assert cli.main(["lab", "--help"]) == 0
    assert capsys.readouterr().err == line


def test_a_name_of_plexors_own_is_kept_and_the_help_says_so(plant, capsys):
    plant("stranger_i", points("stranger_i", "trace-header"), MODULE)
    own = cli.command_of("lab trace-header")
    assert own.callback.__module__ == "plexor.cli.declared.upkeep"
    assert cli.main(["lab", "--help"]) == 0
    said = "package stranger_i offers it, and Plexor has it; uninstall it\n"
    assert capsys.readouterr().err == f"plexor: trace-header: {said}"


def test_defaults_are_read_past_a_command_that_cannot_be_imported(plant, tmp_path, monkeypatch):
    plant("stranger_j", points("stranger_j"), "import nothing_of_that_name\n")
    (tmp_path / "plexor.toml").write_text("[all]\nno_such_option = 1\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="no_such_option"):
        _defaults(click.Context(cli.plexor), cli.plexor, ["show"])


TALLY = """
from dataclasses import dataclass
from plexor.base.constraints import Count
from plexor.library.parts.extensions import Kept
from plexor.library.parts.files import Document
from plexor.library.scans.scan import Ended

class Tally(Ended):
    what = "tally"
    def text(self, *, width=100, colour=False):
        return f"{{self.result}} answers\\n"
    def document(self):
        return {{"answers": self.result}}
    simulated = interrupted = False

def measured(instrument, *, times):
    return Tally(times * instrument.weight)

def kept(folder):
    return Tally(TALLY.read(folder / "tally.json").answers)

@dataclass(frozen=True)
class Answers:
    answers: Count

TALLY = Document("tally", 1, Answers)
seen = Kept(kept, TALLY)
"""


FIVE = {"schema": "plexor.tally/1", "answers": 5}
FIVE["sha256"] = hashlib.sha256(json.dumps(FIVE, sort_keys=True).encode()).hexdigest()


@pytest.fixture
def tally(plant):
    """Install a package with a measurement and a kind of results."""
    text = "[plexor.measurements]\ntally = stranger_k:{0}\n[plexor.kinds]\ntally = stranger_k:{1}\n"
    return lambda one="measured", other="seen": plant("stranger_k", text.format(one, other), TALLY)


def test_a_measurement_of_another_package_is_one_of_the_instrument(tally):
    tally()
    instrument = object.__new__(Instrument)
    instrument.weight = 3
    assert instrument.tally(times=7).result == 21
    with pytest.raises(AttributeError, match="'Instrument' object has no attribute 'tallies'"):
        instrument.tallies(times=7)


def test_results_of_another_package_are_loaded_and_replayed(tally, tmp_path, capsys):
    tally()
    folder = tmp_path / "t"
    folder.mkdir()
    (folder / "tally.json").write_text(json.dumps(FIVE))
    assert plexor.schema("tally")["properties"]["answers"]["type"] == "integer"
    assert plexor.load(folder).result == plexor.load(folder / "tally.json").result == 5
    assert cli.main(["show", str(folder)]) == 0
    assert capsys.readouterr().out == "5 answers\n"
    assert cli.main(["show", str(folder), "--to", str(tmp_path / "x.html")]) == 2
    assert "holds a tally, which has no page" in capsys.readouterr().err


def test_a_measurement_and_a_kind_that_are_not_there_name_their_package(tally, tmp_path):
    tally("gone", "lost")
    with pytest.raises(UsageError, match="tally, of package stranger_k: stranger_k:gone cannot be"):
        object.__new__(Instrument).tally()
    (tmp_path / "tally.json").write_text("5")
    with pytest.raises(UsageError, match=r"tally, of package stranger_k: stranger_k:lost"):
        plexor.load(tmp_path)


FORMATS = """
def write(run, path):
    path.write_text(f"{{len(run.channels)}} pins\\n")

def fails(run, path):
    path.write_text("half")
    raise ValueError("no pins that suit me")
"""


def test_a_format_of_another_package_is_written_beside_plexors_own(plant, run_of, tmp_path):
    plant("stranger_l", "[plexor.exporters]\npins = stranger_l:write\n", FORMATS)
    run = Run(run_of([[1000, 2000]]))
    run.export(tmp_path / "a.pins", tmp_path / "a.csv")
    assert (tmp_path / "a.pins").read_text() == "1 pins\n"
    assert (tmp_path / "a.csv").stat().st_size > 0
    with pytest.raises(UsageError, match=r"a\.pin: its suffix must be one of \.csv, .*, \.pins$"):
        run.export(tmp_path / "a.pin")


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("fails", "failed: ValueError: no pins that suit me"),
        ("gone", "cannot be imported: AttributeError: module 'stranger_m' has no attribute 'gone'"),
    ],
)
def test_a_format_that_fails_names_its_package_and_leaves_no_file(
    plant, run_of, tmp_path, function, said
):
    plant("stranger_m", f"[plexor.exporters]\npins = stranger_m:{function}\n", FORMATS)
    line = f"pins, of package stranger_m: stranger_m:{function} {said}"
    with pytest.raises(UsageError, match=f"^{re.escape(line)}$"):
        Run(run_of([[1000, 2000]])).export(tmp_path / "a.pins")
    assert list(tmp_path.glob("*a.pins*")) == []
