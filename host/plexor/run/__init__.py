# SPDX-License-Identifier: Apache-2.0
"""One run: settings to registers, from its start to its result."""
