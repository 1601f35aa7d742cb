# SPDX-License-Identifier: Apache-2.0
"""What people read for a figure, on terminals, pages and in notebooks, and its key in documents.

And where figures come from.
"""

from __future__ import annotations

MAX_SEEN = "max seen"
PEAK_TO_PEAK = "peak-to-peak"
_WORDS = {"max": MAX_SEEN, "peak_to_peak": PEAK_TO_PEAK, "rms": "RMS"}
_KEYS = {word.casefold(): key for key, word in _WORDS.items()}


def figure_word(key: str) -> str:
    """Return what people read for a figure: `max seen` for the key `max`, else the key itself."""
    return _WORDS.get(key, key)


def figure_key(word: str) -> str:
    """Return the key of a figure by what people read for it, else the word itself."""
    return _KEYS.get(" ".join(word.split()).casefold(), word)


def source_word(simulated: bool) -> str:
    """Return where figures come from, in a word that documents have too."""
    return "simulated" if simulated else "measured"


def imported_word(simulated: bool) -> str:
    """Return where figures come from that are of another tool's capture."""
    return "imported, simulated" if simulated else "imported"


def source_text(simulated: bool, board: str) -> str:
    """Return where figures come from, with the board if it has a name."""
    return "simulated" if simulated else f"measured on {board or 'hardware'}"
