# SPDX-License-Identifier: Apache-2.0
"""`plexor measure`: settings from options, a run, its figures."""
