# SPDX-License-Identifier: Apache-2.0
"""Headers of finished pages: their own scripts run, and no others."""

import base64
import hashlib

from plexor.scope.finished import headers
from plexor.show.inline import bundle


def test_the_scripts_that_may_run_are_those_of_the_pages_by_their_digests():
    rules = headers("report", "page")["Content-Security-Policy"]
    for name in ("report", "page"):
        digest = base64.b64encode(hashlib.sha256(bundle(name).encode()).digest()).decode()
        assert f"'sha256-{digest}'" in rules
    assert rules.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in rules
