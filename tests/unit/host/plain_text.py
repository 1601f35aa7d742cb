# SPDX-License-Identifier: Apache-2.0
"""What the text of a result is for, unless its caller says."""

import inspect


def columns_and_colour(text):
    """Return how many columns the terminal has and whether it has colours."""
    options = inspect.signature(text).parameters
    return options["width"].default, options["colour"].default
