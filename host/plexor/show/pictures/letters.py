# SPDX-License-Identifier: Apache-2.0
"""How wide letters are in DejaVu Sans, the widest of usual sans-serif faces.

Source: the advance widths (hmtx) of DejaVuSans.ttf and DejaVuSans-Bold.ttf, version 2.37, in
thousandths of the size, rounded up.
"""

from __future__ import annotations

import unicodedata

_REGULAR = {
    275: "'",
    278: "ijl",
    295: "IJ",
    318: " ,.·",
    337: "/:;\\|",
    353: "f",
    361: "-",
    391: "()[]",
    393: "t",
    401: "!²",
    412: "r",
    460: '"',
    500: "*_`°",
    521: "s",
    525: "z",
    531: "?",
    550: "c",
    558: "L",
    576: "F",
    580: "k",
    592: "vxy",
    604: "P",
    611: "TY",
    612: "o",
    613: "a",
    616: "e",
    630: "ß",
    632: "E",
    634: "hnu",
    635: "Sbdgpq",
    637: "$0123456789{}µ",
    656: "K",
    685: "AV",
    686: "XZ",
    687: "B",
    695: "R",
    699: "C",
    732: "U",
    749: "N",
    752: "H",
    771: "D",
    775: "G",
    780: "&",
    788: "OQ",
    818: "w",
    838: "#+<=>^~±→≠≤≥",
    863: "M",
    951: "%",
    975: "m",
    989: "W",
    1000: "@—…",
}
_BOLD = {
    307: "'",
    343: "ijl",
    349: " ",
    366: "/\\|",
    373: "IJ",
    380: ",.·",
    400: ":;",
    416: "-",
    436: "f",
    438: "²",
    457: "!",
    458: "()[]",
    479: "t",
    494: "r",
    500: "_`°",
    521: '"',
    523: "*",
    581: "?",
    583: "z",
    593: "c",
    596: "s",
    638: "L",
    646: "x",
    652: "vy",
    666: "k",
    675: "a",
    679: "e",
    683: "T",
    684: "EF",
    688: "o",
    696: "$0123456789",
    712: "hnu{}",
    716: "bdgpq",
    720: "ß",
    721: "S",
    725: "Y",
    726: "Z",
    733: "P",
    734: "C",
    736: "µ",
    763: "B",
    771: "RX",
    774: "AV",
    775: "K",
    813: "U",
    821: "G",
    831: "D",
    837: "HN",
    838: "#+<=>^~±→≠≤≥",
    851: "OQ",
    873: "&",
    924: "w",
    996: "M",
    1000: "@—…",
    1002: "%",
    1042: "m",
    1104: "W",
}
_EMS = tuple(
    {letter: thousandths / 1000 for thousandths, letters in widths.items() for letter in letters}
    for widths in (_REGULAR, _BOLD)
)
_SYMBOL, _OTHER = 1.3, (1.0, 1.13)
"""Of emoji and the like, and of letters that the tables do not have."""


def letter_width(letter: str, bold: bool = False) -> float:
    """Return a letter's width as a part of its size; one with an accent is as wide as without."""
    known = _EMS[bold]
    if letter in known:
        return known[letter]
    if unicodedata.combining(letter):
        return 0.0
    plain = unicodedata.normalize("NFD", letter)[0]
    if plain in known:
        return known[plain]
    return _SYMBOL if unicodedata.category(letter) == "So" else _OTHER[bold]
