# SPDX-License-Identifier: Apache-2.0
"""The gateware's sources are parsed once: ids of builds ask for them again and again."""

from functools import cache

import pytest
from tools.gateware import build, report

from plexor_hdl.build import emit, sources

CODE = cache(sources.code)


@pytest.fixture(autouse=True)
def _parsed_once(monkeypatch):
    for module in (emit, build, report):
        monkeypatch.setattr(module, "code", CODE)
