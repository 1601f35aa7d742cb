# SPDX-License-Identifier: Apache-2.0
"""What explains a run, together: its late answers, its timeline and its profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plexor.base.errors import UsageError
from plexor.library.explain.profile import Profile
from plexor.library.explain.timeline import Timeline
from plexor.library.explain.why import Why
from plexor.model.results import RunResult
from plexor.show.explain_page import ExplainedView, explain_page


@dataclass(frozen=True, slots=True)
class Explanation:
    """Views of one run; None: it was not asked for, or the run has no codes."""

    result: RunResult
    why: Why | None = None
    timeline: Timeline | None = None
    profile: Profile | None = None

    @property
    def views(self) -> dict[str, Why | Timeline | Profile]:
        """Those that there are, by their names."""
        named = {"why": self.why, "timeline": self.timeline, "profile": self.profile}
        return {name: view for name, view in named.items() if view is not None}

    def document(self) -> dict[str, Any]:
        """Return the document of each view, by its name."""
        return {name: view.document() for name, view in self.views.items()}

    def page(self) -> str:
        """Return all views as one HTML page; a timeline alone has the page of a timeline."""
        if self.timeline is not None and len(self.views) == 1:
            return self.timeline.page()
        view = ExplainedView(
            self.result,
            None if self.why is None else self.why.view,
            None if self.timeline is None else self.timeline.view,
            *((None, None) if self.profile is None else self.profile.rows),
        )
        return explain_page(view, self.document())

    def picture(self) -> str:
        """Return the timeline as an SVG picture. Raises UsageError without one."""
        if self.timeline is None:
            raise UsageError("picture: is of the timeline, and the run has none")
        return self.timeline.picture()
