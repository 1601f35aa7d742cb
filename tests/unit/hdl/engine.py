# SPDX-License-Identifier: Apache-2.0
"""Amaranth's simulator, faster: for components with one clock, driven by test benches.

Combinational logic is evaluated in the order of its dependencies, and what benches set takes
effect when one looks, or when all wait. Amaranth's own engine comes to the same in many steps.
"""

import heapq
import re
from functools import lru_cache
from typing import Any, NamedTuple
from unittest.mock import patch

from amaranth.hdl import Const, DriverConflict, ShapeCastable, Signal, Value, ValueCastable
from amaranth.hdl._ast import Slice
from amaranth.lib import data
from amaranth.sim import BrokenTrigger, DomainReset, _pyrtl, pysim
from amaranth.sim._async import AsyncProcess, TestbenchContext
from amaranth.sim._pyeval import eval_assign, eval_value

from .expressions import Reads, Statements, Writes

MOST_KEPT = 4096
_UPDATE = re.compile(r"( *)slots\[(\d+)\]\.update\((next_\d+), (-?\d+)\)")
_WRITE = re.compile(r"( *)(slots\[\d+\]\.write\(.*, (write_en_\d+)\))")
_SLOT = re.compile(r"slots\[(\d+)\]")


class _Woken(NamedTuple):
    """A process that runs when what it reads changes, or has an edge."""

    process: Any
    polarity: int | None = None


class _SignalState:
    __slots__ = ("clock", "curr", "is_comb", "next", "pending", "readers", "signal", "wakers")

    def __init__(self, signal, slots) -> None:
        self.signal, self.pending = signal, slots.pending
        self.is_comb, self.readers, self.clock, self.wakers = False, 0, None, []
        self.reset()

    def reset(self) -> None:
        self.curr = self.next = self.signal.init

    def add_waker(self, waker) -> None:
        self.wakers.append(waker)

    def update(self, value, mask=~0) -> None:
        value = self.next & ~mask | value & mask
        if value != self.next:
            self.next = value
            self.pending.append(self)


class _MemoryState(pysim._PyMemoryState):
    __slots__ = ("readers",)

    def __init__(self, memory, slots) -> None:
        super().__init__(memory, slots.written)
        self.readers = 0

    def add_waker(self, waker) -> None:
        self.wakers.append(waker)

    def read(self, addr):
        return self.data[addr] if addr < len(self.data) else 0


class _Slots(list):
    """The states of all signals and memories, and which may have something to commit."""

    def __init__(self) -> None:
        self.pending, self.written = [], set()


class _State(pysim._PyEngineState):
    """Of all signals and memories, and the times to come."""

    def __init__(self) -> None:
        super().__init__()
        self.slots, self.now, self.times, self.armed = _Slots(), 0, [], 0

    def reset(self) -> None:
        for state in self.slots:
            state.reset()
        self.slots.pending.clear()
        self.slots.written.clear()
        self.now, self.times = 0, []

    def _slot(self, kind, places, item) -> int:
        if item not in places:
            places[item] = len(self.slots)
            self.slots.append(kind(item, self.slots))
        return places[item]

    def get_signal(self, signal) -> int:
        return self._slot(_SignalState, self.signals, signal)

    def get_memory(self, memory) -> int:
        return self._slot(_MemoryState, self.memories, memory)

    def set_delay_waker(self, interval, waker) -> None:
        self.armed += 1
        heapq.heappush(self.times, (self.now + interval, self.armed, waker))

    def advance(self) -> None:
        """Go to the next time at which something is to come, and wake that."""
        times = self.times
        if times:
            self.now = times[0][0]
            while times and times[0][0] == self.now:
                heapq.heappop(times)[2]()


class _Clock:
    """What rises: its processes, and the benches that wait for it."""

    def __init__(self) -> None:
        self.runs, self.waits, self.edges = [], [], 0

    def rise(self) -> None:
        """Sample what benches wait for, and run the processes."""
        self.edges += 1
        waits, self.waits = self.waits, []
        for wait in waits:
            if not wait.is_over():
                self.waits.append(wait)
        for run in self.runs:
            run()


class _Wait:
    """One of a bench: for so many edges, or for one where a condition is met, or for a reset."""

    __slots__ = ("condition", "left", "process", "tick", "values", "was_reset")

    def __init__(self, tick, left=1, condition=None) -> None:
        self.tick, self.left, self.condition = tick, left, condition
        self.process = tick.context._process

    def is_over(self) -> bool:
        tick = self.tick
        self.was_reset = bool(tick.reset is not None and tick.reset.curr)
        if not self.was_reset:
            self.left -= 1
            if self.left > 0 if self.condition is None else not self.condition():
                return False
        self.values = tuple([read() for read in tick.reads])
        self.process.runnable = True
        return True

    def __await__(self):
        self.tick.clock.waits.append(self)
        yield self

    def initial_eligible(self) -> bool:
        return False


class _Tick:
    """Amaranth's TickTrigger."""

    __slots__ = ("clock", "context", "reads", "reset")

    def __init__(self, context, clock, reset, reads=()) -> None:
        self.context, self.clock, self.reset, self.reads = context, clock, reset, reads

    def sample(self, *exprs):
        reader = self.context._engine.reader
        reads = (*self.reads, *[reader(expr) for expr in exprs])
        return _Tick(self.context, self.clock, self.reset, reads)

    async def until(self, condition):
        return await self._whole(_Wait(self, condition=self.context._engine.reader(condition)))

    async def repeat(self, count):
        if count <= 0:
            raise ValueError(f"Repeat count must be a positive integer, not {count!r}")
        return await self._whole(_Wait(self, left=count))

    async def _whole(self, wait):
        await wait
        if wait.was_reset:
            raise DomainReset
        return wait.values

    def __await__(self):
        wait = _Wait(self)
        yield from wait.__await__()
        return (True, wait.was_reset, *wait.values)

    async def __aiter__(self):
        while True:
            values = await self
            edges = self.clock.edges
            yield values
            if self.clock.edges != edges:
                raise BrokenTrigger


class _Context(TestbenchContext):
    """Amaranth's context of a bench."""

    def get(self, expr):
        engine = self._engine
        if engine.slots.pending or engine.slots.written:
            engine.step_design()
        return engine.reader(expr)()

    def set(self, expr, value) -> None:
        self._engine.writer(expr)(value)

    def tick(self, domain="sync", *, context=None):
        if (domain, context) not in self.ticks:
            trigger = super().tick(domain, context=context)
            self.ticks[domain, context] = self._engine.tick_of(self, trigger._domain)
        return self.ticks[domain, context]

    def changed(self, *signals):
        raise NotImplementedError("benches wait for clocks and times")

    def edge(self, signal, polarity):
        raise NotImplementedError("benches wait for clocks and times")


class _Bench(AsyncProcess):
    def __init__(self, design, engine, constructor, *, background) -> None:
        self.constructor, self.background = constructor, background
        self.context = _Context(design, engine, self)
        self.context.ticks = {}
        self.reset()


class Engine(pysim.PySimEngine):
    """Simulator(dut, engine=Engine) does what Simulator(dut) does."""

    def __init__(self, design) -> None:
        self._design, self._state, self._testbenches = design, _State(), []
        self._active_triggers, self._starts = set(), []
        self.slots = self._state.slots
        self._risen, self._readers, self._writers, self._packers = [], {}, {}, {}
        with patch.multiple(
            _pyrtl,
            create=True,
            compile=self._compiled,
            comb_waker=_Woken,
            edge_waker=_Woken,
            memory_waker=_Woken,
            _RHSValueCompiler=Reads,
            _LHSValueCompiler=Writes,
            _StatementCompiler=Statements,
        ):
            processes = _pyrtl._FragmentCompiler(self._state)(design.fragment)
        self._order(processes)

    def _order(self, processes) -> None:
        """Number the combinational processes so that each is behind what it reads, if possible."""
        slots, behind, read = self.slots, [], {}
        for place, state in enumerate(slots):
            woken, state.wakers = state.wakers, []
            for process, polarity in woken:
                if polarity is None:
                    read.setdefault(place, []).append(process)
                elif polarity and not state.is_comb:
                    self._clock(state).runs.append(process.run)
                else:
                    raise NotImplementedError(f"{state.signal!r} falls, or is made of logic")
        seen = set()

        def visit(process) -> None:
            seen.add(process)
            for name in process.run.__code__.co_varnames:
                if name.startswith("next_"):
                    for reader in read.get(int(name.removeprefix("next_")), ()):
                        if reader not in seen:
                            visit(reader)
            behind.append(process)

        for process in processes:
            if process.is_comb and process not in seen:
                visit(process)
        behind.reverse()
        self._logic = [process.run for process in behind]
        bits = {process: 1 << place for place, process in enumerate(behind)}
        for place, readers in read.items():
            slots[place].readers = sum(bits[reader] for reader in set(readers))
        self._woken = (1 << len(behind)) - 1

    def _compiled(self, text: str, filename: str, mode: str):
        """Compile a process, whose slots are local; one of logic returns whom its changes wake."""
        clocked = ".next\n" in text

        def updated(match) -> str:
            space, slot, new, mask = match.groups()
            signal = self.slots[int(slot)].signal
            lines = [f"if {new} != s{slot}.next:", f"    s{slot}.next = {new}"]
            if int(mask) not in (-1, (1 << len(signal)) - 1):
                lines.insert(0, f"{new} = s{slot}.next & ~{mask} | {new} & {mask}")
            if clocked:
                lines.append(f"    changed(s{slot})")
            else:
                lines += [f"    s{slot}.curr = {new}", f"    woken |= s{slot}.readers"]
            return "\n".join(space + line for line in lines)

        body = _UPDATE.sub(updated, text.removeprefix("def run():\n"))
        body = _SLOT.sub(r"s\1", _WRITE.sub(r"\1if \3: \2", body))
        slots = sorted(set(re.findall(r"\bs(\d+)\.", body)))
        local = "".join(f", s{slot}=slots[{slot}]" for slot in slots)
        head = f"def run(changed=slots.pending.append{local}):\n    woken = 0\n"
        return _compile(f"{head}{body}    return woken\n", filename, mode)

    def _clock(self, state) -> _Clock:
        state.clock = state.clock or _Clock()
        return state.clock

    @property
    def now(self):
        return self._state.now

    def reset(self) -> None:
        self._state.reset()
        self._woken = (1 << len(self._logic)) - 1
        self._risen.clear()
        self._active_triggers.clear()
        for state in self.slots:
            if isinstance(state, _SignalState) and state.clock:
                state.clock.waits.clear()
        for bench in self._testbenches:
            bench.reset()
        for start in self._starts:
            start()

    def add_clock_process(self, clock, *, phase, period) -> None:
        state = self.slots[self._state.get_signal(clock)]
        if state.is_comb:
            raise DriverConflict("Clock signal is already driven by combinational logic")

        def rise() -> None:
            # Nothing looks at the falling edge.
            state.curr = 0
            state.next = 1
            self.slots.pending.append(state)
            self._state.set_delay_waker(period, rise)

        self._starts.append(lambda: self._state.set_delay_waker(phase, rise))
        self._starts[-1]()

    def add_async_process(self, simulator, process) -> None:
        raise NotImplementedError("only benches drive this engine")

    def add_async_testbench(self, simulator, process, *, background) -> None:
        self._testbenches.append(_Bench(self._design, self, process, background=background))

    def step_design(self) -> None:
        """Let all that was set take effect."""
        slots, logic = self.slots, self._logic
        woken, self._woken = self._woken, 0
        while True:
            if slots.pending or slots.written:
                woken |= self._commit()
            if self._active_triggers:
                for trigger in self._active_triggers:
                    trigger.run()
                self._active_triggers.clear()
            if self._risen:
                for clock in self._risen:
                    clock.rise()
                self._risen.clear()
                continue
            while woken:
                lowest = woken & -woken
                woken = woken ^ lowest | logic[lowest.bit_length() - 1]()
            return

    def _commit(self) -> int:
        """Commit what is set, and return the logic that looks at it."""
        slots, woken = self.slots, 0
        for state in slots.pending:
            new = state.next
            if state.curr != new:
                state.curr = new
                woken |= state.readers
                if new and state.clock:
                    self._risen.append(state.clock)
        slots.pending.clear()
        for memory in slots.written:
            memory.commit()
            woken |= memory.readers
        slots.written.clear()
        return woken

    def advance(self) -> bool:
        self.step_design()
        slots, settled = self.slots, False
        while not settled:
            settled = True
            for bench in self._testbenches:
                if bench.runnable:
                    bench.runnable = settled = False
                    bench.run()
            if slots.pending or slots.written:
                self.step_design()
        self._state.advance()
        return any(bench.critical for bench in self._testbenches)

    def tick_of(self, context, domain):
        if domain.clk_edge != "pos" or domain.async_reset:
            raise NotImplementedError(f"domain {domain.name!r} is not one of rising edges alone")
        slots, signal = self.slots, self._state.get_signal
        clock = self._clock(slots[signal(domain.clk)])
        return _Tick(context, clock, None if domain.rst is None else slots[signal(domain.rst)])

    def reader(self, expr):
        """Return a function that returns what an expression is."""
        return _kept(self._readers, expr, self._reader)

    def writer(self, expr):
        """Return a function that sets an expression."""
        return _kept(self._writers, expr, self._writer)

    def _place(self, value):
        """Return the state, the first bit and the mask of a part of a signal, or None."""
        start, bits = 0, len(value)
        while isinstance(value, Slice):
            start, value = start + value.start, value.value
        if isinstance(value, Signal) and not value.shape().signed:
            return self.slots[self._state.get_signal(value)], start, (1 << bits) - 1
        return None

    def _reader(self, expr):
        value = Value.cast(expr)
        place = self._place(value)
        if place:
            state, start, mask = place
            if start or mask != (1 << len(state.signal)) - 1:

                def read():
                    return state.curr >> start & mask
            else:

                def read():
                    return state.curr
        else:

            def read():
                return eval_value(self._state, value)

        shape = expr.shape() if isinstance(expr, ValueCastable) else None
        if isinstance(shape, ShapeCastable):
            return lambda: shape.from_bits(read())
        return read

    def _writer(self, expr):
        value = Value.cast(expr)
        shape = expr.shape() if isinstance(expr, ValueCastable) else None
        number = self._packer(shape) if isinstance(shape, ShapeCastable) else _number
        place = self._place(value)
        if place is None or place[0].is_comb:
            return lambda new: eval_assign(self._state, value, number(new))
        state, start, mask = place
        kept, pending = ~(mask << start), self.slots.pending

        def write(new) -> None:
            new = state.next & kept | (number(new) & mask) << start
            if state.next != new:
                state.next = new
                pending.append(state)

        return write

    def _packer(self, shape):
        """Return a function that returns a value of a shape as a number."""
        return _kept(self._packers, shape, self._pack)

    def _pack(self, shape):
        def slow(value):
            return Const.cast(shape.const(value)).value

        if isinstance(shape, type) and issubclass(shape, data.Struct):
            if shape._AggregateMeta__default:
                return slow
            shape = shape.as_shape()
        if not isinstance(shape, data.StructLayout):
            return slow
        fields = {}
        for name, field in shape:
            castable = isinstance(field.shape, ShapeCastable)
            number = self._packer(field.shape) if castable else _number
            fields[name] = field.offset, (1 << field.width) - 1, number

        def pack(value):
            if type(value) is not dict:
                return slow(value)
            whole = 0
            for name, part in value.items():
                offset, mask, number = fields[name]
                whole |= (number(part) & mask) << offset
            return whole

        return pack


_compile = lru_cache(maxsize=4096)(compile)


def _number(value) -> int:
    return int(value) if isinstance(value, int) else Const.cast(value).value


def _kept(made, item, make):
    """Return what was made of an item, which is held so that no other has its id."""
    found = made.get(id(item))
    if found is None:
        if len(made) >= MOST_KEPT:
            made.clear()
        found = made[id(item)] = item, make(item)
    return found[1]
