# SPDX-License-Identifier: Apache-2.0
"""Faults that a slip of the keyboard makes, in Python source. Pure.

A fault is a replacement of one piece of text: a comparison with its neighbour, an operator with its
inverse, a number with the next one, a condition with its opposite, a call with none. Annotations,
docstrings, decorators, assertions and messages of errors are left alone: no claim depends on them.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_COMPARISONS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "in": "not in",
    "not in": "in",
    "is": "is not",
    "is not": "is",
}
_OPERATORS = {
    "+": "-",
    "-": "+",
    "*": "//",
    "/": "*",
    "//": "*",
    "%": "//",
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
    "and": "or",
    "or": "and",
}
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor"}


@dataclass(frozen=True)
class Edit:
    """One fault: `old` at the offset `start` of a source becomes `new`."""

    line: int
    """Line of the source, from 1."""
    function: str
    """Dotted name of the class and function around it; empty at the module's level."""
    start: int
    """Offset in the source, in characters."""
    old: str
    new: str

    def applied(self, source: str) -> str:
        """Return the source with the fault."""
        assert source.startswith(self.old, self.start)
        return source[: self.start] + self.new + source[self.start + len(self.old) :]

    def compiles(self, source: str) -> bool:
        """Return whether the source with the fault is Python."""
        try:
            compile(self.applied(source), "fault", "exec", dont_inherit=True)
        except SyntaxError:
            return False
        return True


def edits(source: str) -> list[Edit]:
    """Return all faults of a source, in its order. A few do not compile (Edit.compiles)."""
    visitor = _Visitor(source)
    visitor.visit(ast.parse(source))
    return sorted(visitor.found, key=lambda edit: (edit.start, edit.new))


class _Visitor(ast.NodeVisitor):
    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[Edit] = []
        self._names: list[str] = []
        lines = source.splitlines(keepends=True)
        self._lines = [line.encode() for line in lines]
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._inside(node, [*node.args.defaults, *filter(None, node.args.kw_defaults)])

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._inside(node, [*node.args.defaults, *filter(None, node.args.kw_defaults)])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._inside(node, [])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) == "TYPE_CHECKING":
            return
        self._negate(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        if not isinstance(node.test, ast.Constant):
            self._negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave the message alone."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """Leave alone what only narrows a type."""

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._replace(node, "pass")
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self._replace(node, "break")

    def visit_Break(self, node: ast.Break) -> None:
        self._replace(node, "continue")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._replace(node, self._text(node.operand))
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._between(node.left, node.right, _OPERATORS)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        # One of several operators alone would change what binds to what.
        if len(node.values) == 2:
            left, right = node.values
            self._between(left, right, _OPERATORS)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
            self._between(left, right, _COMPARISONS)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func
        if isinstance(name, ast.Name) and name.id in _NAMES:
            self._replace(name, _NAMES[name.id])
        for child in [node.func, *node.args]:
            self.visit(child)
        for keyword in node.keywords:
            # `strict` of zip asserts what is so anyway.
            if keyword.arg != "strict":
                self.visit(keyword)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._replace(node, str(not node.value))
        elif isinstance(node.value, int):
            self._replace(node, str(node.value + 1))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave texts alone: before Python 3.12 their parts have no places."""

    def _inside(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, values: list[ast.expr]
    ) -> None:
        for value in values:
            self.visit(value)
        self._names.append(node.name)
        for statement in node.body:
            self.visit(statement)
        self._names.pop()

    def _negate(self, test: ast.expr) -> None:
        # The negation of a comparison or of `not` is another fault of the list.
        if not isinstance(test, ast.Compare | ast.UnaryOp):
            self._replace(test, f"not ({self._text(test)})")

    def _between(self, left: ast.expr, right: ast.expr, pairs: dict[str, str]) -> None:
        start, end = self._end(left), self._start(right)
        match = re.search(r"[a-z]+(?: +[a-z]+)?|[-+*/%<>&|=!]+", self.source[start:end])
        if match is not None and match.group() in pairs:
            self._add(left, start + match.start(), match.group(), pairs[match.group()])

    def _replace(self, node: ast.expr | ast.stmt, new: str) -> None:
        self._add(node, self._start(node), self._text(node), new)

    def _add(self, node: ast.expr | ast.stmt, start: int, old: str, new: str) -> None:
        line = node.lineno + self.source.count("\n", self._start(node), start)
        self.found.append(Edit(line, ".".join(self._names), start, old, new))

    def _text(self, node: ast.expr | ast.stmt) -> str:
        return self.source[self._start(node) : self._end(node)]

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._offset(node.lineno, node.col_offset)

    def _end(self, node: ast.expr | ast.stmt) -> int:
        return self._offset(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1][:column].decode())
