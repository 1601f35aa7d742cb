# SPDX-License-Identifier: Apache-2.0
"""Commands that explain a stored run."""
