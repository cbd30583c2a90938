# SPDX-License-Identifier: Apache-2.0
"""Mete's tasks in gdb, of a live process and of a core.

    source /usr/local/share/mete/mete-gdb.py

    mete tasks          all tasks: handle, state, what they wait for, name, group
    mete cpus           Mete's CPUs: what they do, what is queued
    mete bt TASK...     the stacks of tasks, by handle, number or name
    mete bt all         the stacks of all tasks that live

The program needs debug information, as a build has by default.  Cores are the
kernel's: gdb's own generate-core-file leaves out memory with guard pages of the
light-weight kind, and so the stacks.

Nothing in the process is run or changed.  A task that is on a CPU is found by
its stack among the threads.  One that is not has left its registers in its
fiber: to walk from there, the thread's innermost frame is given another caller
by an unwinder of our own, which works on cores too.
"""

import re

import gdb
import gdb.unwinder

JOIN_STATE = 3  # of a join word; 0: nobody lives there
SLAB_TASKS, COLOURS, COLOUR_BYTES = 64, 32, 64  # src/sched/pool.h
MAX_DEPTH = 64  # of groups, should a pointer be torn
MAX_FRAMES = 64  # of a thread, above the one on a task's stack

# Kinds of waits that the dump spells out.
LONG_NAMES = {"other": "something", "sem": "semaphore", "cond": "condition"}

# Where a ucontext keeps registers: (register of gdb, path below uc_mcontext).
UCONTEXT = {
    "i386:x86-64": [
        (name, "gregs", index)
        for index, name in enumerate(
            "r8 r9 r10 r11 r12 r13 r14 r15 rdi rsi rbp rbx rdx rax rcx rsp rip"
            .split())
    ],
    "aarch64": [("x%d" % i, "regs", i) for i in range(31)]
    + [("sp", "sp", None), ("pc", "pc", None)],
}


class Trouble(gdb.GdbError):
    """Said in one line."""


def places_of(location):
    """All of them: a program may hold the library twice."""
    try:
        return gdb.decode_line(location)[1] or ()
    except gdb.error:
        return ()


def find_runtime():
    """The struct sched that runs; a program may hold the simulator's too."""
    stopped = None
    for place in places_of("sched_start"):
        for symbol in place.symtab.global_block():
            if symbol.name != "sched" or not symbol.is_variable:
                continue
            value = symbol.value()
            if value.type.sizeof and int(value["running"]["value"]):
                return value
            stopped = value
    if stopped is None:
        raise Trouble("mete: no debug information of Mete in this program")
    raise Trouble("mete: no runtime is started")


def enum_names(tag, prefix):
    """{value: name} of an enumeration, the names without their prefix."""
    try:
        fields = gdb.lookup_type("enum " + tag).fields()
    except gdb.error:
        return {}
    return {f.enumval: f.name[len(prefix):].lower() for f in fields}


def enum_value(tag, name):
    for field in gdb.lookup_type("enum " + tag).fields():
        if field.name == name:
            return field.enumval
    raise Trouble("mete: enum %s has no %s" % (tag, name))


class Reader:
    """Fields of many structs, out of one read of memory."""

    def __init__(self, tag, paths):
        self.type = gdb.lookup_type("struct " + tag)
        self.at = {path: self.place(path) for path in paths}
        big = "big" in gdb.execute("show endian", to_string=True)
        self.order = "big" if big else "little"

    def place(self, path):
        """Offset and size in bytes."""
        offset, kind = 0, self.type
        for name in path.split("."):
            field = [f for f in kind.strip_typedefs().fields()
                     if f.name == name][0]
            offset += field.bitpos // 8
            kind = field.type
        return offset, kind.sizeof

    def number(self, memory, base, path):
        offset, size = self.at[path]
        raw = bytes(memory[base + offset:base + offset + size])
        return int.from_bytes(raw, self.order)

    def string(self, memory, base, path):
        offset, size = self.at[path]
        raw = bytes(memory[base + offset:base + offset + size])
        return raw.split(b"\0")[0].decode("utf-8", "replace")


def read_memory(address, size):
    return gdb.selected_inferior().read_memory(address, size)


class Task:
    """What the table says of one task."""

    def __init__(self, runtime, memory, base, address):
        def number(path):
            return runtime.reader.number(memory, base, path)

        self.alive = number("join.value") & JOIN_STATE != 0
        if not self.alive:
            return
        self.runtime = runtime
        self.address = address
        self.generation = number("generation.value")
        self.number = number("number") + 1
        self.handle = self.generation << 32 | self.number
        self.word = number("state.value")
        self.cpu = number("books.cpu.value")
        self.group = number("group.value")
        self.awaits = number("awaits.value")
        self.stack = number("stack.base")
        self.stack_end = self.stack + number("stack.bytes")
        self.fn = number("fn")
        self.name = runtime.reader.string(memory, base, "name")

    def state(self):
        name = self.runtime.states.get(self.word & 0x0f, "?")
        if name in ("ready", "running"):
            on = self.runtime.current_of(self.cpu) == self.address
            return "running" if on else "ready"
        return name

    def waits_for(self):
        if self.state() != "blocked":
            return "-"
        kinds = self.runtime.kinds
        kind = self.word // self.runtime.kind_unit % max(len(kinds), 1)
        name = kinds.get(kind, "?")
        if not self.awaits:
            return name
        what = self.awaits
        if name == "join":
            joined = self.runtime.task_at((what & 0xffffffff) - 1)
            what = joined.handle if joined and joined.alive else what
        return "%s 0x%x" % (name, what)

    def title(self):
        return 'task 0x%016x %s "%s"' % (self.handle, self.state(), self.name)

    def context(self):
        """Where it left off: {register: value}, or None."""
        task = gdb.Value(self.address).cast(self.runtime.task_pointer)
        return saved_registers(task.dereference()["fiber"]["context"])

    def begun(self, registers):
        """Has it ever been switched to?"""
        return registers["pc"] not in self.runtime.entries


def saved_registers(context):
    """The registers in a struct arch_context, pc and sp among them."""
    names = [f.name for f in context.type.fields()]
    if "stack_pointer" in names:
        found = {
            "rip": int(context["instruction"]),
            "rsp": int(context["stack_pointer"]),
            "rbp": int(context["frame_pointer"]),
        }
    else:
        found = {}
        machine = context["context"]["uc_mcontext"]
        for register, field, index in UCONTEXT.get(architecture(), []):
            value = machine[field]
            found[register] = int(value if index is None else value[index])
    mask = (1 << 64) - 1
    found = {name: value & mask for name, value in found.items()}
    for name, alias in (("rip", "pc"), ("rsp", "sp")):
        if name in found:
            found[alias] = found[name]
    if "pc" not in found:
        raise Trouble("mete: where tasks leave off is not known for %s"
                      % architecture())
    return found


def architecture():
    return gdb.selected_inferior().architecture().name()


class Runtime:
    """The runtime as it stands; read anew for each command."""

    FIELDS = ["generation.value", "number", "state.value", "join.value",
              "books.cpu.value", "group.value", "awaits.value", "stack.base",
              "stack.bytes", "fn", "name"]

    def __init__(self):
        self.sched = find_runtime()
        self.task_pointer = gdb.lookup_type("struct task").pointer()
        self.slab_pointer = gdb.lookup_type("struct pool_slab").pointer()
        self.reader = Reader("task", self.FIELDS)
        self.states = enum_names("task_state", "TASK_")
        # Flags and masks share the enumeration with the states.
        self.states = {v: n for v, n in self.states.items() if v < 0x0f}
        self.kinds = enum_names("wait_kind", "WAIT_")
        self.kinds = {v: LONG_NAMES.get(n, n)
                      for v, n in self.kinds.items() if n != "kinds"}
        self.kind_unit = enum_value("task_state", "TASK_KIND")
        self.paths = {}
        self.currents = {}
        self.entries = {place.pc for place in places_of("*sched_entry")}

    def cpus(self):
        for i in range(int(self.sched["cpus"])):
            yield self.sched["cpu"][i].dereference()

    def current_of(self, cpu):
        """The address of the task that runs there, 0: none."""
        if cpu >= int(self.sched["cpus"]):
            return 0
        if cpu not in self.currents:
            found = self.sched["cpu"][cpu].dereference()["current"]["value"]
            self.currents[cpu] = int(found)
        return self.currents[cpu]

    def slab_at(self, index):
        """64 tasks at the top of their stacks: src/sched/pool.h."""
        table = self.sched["slabs"]
        if not 0 <= index < int(table["count"]["value"]):
            return None
        shift = int(table["chunk_shift"])
        size = int(table["entry_bytes"])
        chunk = int(table["chunk"][index >> shift]["value"])
        address = chunk + (index & (1 << shift) - 1) * size
        return gdb.Value(address).cast(self.slab_pointer).dereference()

    def task_of(self, slab, index):
        if not int(slab["born"]["value"]) >> index & 1:
            return None
        address = (int(slab["first"]) + index * int(slab["stride"])
                   - index % COLOURS * COLOUR_BYTES)
        size = self.task_pointer.target().sizeof
        return Task(self, read_memory(address, size), 0, address)

    def tasks(self):
        for i in range(int(self.sched["slabs"]["count"]["value"])):
            slab = self.slab_at(i)
            for index in range(SLAB_TASKS):
                task = self.task_of(slab, index)
                if task and task.alive:
                    yield task

    def task_at(self, number):
        slab = self.slab_at(number // SLAB_TASKS)
        if slab is None:
            return None
        return self.task_of(slab, number % SLAB_TASKS)

    def path(self, group):
        if group not in self.paths:
            pointer = gdb.lookup_type("struct acct_group").pointer()
            names, at = [], gdb.Value(group).cast(pointer)
            while int(at) and int(at["parent"]) and len(names) < MAX_DEPTH:
                names.insert(0, at["name"].string(errors="replace"))
                at = at["parent"]
            self.paths[group] = "/" + "/".join(names)
        return self.paths[group]

    def find(self, words):
        """The tasks that are meant: a handle, a number or a name each."""
        if words == ["all"]:
            yield from self.tasks()
            return
        for word in words:
            found = False
            for task in self.tasks():
                if meant(word, task):
                    found = True
                    yield task
            if not found:
                raise Trouble("mete: no task '%s'" % word)


def meant(word, task):
    if word == task.name:
        return True
    try:
        number = int(word, 0)
    except ValueError:
        return False
    return number in (task.handle, task.number)


class ParkedUnwinder(gdb.unwinder.Unwinder):
    """While it is aimed, the thread's innermost frame was called from where a
    task left off."""

    def __init__(self):
        super().__init__("mete-parked")
        self.aim = None

    def __call__(self, pending):
        if self.aim is None:
            return None
        here, registers = self.aim
        stack_pointer = pending.read_register("sp")
        program_counter = pending.read_register("pc")
        if (int(program_counter), int(stack_pointer)) != here:
            return None
        # gdb wants callers further out than whom they call.
        inner = gdb.Value(registers["sp"]).cast(stack_pointer.type)
        info = pending.create_unwind_info(FrameId(inner, program_counter))
        for name, value in registers.items():
            if name in ("pc", "sp") and "rip" in registers:
                continue
            kind = pending.read_register(name).type
            info.add_saved_register(name, gdb.Value(value).cast(kind))
        return info


class FrameId:
    def __init__(self, stack_pointer, program_counter):
        self.sp = stack_pointer
        self.pc = program_counter


UNWINDER = ParkedUnwinder()
gdb.unwinder.register_unwinder(None, UNWINDER, replace=True)


FIRST_FRAME = re.compile(r"^#.* sched_entry \(")  # of every task


def frame_lines(first):
    """gdb's own backtrace, from the frame `first` on, which becomes #0."""
    text = gdb.execute("backtrace", to_string=True)
    lines, number = [], 0
    for line in text.splitlines():
        words = line.split(None, 1)
        if line.startswith("#") and words[0][1:].isdigit():
            number = int(words[0][1:]) - first
            if number >= 0:
                lines.append("#%-3d%s" % (number, words[1]))
        else:
            lines.append(line)
        if number >= 0 and FIRST_FRAME.search(line):
            break
    return lines


def own_frames():
    """How many of the thread's frames stand before the other caller's: its
    innermost and what was inlined into that."""
    count, frame = 1, gdb.newest_frame()
    while frame is not None and frame.type() == gdb.INLINE_FRAME:
        count, frame = count + 1, frame.older()
    return count


def parked_lines(registers):
    """The backtrace from where a task left off."""
    frame = gdb.newest_frame()
    here = (int(frame.read_register("pc")), int(frame.read_register("sp")))
    UNWINDER.aim = (here, registers)
    gdb.invalidate_cached_frames()
    try:
        return frame_lines(own_frames())
    finally:
        UNWINDER.aim = None
        gdb.invalidate_cached_frames()


def thread_lines(task):
    """The backtrace of the thread that is on the task's stack, or None."""
    for thread in gdb.selected_inferior().threads():
        if not thread.is_valid():
            continue
        thread.switch()
        frame, depth = gdb.newest_frame(), 0
        while frame is not None and depth < MAX_FRAMES:
            at = int(frame.read_register("sp"))
            if task.stack <= at <= task.stack_end:
                return ["thread %d" % thread.num] + frame_lines(0)
            frame, depth = frame.older(), depth + 1
    return None


class Mete(gdb.Command):
    """Tasks and CPUs of Mete: mete tasks, mete cpus, mete bt TASK."""

    def __init__(self):
        super().__init__("mete", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)


class MeteTasks(gdb.Command):
    """List the tasks that live or wait to be joined."""

    def __init__(self):
        super().__init__("mete tasks", gdb.COMMAND_STATUS)

    def invoke(self, _arg, _from_tty):
        runtime = Runtime()
        form = "%-18s %-8s %-4s %-26s %s"
        print(form % ("TASK", "STATE", "CPU", "WAITS FOR", "NAME GROUP"))
        count = 0
        for task in runtime.tasks():
            cpu = task.cpu
            where = cpu if cpu < int(runtime.sched["cpus"]) else "-"
            print(form % ("0x%016x" % task.handle, task.state(), where,
                          task.waits_for(),
                          '"%s" %s' % (task.name, runtime.path(task.group))))
            count += 1
        print("%d tasks" % count)


class MeteCpus(gdb.Command):
    """List Mete's CPUs."""

    def __init__(self):
        super().__init__("mete cpus", gdb.COMMAND_STATUS)

    def invoke(self, _arg, _from_tty):
        runtime = Runtime()
        form = "%-4s %-8s %-18s %-8s %-6s %s"
        print(form % ("CPU", "STATE", "TASK", "QUEUED", "BOUND", "WAKES"))
        for i, cpu in enumerate(runtime.cpus()):
            address = int(cpu["current"]["value"])
            state = "parked" if int(cpu["parked"]["value"]) else "awake"
            handle = "-"
            if address:
                size = runtime.reader.type.sizeof
                memory = read_memory(address, size)
                task = Task(runtime, memory, 0, address)
                state, handle = "busy", "0x%016x" % task.handle
            queue = cpu["queue"]
            queued = int(queue["tail"]["value"]) - int(queue["head"]["value"])
            wakes = (int(cpu["wakes"]["head"]["value"])
                     or int(cpu["bound_wakes"]["head"]["value"]))
            print(form % (i, state, handle, queued,
                          int(cpu["bound_count"]["value"]),
                          "some" if wakes else "none"))


class MeteBt(gdb.Command):
    """Show the stacks of tasks, by handle, number or name: mete bt TASK... | all."""

    def __init__(self):
        super().__init__("mete bt", gdb.COMMAND_STACK)

    def invoke(self, arg, _from_tty):
        words = gdb.string_to_argv(arg)
        if not words:
            raise Trouble("mete bt: a task is expected, or all")
        selected = gdb.selected_thread()
        if selected is None:
            raise Trouble("mete bt: no process and no core")
        runtime = Runtime()
        try:
            for task in runtime.find(words):
                print(task.title())
                for line in self.lines(task):
                    print(line)
        finally:
            selected.switch()

    @staticmethod
    def lines(task):
        if task.state() == "ended":
            return ["has ended"]
        on_thread = thread_lines(task)
        if on_thread:
            return on_thread
        registers = task.context()
        if not task.begun(registers):
            where = gdb.execute("info symbol 0x%x" % task.fn, to_string=True)
            return ["has not begun: " + where.split(" in section")[0].strip()]
        return parked_lines(registers)


Mete()
MeteTasks()
MeteCpus()
MeteBt()
