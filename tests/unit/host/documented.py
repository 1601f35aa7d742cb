# SPDX-License-Identifier: Apache-2.0
"""What a document says that holds a value: nothing, or the first thing that is wrong with it."""


def wrong(kind, value):
    """Return what is wrong with a value when its document is read; empty where nothing is."""
    try:
        kind.back(kind.of(value))
    except ValueError as error:
        return str(error)
    return ""
