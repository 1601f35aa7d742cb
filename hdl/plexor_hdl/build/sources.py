# SPDX-License-Identifier: Apache-2.0
"""What of a module's source makes a difference to what is built."""

import io
import tokenize
from itertools import pairwise

_LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING)
_BEFORE_LINE = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def code(text: str) -> str:
    """Return what is left of a module without its docstrings and comments, token by token."""
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in _LAYOUT
    ]
    found: list[str] = []
    before = tokenize.NEWLINE
    for token, after in pairwise((*tokens, None)):
        assert token is not None
        ends = after is None or after.type == tokenize.NEWLINE
        if before in _BEFORE_LINE and token.type == tokenize.STRING and ends:
            continue
        if before not in _BEFORE_LINE or token.type != tokenize.NEWLINE:
            found.append(f"{tokenize.tok_name[token.type]} {token.string.strip()}")
        before = token.type
    return "\n".join(found)
