# SPDX-License-Identifier: Apache-2.0
"""Frames on their way to the link: parts of a byte or a word, and words for datagrams."""

from amaranth.lib import data


class FramePart(data.Struct):
    """The next part of a frame: the lowest byte of `word`, or with `whole` all four, lowest first.

    A beat with `end` carries no byte and ends the frame. Whole words come only after a multiple of
    four bytes of their frame.
    """

    word: 32
    whole: 1
    end: 1


class FrameWord(data.Struct):
    """One word of a frame; a beat with `end` carries no word and ends the frame."""

    word: 32
    end: 1
