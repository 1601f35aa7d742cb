# SPDX-License-Identifier: Apache-2.0
"""The terms of a core, fitted to services that were measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from plexor.base.errors import InvalidRunError
from plexor.library.files import write_text
from plexor.library.load import load_run
from plexor_lab.bound.check import at_own_n, measured_of
from plexor_lab.bound.files.map_file import read_map
from plexor_lab.bound.files.measured_file import Service, read_measured
from plexor_lab.bound.files.model_file import read_model
from plexor_lab.bound.files.platform_file import read_platform
from plexor_lab.bound.files.writing import platform_text
from plexor_lab.bound.fit_text import fit_text
from plexor_lab.bound.fitting import EstimatedService, Fit, errors, fit, margin_over
from plexor_lab.bound.model import RegionMap
from plexor_lab.bound.spec import FETCHED, OfRun
from plexor_lab.bound.traced import suffix_of
from plexor_lab.bound.verdict import unproven

SCHEMA = "plexor.bound-fit/1"


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fit, and how well it fits services that it does not know."""

    fit: Fit
    tried: tuple[EstimatedService, ...]
    """Services that were not fitted."""

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return fit_text(self.fit, self.tried, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor lab bound fit --json` prints.

        Times are exact nanoseconds as texts; errors are parts of what was measured.
        """
        return {
            "schema": SCHEMA,
            "provenance": "computed",
            "terms_ns": {term.name: str(term.time_ns) for term in self.fit.terms},
            "is_unique": self.fit.is_unique,
            "margin": str(self.fit.margin),
            "fitted": _document(self.fit.services),
            "tried": _document(self.tried) if self.tried else None,
        }

    def write(
        self,
        path: Path,
        platform: str | Path,
        *,
        bound: bool = False,
        models: Iterable[str | Path] = (),
        region_map: str | Path | None = None,
    ) -> None:
        """Write the times of all accesses on a platform, with the core's, as a platform's file.

        As a bound each time is multiplied by the margin. `models` are files of further models,
        whose regions lie where `region_map` says. Raises UsageError and StoreError.
        """
        known = [
            (compared.service.model, compared.service.region_map) for compared in self.fit.services
        ]
        regions = RegionMap() if region_map is None else read_map(region_map)
        known += [(read_model(model), regions) for model in models]
        fitted_platform = self.fit.platform(read_platform(platform), known, bound)
        terms = ", ".join(f"{term.name} {float(term.time_ns):g}" for term in self.fit.terms)
        about = (f"Computed: {platform} with the core's terms in ns: {terms}.",)
        if bound:
            about += (f"Multiplied by {float(self.fit.margin):g}, the largest measured.",)
        write_text(path, platform_text(fitted_platform, suffix_of(path), about))


def fit_services(
    measured: Iterable[str | Path],
    tried: Iterable[str | Path] = (),
    *,
    fetched: Iterable[str] = (FETCHED,),
) -> Fitted:
    """Return the fit of the services in some files, tried on those in others.

    The files are CSV, with columns model, platform, map, n and measured, which is a time or the
    folder of a run. Raises UsageError, with file and line, for a file that is wrong, for a run that
    proves no maximum, and if there are fewer services than terms.
    """
    fitted = fit(_services(measured), frozenset(fetched))
    compared = fitted.compare(_services(tried))
    return Fitted(replace(fitted, margin=margin_over((*fitted.services, *compared))), compared)


def _services(files: Iterable[str | Path]) -> Sequence[Service]:
    return [service for file in files for service in read_measured(file, _run_maximum)]


def _run_maximum(folder: Path, channel: str, of: str) -> tuple[Fraction, int | None]:
    """See `RunMaximum`."""
    run = load_run(folder)
    given = {"channel": channel or None, "kind": of or None, "naming": _column}
    options = at_own_n(run, OfRun.of(given))
    most = measured_of(run, options)
    unknown = unproven(most)
    if unknown.reason or most.max_ns is None:
        raise InvalidRunError(unknown.line)
    return most.max_ns, options.n


def _column(name: str) -> str:
    """Return the column that says an option."""
    return "of" if name == "kind" else name


def _document(compared: Sequence[EstimatedService]) -> dict[str, Any]:
    mean, worst, plain_mean, plain_worst = map(float, errors(compared))
    return {
        "mean_error": mean,
        "worst_error": worst,
        "plain_mean_error": plain_mean,
        "plain_worst_error": plain_worst,
        "services": [
            {
                "model": service.service.model.title,
                "platform": service.service.platform.title,
                "n": service.service.n,
                "measured_ns": str(service.service.measured_ns),
                "estimate_ns": str(service.estimate_ns),
                "plain_ns": str(service.plain_ns),
                "error": _part(service.error),
                "plain_error": _part(service.plain_error),
            }
            for service in compared
        ],
    }


def _part(value: Fraction) -> float:
    return float(value)
