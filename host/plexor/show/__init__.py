# SPDX-License-Identifier: Apache-2.0
"""A run's figures as text for a terminal, as pictures, and as one page."""
