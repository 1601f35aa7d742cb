# SPDX-License-Identifier: Apache-2.0
"""Tools for working on the project, called by `make`. None is installed."""
