# SPDX-License-Identifier: Apache-2.0
"""Colours that can be read on their paper."""

import pytest

from plexor.show.pictures.colours import CHANNEL_DARK, CHANNEL_LIGHT, DARK, LIGHT


def luminance(colour):
    """WCAG 2.1, relative luminance."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize(
    ("paper", "colours"),
    [
        (LIGHT["paper"], (*CHANNEL_LIGHT, LIGHT["ink"], LIGHT["muted"], LIGHT["worst"])),
        (DARK["paper"], (*CHANNEL_DARK, DARK["ink"], DARK["muted"], DARK["worst"])),
    ],
)
def test_every_colour_of_text_has_the_contrast_that_small_text_needs(paper, colours):
    for colour in colours:
        low, high = sorted((luminance(paper), luminance(colour)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, colour
