# SPDX-License-Identifier: Apache-2.0
"""Codes have a class and an id."""

from plexor.figures.codes.stream import classes_of, ids_of

from ...coded import array


def test_class_and_id_of_each_code_are_those_that_were_planted():
    codes = array([(1, 15, 4095), (2, 0, 0), (3, 8, 1)])
    assert classes_of(codes, 16).tolist() == [15, 0, 8]
    assert ids_of(codes, 16).tolist() == [4095, 0, 1]
