# SPDX-License-Identifier: Apache-2.0
"""A budget's checks as JUnit XML: the elements that pytest writes, which CI servers show."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from plexor.show.export.about import about
from plexor.show.export.checks import cases, judged
from plexor.show.export.source import ExportSource

_FORBIDDEN = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow."""


def write_junit(source: ExportSource, path: Path, name: Path) -> None:
    """Write a test case for each check, and one that fails if the run is invalid.

    An undecided check is an error. All checks of an invalid run are skipped. Raises UsageError with
    `name` without a budget, or if it names a channel that the run does not have.
    """
    verdict = judged(source, name)
    found = list(cases(source))
    counts = {
        tag: sum(case.tag == tag for case in found) for tag in ("failure", "error", "skipped")
    }
    suites = ET.Element("testsuites", {"name": "plexor"})
    suite = ET.SubElement(
        suites,
        "testsuite",
        {
            "name": f"plexor {_clean(verdict.budget.title)}",
            "errors": str(counts["error"]),
            "failures": str(counts["failure"]),
            "skipped": str(counts["skipped"]),
            "tests": str(len(found)),
            "time": f"{source.result.wall_seconds:.3f}",
            "timestamp": _clean(source.result.started),
        },
    )
    properties = ET.SubElement(suite, "properties")
    for key, text in about(source).items():
        ET.SubElement(properties, "property", {"name": _clean(key), "value": _clean(text)})
    for case in found:
        class_name = f"plexor.{case.channel}" if case.channel else "plexor"
        element = ET.SubElement(
            suite,
            "testcase",
            {"classname": _clean(class_name), "name": _clean(case.name), "time": "0.000"},
        )
        if case.tag:
            outcome = ET.SubElement(element, case.tag, {"message": _clean(case.message)})
            outcome.text = _clean(case.message)
        else:
            ET.SubElement(element, "system-out").text = _clean(case.message)
    ET.indent(suites)
    ET.ElementTree(suites).write(path, encoding="utf-8", xml_declaration=True)


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("?", text)
