# SPDX-License-Identifier: Apache-2.0
"""Columns as arrays of pyarrow and back, over their memory, in the layout that Arrow specifies.

The source is "Arrow Columnar Format", sections Fixed-size Primitive Layout and Variable-size Binary
Layout. pyarrow's own conversions import pandas where it is installed, in half a second.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def pyarrow(name: str = "pyarrow") -> Any:
    """Return a module of pyarrow, which has no type stubs.

    The import takes a fifth of a second, so only commands that store runs pay for it.
    """
    return importlib.import_module(name)


def array(values: Sequence[Any] | NDArray[Any], kind: Any) -> Any:
    """Return numbers, bools or texts as a pyarrow.Array of this type, without nulls."""
    pa = pyarrow()
    if kind == pa.string():
        texts = [text.encode() for text in values]
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(texts))]
    elif kind == pa.bool_():
        buffers = [None, pa.py_buffer(np.packbits(values, bitorder="little"))]
    else:
        buffers = [None, pa.py_buffer(np.ascontiguousarray(values, kind.to_pandas_dtype()))]
    return pa.Array.from_buffers(kind, len(values), buffers)


def values(column: Any) -> NDArray[Any]:
    """Return a pyarrow.Array of numbers or bools, without nulls, as an array of numpy."""
    memory = column.buffers()[1]
    first, end = column.offset, column.offset + len(column)
    if column.type == pyarrow().bool_():
        packed = np.frombuffer(memory, np.uint8)
        return np.unpackbits(packed, count=end, bitorder="little")[first:].astype(np.bool_)
    return np.frombuffer(memory, column.type.to_pandas_dtype())[first:end]
