"""The benchmark measures what it says."""

import numpy as np

from plexor.desk.bench import bench, plain, stream, vectorised


def test_both_ways_of_decoding_give_the_same_histogram():
    data, events, total = stream(1000, 2000)
    one, other = vectorised(data), plain(data)
    assert np.array_equal(one, other)
    assert events == 4 * one.sum()
    assert (one * np.arange(len(one))).sum() == total


def test_every_stream_is_measured():
    results = bench(strikes=500, repeats=1)
    assert len(results) == 4
    assert all(result.events_per_s > 0 for result in results)
