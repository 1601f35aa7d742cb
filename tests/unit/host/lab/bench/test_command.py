# SPDX-License-Identifier: Apache-2.0
"""`plexor lab bench`: what it prints, how it ends, and that each wrong use is one line."""

import pytest

from plexor import cli
from plexor.files.store.run_folder import save
from plexor_lab.bench.frame import parse

from ...cli.test_cli import document, errors_of
from ...runs import run
from .planted import suite_run


@pytest.fixture
def kept(tmp_path):
    """The folder of a run of two samples of each of two tests."""
    save(suite_run().run(suite="kernel", iterations="2").result, tmp_path / "run1")
    return str(tmp_path / "run1")


def test_a_kept_run_gives_its_figures_again(capsys, kept):
    assert cli.main(["lab", "bench", "kernel", kept, "--json"]) == 0
    found = document(capsys)
    assert [test["samples_ticks"] for test in found["tests"]] == [[40, 40], [140, 170]]


def test_more_iterations_than_a_kept_run_has_end_with_4(capsys, kept):
    assert cli.main(["lab", "bench", "kernel", kept, "--iterations", "3", "--json"]) == 4
    found = document(capsys)
    assert not found["valid"]
    assert found["exit_code"] == 4


def test_the_first_sample_is_left_out_when_asked(capsys, kept):
    assert cli.main(["lab", "bench", "kernel", kept, "--skip-first", "--json"]) == 0
    test = document(capsys)["tests"][1]
    assert (test["count"], test["first_ticks"], test["min_ticks"]) == (1, "100", "130")


def test_frames_are_written(kept, tmp_path):
    file = tmp_path / "frames.txt"
    assert cli.main(["lab", "bench", "kernel", kept, "--frames", str(file)]) == 0
    assert [frame.base_ticks for frame in parse(file.read_text())] == [40]


def test_a_page_is_written_and_show_names_the_command(capsys, kept, tmp_path):
    file = tmp_path / "kernel.html"
    assert cli.main(["lab", "bench", "kernel", kept, "--page", str(file)]) == 0
    assert "Times of one operation, less the base" in file.read_text(encoding="utf-8")
    capsys.readouterr()
    for words in ([], ["--to", str(tmp_path / "run.html")]):
        cli.main(["show", kept, *words])
        said = capsys.readouterr().err
        assert f"is a run of suite kernel: plexor lab bench kernel {kept} prints it" in said


def test_another_suite_than_the_firmware_has_is_refused(capsys, kept):
    found = errors_of(capsys, 2, ["lab", "bench", "osbench", kept])
    assert "the firmware says that it is kernel" in found


def test_a_run_without_codes_is_refused(capsys, tmp_path):
    save(run()[0], tmp_path / "plain")
    assert "has no codes" in errors_of(
        capsys, 2, ["lab", "bench", "kernel", str(tmp_path / "plain")]
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lab", "bench"], "Missing argument 'SUITE'"),
        (["lab", "bench", "dhrystone"], "'dhrystone' is not one of"),
        (["lab", "bench", "kernel", "nowhere"], "'nowhere' does not exist"),
        (["lab", "bench", "kernel", "--force"], "give --out too"),
        (["lab", "bench", "kernel", "--time", "1000000s", "--dut", "synthetic"], "period"),
        (["lab", "bench", "kernel", "--time", "0"], "--time: must be above 0"),
        (["lab", "bench", "kernel", "--iterations", "2M"], "'2M'; must be from 1 to 1000000"),
        (
            ["lab", "bench", "kernel", "--dut", "bare", "--link", "tcp://localhost:1"],
            "is for sim: links",
        ),
        (["lab", "bench", "kernel", "--self", "--dut", "bare"], "no device that counts itself"),
    ],
)
def test_each_wrong_use_is_one_line(capsys, words, said):
    assert said in errors_of(capsys, 2, words)


@pytest.mark.parametrize(
    "words", [["--time", "1s"], ["--dut", "freertos"], ["--self"], ["--out", "other"]]
)
def test_a_kept_run_is_not_measured_again(capsys, kept, words):
    found = errors_of(capsys, 2, ["lab", "bench", "kernel", kept, *words])
    assert f"{words[0]} is for a measurement" in found
