# SPDX-License-Identifier: Apache-2.0
"""A fit on the terminal: terms, errors, and each service beside its estimates."""

from plexor_lab.bound.fitted import fit_services

from .createthread import EXAMPLES


def test_errors_of_fit_and_plain_sum_stand_beside_each_other():
    found = fit_services([EXAMPLES / "measured.csv"], [EXAMPLES / "tried.csv"])
    text = found.text(width=120)
    document = found.document()
    for name, part in (("fitted", "fitted"), ("not fitted", "tried")):
        line = next(line for line in text.splitlines() if line.startswith(f"{name} "))
        kinds = ("mean_error", "worst_error", "plain_mean_error", "plain_worst_error")
        assert line.split("  ")[-1].strip() == f"{document[part]['plain_worst_error']:.1%}".replace(
            "%", " %"
        )
        assert [f"{document[part][kind]:.1%}".replace("%", " %") in line for kind in kinds]
    assert "these services do not tell all terms apart" in text
    assert text.count("SDRAM") == 5
