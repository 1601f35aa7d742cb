# SPDX-License-Identifier: Apache-2.0
"""`make fuzz`: feeds damaged and edited files to the program."""
