# SPDX-License-Identifier: Apache-2.0
"""An archive's pages in a browser: for who has the token, from the list to runs and trends."""

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from tools.scope_bench.browser import browser

from plexor.library.archive import Archive
from plexor.scope.archive_app import archive_app
from plexor.scope.serve import Door, ServedAt, Server

from ..files.archive.planted import commit, kept, loaded, planted
from .test_app import fetched


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept") / "nightly"
    runs = [planted(1000 if n < 12 else 1300, n) for n in range(20)]
    kept(folder, *runs, loaded(planted(1500, 30)), origins=[commit(n) for n in range(21)])
    return Archive(folder)


@pytest.fixture(scope="module")
def address(archive):
    door = Door(ServedAt())
    served = Server(archive_app(door.guard, archive), door)
    yield served.address
    served.close()


def page(address, path="", *asked):
    status, headers, text = fetched(f"{address}{path}?{urlencode(asked)}")
    assert (status, headers.get_content_type()) == (200, "text/html"), text
    return text


def test_the_list_leads_to_each_run(address, archive):
    text = page(address)
    runs = [run.run for run in archive.log().runs]
    assert len(runs) == 21
    opened = [unescape(found) for found in re.findall(r'href="(run\?[^"]+)"', text)]
    assert opened == [f"run?run={run}" for run in runs]
    assert "1.509 µs" in fetched(address + opened[0])[2]


def test_axe_objects_to_nothing_in_a_browser(address, archive):
    newest, oldest = archive.log().runs[0].run, archive.log().runs[-1].run
    both = urlencode([("run", newest), ("run", oldest)])
    trend = re.search(r'href="(trend[^"]*)"', page(address))
    paths = ["", f"run?run={newest}", f"compare?{both}", unescape(trend[1])]
    with browser() as seen:
        for path in paths:
            for width in (1400, 400):
                seen.screen(width, 900, dark=width == 400)
                seen.driver.get(f"{address}{path}")
                assert seen.violations() == [], path
                root = "document.documentElement"
                assert seen.run(f"return {root}.scrollWidth <= {root}.clientWidth"), path


def test_runs_are_chosen_by_the_address(address):
    text = page(address, "", ("where", "load=on"))
    assert "1 run with load=on." in text
    status, _, text = fetched(f"{address}?where=nothing%3D1")
    assert status == 400
    assert "no run has this key" in text


def test_runs_that_are_ticked_are_compared_the_earliest_is_a(address, archive):
    newest, oldest = archive.log().runs[0].run, archive.log().runs[-1].run
    text = page(address, "compare", ("run", newest), ("run", oldest))
    assert f"<dt>A</dt><dd>run {oldest} of the archive" in text
    assert "Persistence of all runs" in text
    assert "Latency of ISR" in text
    for wrong in ([], [("run", newest)], [("run", newest)] * 2):
        status, _, text = fetched(f"{address}compare?{urlencode(wrong)}")
        assert status == 400
        assert "must be 2 to 8" in text


def test_a_trend_has_its_change_and_leads_back(address):
    text = page(address, "trend", ("channel", "ISR"), ("by", "load"), ("where", "load=none"))
    # The latest answer comes after 1009 ticks, and after 1309 from the 13th run on.
    assert "max seen +29.7 %" in text
    assert 'href="./?where=load%3Dnone"' in text


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("run?run=nothing", "has no run nothing"),
        ("trend?channel=X", "channel &#x27;X&#x27;: no run has its rise"),
        ("trend?channel=ISR&by=moon", "must be"),
    ],
)
def test_what_is_not_there_is_told_in_one_line(address, path, said):
    status, _, text = fetched(address + path)
    assert status == 400
    assert said in text


def test_without_the_token_or_from_another_site_there_is_nothing(address):
    host = address.rsplit("/", 2)[0]
    for wrong in (f"{host}/", f"{host}/wrong/", f"{host}/wrong/run"):
        status, _, text = fetched(wrong)
        assert status == 403
        assert "token" in text
    assert fetched(address, Host="evil.example")[0] == 403


def test_nothing_runs_but_the_script_of_all_pages(address):
    _, headers, _ = fetched(address)
    rules = headers["Content-Security-Policy"]
    assert "default-src 'none'" in rules
    assert re.search(r"script-src 'sha256-[^']+';", rules)
    assert "unsafe-eval" not in rules
