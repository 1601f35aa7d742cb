# SPDX-License-Identifier: Apache-2.0
"""The page of a bound: verdict, distribution, phase scan and tables; nothing is fetched."""

from plexor.library.run import Run
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


def test_the_page_begins_with_the_bound_what_was_seen_and_the_margin():
    """The study's times on platform 1: 56,728 ns estimated, 51,111 ns measured."""
    bound = Bound(EXAMPLES / "createthread.toml", platform_file(1))
    page = bound.check_value("51111ns", n=N).page()
    assert "56.728 µs at most, 51.111 µs measured" in page
    tiles = page.partition("<h2>The bound</h2>")[0].replace("\u00a0", " ")
    for text in ("56.728 µs", "51.111 µs", "5.617 µs", "given", "computed"):
        assert text in tiles


def test_of_a_run_the_page_says_what_was_measured_and_draws_it(run_of):
    bound = Bound(EXAMPLES / "createthread.toml", platform_file(1))
    page = bound.check(Run(run_of([[51_111, 50_000]], period=10**6)), n=N).page()
    assert page.count("<figure") == 1
    assert "<b>Latency of ISR</b>" in page
    assert "51.111 µs" in page.partition("<h2>The bound</h2>")[0]
