# SPDX-License-Identifier: Apache-2.0
"""An archive as text, pictures and pages."""
