# SPDX-License-Identifier: Apache-2.0
"""The page of what explains a run: the planted cause stands in its first sentence."""

import json
import re
from base64 import b64decode
from dataclasses import replace

from plexor.library.explain.explanation import Explanation
from plexor.library.run import Run

from ..coded import coded_run
from ..figures.explain.test_why import EVERY, late_run
from ..library.explain.test_coded import NAMES
from .test_timeline import PLANTED


def explained(result, *views):
    run = Run(result)
    made = {name: getattr(run, name)() for name in views}
    return Explanation(result, **made)


def text_of(html):
    return re.sub(r"<[^>]+>", " ", html.partition("<main>")[2].partition("<script>")[0])


def test_the_first_sentence_says_how_many_are_late_and_how_they_recur():
    page = explained(late_run(), "why").page()
    lead = re.search('<p class="lead">(.*?)</p>', page)[1]
    assert f"20 of {20 * EVERY} answers are late, up to " in lead
    assert f"each {EVERY} answers, exactly" in lead


def test_each_view_that_there_is_stands_on_the_page_and_no_other():
    why = text_of(explained(late_run(), "why").page())
    assert "Late answers" in why
    assert "Time in each state" not in why
    assert "Profile" not in why
    result = coded_run(PLANTED, 20_000, NAMES)
    every = explained(result, "why", "timeline", "profile")
    page = text_of(every.page())
    for part in ("Late answers", "Time in each state", "Profile"):
        assert part in page
    assert text_of(explained(result, "profile").page()).count("Time in each state") == 0


def test_a_timeline_alone_has_the_page_of_a_timeline():
    result = coded_run(PLANTED, 20_000, NAMES)
    alone = explained(result, "timeline")
    assert alone.page() == alone.timeline.page()


def test_the_page_carries_the_document_of_all_views_and_the_table_of_clusters():
    found = explained(late_run(), "why")
    files = dict(
        re.findall(r'download="explained\.(\w+)" href="data:[^,]+base64,([^"]+)"', found.page())
    )
    assert json.loads(b64decode(files["json"])) == found.document()
    heads, row, *_ = b64decode(files["csv"]).decode().splitlines()
    assert heads == "channel,cluster,latency,answers,share,recurrence"
    assert row.split(",")[3] == "20"


def test_a_name_from_outside_is_text_and_an_invalid_run_says_so():
    run = late_run()
    named = replace(run.channels[0], name="<b>x")
    result = replace(run, channels=(named,), invalid_reasons=("books <do> not balance",))
    page = explained(result, "why").page()
    assert "<b>x" not in page
    assert "&lt;b&gt;x" in page
    assert "Invalid: these figures prove nothing" in page
    assert "books &lt;do&gt; not balance" in page


def test_a_run_that_answers_no_strike_says_so():
    result = replace(late_run(), channels=())
    assert "No channel answers strikes." in text_of(explained(result, "why").page())
