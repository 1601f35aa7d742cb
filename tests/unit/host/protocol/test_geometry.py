# SPDX-License-Identifier: Apache-2.0
"""Parameters of a build: each range from both sides, and the sources that it has."""

import pytest

from plexor.protocol.geometry import ALL_FEATURES, MAX_STEPS, Feature, Geometry

RANGES = {
    "channels": (1, 8),
    "strikes": (1, 8),
    "tick_fs": (1000, (1 << 32) - 1),
    "latency_mantissa_bits": (2, 8),
    "fall_mantissa_bits": (2, 8),
    "interval_mantissa_bits": (2, 8),
    "zoom_bits": (4, 12),
}
POWERS = {
    "queue_depth": (4, 4096),
    "word_fifo_depth": (4, 512),
    "upload_depth": (16, 65536),
    "ring_depth": (16, 4096),
    "deep_depth": (256, 1 << 30),
    "table_steps": (2, MAX_STEPS),
}


@pytest.mark.parametrize(("name", "least", "most"), [(n, *ends) for n, ends in RANGES.items()])
def test_a_value_beyond_its_range_is_refused_with_the_name_and_the_range(name, least, most):
    for value in (least, most):
        assert getattr(Geometry(**{name: value}), name) == value
    for value in (least - 1, most + 1):
        with pytest.raises(ValueError, match="must be") as caught:
            Geometry(**{name: value})
        assert str(caught.value) == f"{name}: {value}; must be {least} to {most}"


@pytest.mark.parametrize(("name", "least", "most"), [(n, *ends) for n, ends in POWERS.items()])
def test_a_depth_is_a_power_of_two_in_its_range(name, least, most):
    for value in (least, most):
        assert getattr(Geometry(**{name: value}), name) == value
    for value in (least // 2, 2 * most, most - 1):
        with pytest.raises(ValueError, match=f"^{name}: {value}; must be a power of two"):
            Geometry(**{name: value})


def test_no_deep_memory_and_no_depth_of_the_table_are_allowed_and_mean_none_and_the_most():
    assert Geometry(deep_depth=0).deep_depth == 0
    assert Geometry(table_steps=0).table_steps == MAX_STEPS
    assert Geometry(latency_mantissa_bits=5, fall_mantissa_bits=0).fall_mantissa_bits == 5


@pytest.mark.parametrize(
    ("samples", "phases", "allowed"),
    [
        *((4, 4, True), (8, 2, True), (16, 16, True)),
        *((8, 3, False), (8, 16, False), (8, 0, False), (2, 1, False), (12, 4, False)),
    ],
)
def test_phases_divide_the_samples_of_a_clock(samples, phases, allowed):
    if allowed:
        Geometry(samples=samples, phases=phases)
        return
    with pytest.raises(ValueError, match="samples"):
        Geometry(samples=samples, phases=phases)


@pytest.mark.parametrize("board", ["123456789", "ü"])
def test_a_board_has_up_to_eight_ascii_characters(board):
    assert [Geometry(board=name).board for name in ("", "12345678")] == ["", "12345678"]
    with pytest.raises(ValueError, match="must be up to 8 ASCII characters"):
        Geometry(board=board)


@pytest.mark.parametrize(
    ("features", "indexed"),
    [
        (Feature(0), False),
        (ALL_FEATURES & ~(Feature.EVENTS | Feature.EXTREMES | Feature.RING), False),
        (Feature.EVENTS, True),
        (Feature.EXTREMES, True),
        (Feature.RING, True),
    ],
)
def test_events_are_numbered_where_they_are_sent_or_kept(features, indexed):
    assert Geometry(features=features).indexed == indexed


@pytest.mark.parametrize(("channels", "bits"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3)])
def test_a_key_has_as_many_bits_as_number_the_channels(channels, bits):
    assert Geometry(channels=channels).key_bits == bits


def test_strikes_come_before_channels_then_the_load_and_the_steps():
    assert Geometry(channels=2, strikes=3).sources == (8, 9, 10, 0, 1, 16, 17)
    without = ALL_FEATURES & ~Feature.SWEEP
    assert Geometry(channels=1, strikes=1, features=without).sources == (8, 0, 16)
