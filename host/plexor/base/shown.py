# SPDX-License-Identifier: Apache-2.0
"""Suffixes of the files that show a result."""

from __future__ import annotations

from collections.abc import Mapping

DRAWN = (".svg", ".png", ".pdf")
"""Suffixes of the files that a picture can be."""
SHOWN: Mapping[str, str] = {".html": "page", **dict.fromkeys(DRAWN, "picture")}
"""Suffixes of what shows a result, and what each of them is."""
