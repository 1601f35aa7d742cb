# SPDX-License-Identifier: Apache-2.0
"""What Amaranth's simulator makes of expressions, without the masks that change nothing."""

from amaranth.hdl import Const, Value
from amaranth.hdl._ast import Concat
from amaranth.sim import _pyrtl

TRUTHS = ("==", "!=", "<", "<=", ">", ">=")
BITWISE = ("&", "|", "^")


class Code(str):
    """The text of an expression that is from 0 to below 2 to the `bits`; a `truth` is a bool."""

    bits: int
    truth = False


def coded(text: str, bits: int, truth: bool = False) -> Code:
    code = Code(text)
    code.bits, code.truth = bits, truth
    return code


def fits(code: str, bits: int) -> bool:
    """Return whether an expression needs no mask of so many bits."""
    return isinstance(code, Code) and code.bits <= bits


def is_truth(code: str) -> bool:
    """Return whether an expression is a bool."""
    return isinstance(code, Code) and code.truth


def masked(code: str, bits: int) -> str:
    return code if fits(code, bits) else coded(f"({(1 << bits) - 1:#x} & {code})", bits)


def whole(code: str, bits: int) -> str:
    """Return the expression as an int of so many bits."""
    if is_truth(code):
        return coded(f"(0x1 & {code})", 1)
    return masked(code, bits)


class _Both:
    def on_value(self, value):
        code = super(_pyrtl._ValueCompiler, self).on_value(value)
        if isinstance(code, str) and len(code) > 1000:
            name = self.emitter.def_var("expr_split", code)
            return coded(name, code.bits, code.truth) if isinstance(code, Code) else name
        return code


class Reads(_Both, _pyrtl._RHSValueCompiler):
    """The code of what is read."""

    def unsigned(self, value: Value) -> str:
        return masked(self(value), len(value))

    def sign(self, value):
        return super().sign(value) if value.shape().signed else whole(self(value), len(value))

    def on_Const(self, value):  # noqa: N802
        code = super().on_Const(value)
        return coded(code, value.value.bit_length()) if value.value >= 0 else f"({code})"

    def on_Signal(self, value):  # noqa: N802
        code = super().on_Signal(value)
        return code if value.shape().signed else coded(code, len(value))

    def on_Operator(self, value):  # noqa: N802
        operator, operands = value.operator, value.operands
        if any(operand.shape().signed for operand in operands):
            code = super().on_Operator(value)
            return coded(code, 1, truth=True) if operator in TRUTHS else code
        if operator == "s":
            return self(operands[0])
        codes = [self.unsigned(operand) for operand in operands]
        if len(codes) == 2:
            first, second = codes
            if operator in ("//", "%"):
                name = "zdiv" if operator == "//" else "zmod"
                return coded(f"{name}({first}, {second})", len(value))
            code = f"({first} {operator} {second})"
            if operator == "-":
                return code
            truth = operator in TRUTHS or (operator in BITWISE and all(map(is_truth, codes)))
            return coded(code, len(value), truth)
        (first,), bits = codes, len(operands[0])
        match operator:
            case "~":
                return coded(f"({(1 << bits) - 1:#x} ^ {first})", bits)
            case "-":
                return f"(-{first})"
            case "b" | "r|":
                return first if bits == 1 else coded(f"(0 != {first})", 1, truth=True)
            case "r&":
                return coded(f"({(1 << bits) - 1:#x} == {first})", 1, truth=True)
            case "r^":
                return coded(f"(1 & ({first}).bit_count())", 1)
            case "u":
                return first
        raise NotImplementedError(operator)

    def on_Slice(self, value):  # noqa: N802
        code = self(value.value)
        if fits(code, value.stop) and not value.start:
            return code
        shifted = f"({code} >> {value.start})" if value.start else code
        if fits(code, value.stop):
            return coded(shifted, len(value))
        return masked(shifted, len(value))

    def on_Part(self, value):  # noqa: N802
        offset = f"{value.stride} * {self.rrhs.unsigned(value.offset)}"
        mask = (1 << value.width) - 1
        return coded(f"({mask:#x} & ({self(value.value)} >> ({offset})))", value.width)

    def on_Concat(self, value):  # noqa: N802
        parts, offset = [], 0
        for part in value.parts:
            if not (isinstance(part, Const) and not part.value):
                code = whole(self(part), len(part))
                parts.append(f"({code} << {offset})" if offset else code)
            offset += len(part)
        return coded(f"({' | '.join(parts)})" if parts else "0", offset)

    def on_SwitchValue(self, value):  # noqa: N802
        if [patterns for patterns, _ in value.cases] == [("0",), None]:
            low, high = (self.sign(each) for _, each in value.cases)
            code = f"({high} if {self.rrhs.unsigned(value.test)} else {low})"
        else:
            code = super().on_SwitchValue(value)
        return code if value.shape().signed else coded(code, len(value))


class Writes(_Both, _pyrtl._LHSValueCompiler):
    """The code of what is written."""

    def on_Signal(self, value):  # noqa: N802
        slow = super().on_Signal(value)
        name, bits = f"next_{self.state.get_signal(value)}", len(value)

        def assign(code):
            if value.shape().signed:
                slow(code)
            else:
                self.emitter.append(f"{name} = {whole(code, bits)}")

        return assign

    def on_Slice(self, value):  # noqa: N802
        bits, inner = len(value), value.value
        if not bits:
            return lambda code: None
        kept = ~((1 << bits) - 1 << value.start)

        def assign(code):
            new = masked(code, bits)
            shifted = f"({new} << {value.start})" if value.start else new
            self(inner)(coded(f"({self.lrhs(inner)} & {kept:#x} | {shifted})", len(inner)))

        return assign


class Statements(_pyrtl._StatementCompiler):
    """The code of statements: a chain of conditions ends at the first that is met."""

    def on_Switch(self, stmt):  # noqa: N802
        tests = stmt.test.parts if isinstance(stmt.test, Concat) else [stmt.test]
        places = [_place(patterns) for patterns, *_ in stmt.cases]
        if not stmt.cases or None in places or any(len(test) != 1 for test in tests):
            super().on_Switch(stmt)
            return
        conditions = [self.rhs.unsigned(test) for test in tests]
        word = "if"
        for (_, statements, _), (place, wanted) in zip(stmt.cases, places, strict=True):
            condition = "True" if place < 0 else conditions[place]
            self.emitter.append(f"{word} {condition if wanted else f'not {condition}'}:")
            with self.emitter.indent():
                self(statements)
            word = "elif"


def _place(patterns):
    """Return the bit that a case looks at and its value, or None if it looks at several.

    Bit -1 is that of the default.
    """
    if patterns is None:
        return -1, True
    if len(patterns) != 1:
        return None
    (pattern,) = patterns
    looked = [place for place, bit in enumerate(reversed(pattern)) if bit != "-"]
    if len(looked) != 1:
        return None
    return looked[0], pattern[-1 - looked[0]] == "1"
