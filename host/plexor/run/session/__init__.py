# SPDX-License-Identifier: Apache-2.0
"""Takes a run from its start to its result, even if it is interrupted or the link dies."""
