# SPDX-License-Identifier: Apache-2.0
"""General components, independent of what is measured."""
