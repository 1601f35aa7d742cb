# SPDX-License-Identifier: Apache-2.0
"""The drawing code inside a page: whole, in order, and nothing of the data ends its script."""

import json
import re
import shutil
import subprocess
from importlib.resources import files

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.show import inline
from plexor.show.html import PageHeading, html_page
from plexor.show.inline import asset, bundle, html_stack
from plexor.show.page import page

ASSETS = files("plexor.show") / "assets"
LONGEST_LINE = 100
SCRIPTS = [
    *ASSETS.iterdir(),
    *(files("plexor.scope") / "assets").iterdir(),
]


def data_of(text):
    return re.search(r'<script type="application/json" id="plexor-run">(.*?)</script>', text)[1]


def test_each_page_has_one_script_and_it_is_that_of_its_kind(run_of):
    heading = PageHeading("t", "simulated", "")
    for name, other in (("page", "report"), ("report", "page")):
        text = html_page(heading, "", name)
        assert text.count("<script>") == 1
        assert f"const plexor_{name} =" in text
        assert f"const plexor_{other} =" not in text
    assert "const plexor_report =" in page(analyse(run_of([[1000, 2000]])))


def test_every_module_is_behind_those_that_it_needs():
    text = bundle("report")
    places = {name: place for place, name in enumerate(re.findall(r"const plexor_(\w+) =", text))}
    for module, body in re.findall(r"const plexor_(\w+) = (.*?)\n\}\)\(\);", text, re.DOTALL):
        for needed in re.findall(r"= plexor_(\w+);", body):
            assert places[needed] < places[module]
    assert {"report", "stack", "axis", "cells", "waterfall"} <= set(places)


def test_the_script_holds_no_module_syntax_and_no_comments():
    text = bundle("report")
    assert not re.search(r"^\s*(?:import|export)\b", text, re.MULTILINE)
    assert "/**" not in text
    assert "</script" not in text


def test_a_module_that_is_not_there_is_an_error_and_no_gap():
    with pytest.raises(FileNotFoundError):
        bundle("nothing")


def test_an_import_over_several_lines_is_understood(tmp_path, monkeypatch):
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "one.js").write_text(
        'import {\n  two,\n  three,\n} from "./more.js";\n\n'
        "/** Say it. */\nexport function one() {}\n"
    )
    (tmp_path / "assets" / "more.js").write_text(
        "export const two = 2;\n// Why.\nexport class three {}\n"
    )
    monkeypatch.setattr(inline, "files", lambda _: tmp_path)
    bundle.cache_clear()
    text = bundle("one")
    bundle.cache_clear()
    assert "return { two, three };" in text
    assert "const {\n  two,\n  three,\n} = plexor_more;" in text
    assert "Say" not in text
    assert "Why" not in text


def test_data_cannot_end_its_script():
    wild = "</script><b>&"
    text = html_stack("simulated", {"channels": [{"name": wild}]}, "still")
    assert json.loads(data_of(text))["channels"][0]["name"] == wild
    assert text.count("</script>") == 1


def test_without_a_channel_only_the_still_pictures_are_there():
    assert html_stack("simulated", {"channels": []}, "<svg/>") == "<svg/>"


def test_what_is_simulated_is_marked():
    assert '<small class="bad">simulated</small>' in html_stack(
        "simulated", {"channels": [1]}, "still"
    )


@pytest.mark.parametrize(
    "path", [path for path in SCRIPTS if path.name.endswith(".js")], ids=lambda path: path.name
)
def test_a_script_says_what_it_is_in_short_lines(path):
    text = path.read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= LONGEST_LINE
    assert text.partition("\n")[2].startswith("/**")


def test_a_name_that_a_module_imports_is_exported_by_the_other():
    for path in SCRIPTS:
        if not path.name.endswith(".js"):
            continue
        for names, module in re.findall(
            r'import \{([^}]+)\} from "\./(?:draw/)?(\w+)\.js"', path.read_text()
        ):
            files = {other.name: other.read_text() for other in SCRIPTS if other.suffix == ".js"}
            own = files.get(f"{module}.js") or asset(f"{module}.js")
            for name in (entry.strip() for entry in names.split(",")):
                assert not name or re.search(
                    rf"^export (?:function|class|const) {name}\b", own, re.M
                )


def test_the_code_is_in_the_wheel_as_all_files_of_the_package_are():
    assert asset("draw.css").startswith("/*")
    assert shutil.which("git")
    listed = subprocess.run(
        ["git", "check-ignore", "--no-index", *map(str, SCRIPTS)],
        cwd=str(ASSETS), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert listed.stdout == ""


def test_units_steps_and_raised_digits_of_the_drawing_code_are_the_hosts():
    text = bundle("report")
    found = re.search(r"const plexor_scales = \(\(\) => \{\n(.*?)return", text, re.DOTALL)[1]
    tables = {
        name: json.loads(table) for name, table in re.findall(r"const (\w+) = (.*);\n", found)
    }
    assert tables["TIMES"] == [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]]
    assert tables["RATES"] == [[1e6, "MHz"], [1e3, "kHz"], [1, "Hz"]]
    assert tables["RAISED"] == "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
    assert text.index("const plexor_scales") < text.index("const plexor_format")
    assert '"µs"' not in text.replace(found, "")
