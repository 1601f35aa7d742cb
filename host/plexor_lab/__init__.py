# SPDX-License-Identifier: Apache-2.0
"""Studies of kernels on Plexor's public library: the commands that a stranger could have written.

It has its own package to show that anybody can extend Plexor. It joins by entry points, as
docs/do/extend.md shows, and imports what is public alone; an import rule guards that.
"""
