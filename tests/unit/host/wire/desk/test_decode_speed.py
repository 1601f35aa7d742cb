# SPDX-License-Identifier: Apache-2.0
"""The benchmark measures what it says."""

import numpy as np

from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_STRIKE, split_event_word
from plexor.wire.decode.decoder import Decoder
from plexor.wire.desk.decode_speed import decode_speeds, plain, stream, vectorised


def test_both_ways_of_decoding_give_the_same_histogram():
    data, events, total = stream(1000, 2000)
    one, other = vectorised(data), plain(data)
    assert np.array_equal(one, other)
    assert events == 4 * one.sum()
    assert (one * np.arange(len(one))).sum() == total


def test_every_stream_is_measured():
    results = decode_speeds(strikes=500, repeats=1)
    assert len(results) == 4
    assert all(result.events_per_s > 0 for result in results)


def test_each_strike_comes_a_period_after_the_one_before_and_is_answered_within_it():
    decoder = Decoder()
    events = []
    for part in decoder.feed(stream(1000, 300)[0]):
        base = np.repeat(part.base_ticks, part.counts).astype(np.int64)
        events += [
            (int(at) + delta, source)
            for at, word in zip(base, part.words, strict=True)
            for delta, source, up in [split_event_word(int(word))]
            if up
        ]
    strikes = [at for at, source in events if source == SOURCE_STRIKE]
    answers = [at for at, source in events if source == SOURCE_CHANNEL]
    assert strikes == [1000 * number for number in range(300)]
    assert all(0 < end - at < 500 for at, end in zip(strikes, answers, strict=True))
