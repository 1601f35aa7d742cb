# SPDX-License-Identifier: Apache-2.0
"""Finished pages that are served: nothing runs in them but the script that all of their kind have.

So a name in a run or an archive cannot become a script, whatever it contains.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache

from plexor.show.inline import bundle


@cache
def headers(*scripts: str) -> dict[str, str]:
    """Return the headers of pages with these scripts, by the names of their modules."""
    return {
        "Content-Security-Policy": f"default-src 'none'; script-src {' '.join(map(_own, scripts))};"
        " style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }


def _own(script: str) -> str:
    digest = hashlib.sha256(bundle(script).encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
