# SPDX-License-Identifier: Apache-2.0
"""The page of a bound: verdict, distribution, phase scan and tables; nothing is fetched."""

from plexor_lab.bound.bound import Bound

from .createthread import EXAMPLES, N, platform_file


def test_a_maximum_that_was_given_has_a_page_without_pictures():
    bound = Bound(EXAMPLES / "createthread.toml", platform_file(1))
    page = bound.check_value("51111ns", n=N).page()
    assert "<h1>CreateThread on " in page
    assert "<b>SAFE</b>" in page
    assert "41,752 + 1,152 N ns" in page
    assert "<figure" not in page
    assert "http" not in page.split("<main>")[1].split("<script>")[0]


def test_an_unsafe_bound_says_so_first():
    bound = Bound(EXAMPLES / "createthread.toml", platform_file(1))
    page = bound.check_value("60us", n=N).page()
    assert page.index("<b>UNSAFE</b>") < page.index("<h2>The bound</h2>")
