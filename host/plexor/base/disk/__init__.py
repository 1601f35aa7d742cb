# SPDX-License-Identifier: Apache-2.0
"""What is kept on disk: whole files and folders, locks, and what is damaged set aside."""
