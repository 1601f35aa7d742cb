# SPDX-License-Identifier: Apache-2.0
"""Results to figures and verdicts. Pure."""
