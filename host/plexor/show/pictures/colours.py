# SPDX-License-Identifier: Apache-2.0
"""Colours of pictures and pages, by name, on light and on dark paper."""

LIGHT = {
    "paper": "#ffffff",
    "panel": "#f6f7f9",
    "ink": "#15181d",
    "muted": "#5b6472",
    "grid": "#dfe3e8",
    "worst": "#c2185b",
    "last": "#8d96a3",
}
DARK = {
    "paper": "#0f1216",
    "panel": "#161b21",
    "ink": "#e9edf2",
    "muted": "#9aa5b3",
    "grid": "#2a313a",
    "worst": "#ff6f9c",
    "last": "#77818e",
}
# Eight hues that stay apart for colour-blind eyes, each with 4.5:1 or more against its paper.
CHANNEL_LIGHT = (
    "#0a5fb4", "#b34700", "#007a56", "#7b3fb5", "#8a6500", "#00758f", "#a8326e", "#4d5b2b",
)  # fmt: skip
CHANNEL_DARK = (
    "#5cb3ff", "#ff9d57", "#3fd6a3", "#c79bff", "#e5bd4a", "#4fd0e6", "#ff8fc4", "#b4c77f",
)  # fmt: skip
