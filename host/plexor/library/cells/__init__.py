# SPDX-License-Identifier: Apache-2.0
"""The cells of a farm: what each measures, how, and what came of it."""
