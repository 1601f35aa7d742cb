# SPDX-License-Identifier: Apache-2.0
"""An instrument at the end of a link."""
