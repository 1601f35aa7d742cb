# SPDX-License-Identifier: Apache-2.0
"""The commands, one in each file."""

COMPLETING = "_PLEXOR_COMPLETE"
"""Environment variable by which a shell asks for completions."""
