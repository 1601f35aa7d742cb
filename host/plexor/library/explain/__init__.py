# SPDX-License-Identifier: Apache-2.0
"""Why a run's answers were late."""
