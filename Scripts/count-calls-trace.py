"""What gdb runs for Scripts/count-calls: notes the stack whenever a load of a program reaches a station.

The file FUNCTIONS has a line for each function of interest: `begin`, `end`, `station` or `async`, and its address in the program, or
a symbol of a library. TRACE gets what happens between the second `begin` and the `end` that follows: for each station that is reached
a line with the symbols on the stack, innermost first; for each async function that is called a line with its symbol and that of the
function that waits for it.
"""

import os

import gdb

# Of a load there are at most some dozens; a station that is reached more often is one of something else.
MOST_HITS = 100
lines, hits = [], {}


def name_at(address):
    return gdb.execute(f"info symbol {address}", to_string=True).split()[0]


class Begin(gdb.Breakpoint):
    loads = 0

    def stop(self):
        self.loads += 1
        return self.loads == 2


class End(gdb.Breakpoint):
    def stop(self):
        return True


class Station(gdb.Breakpoint):
    def stop(self):
        hits[self.location] = hits.get(self.location, 0) + 1
        self.enabled = hits[self.location] < MOST_HITS
        names, frame = [], gdb.newest_frame()
        while frame is not None:
            names.append(frame.name() or "?")
            frame = frame.older()
        lines.append(("station", *names))
        return False


class AsyncFunction(gdb.Breakpoint):
    """At its entry r14 has its context (on x86_64), the second word of which is where its caller is resumed."""

    def stop(self):
        self.enabled = False
        pointer = gdb.lookup_type("long").pointer()
        caller = (gdb.parse_and_eval("$r14").cast(pointer) + 1).dereference()
        lines.append(("async", gdb.newest_frame().name(), name_at(int(caller))))
        return False


def main():
    for setting in ("pagination off", "confirm off", "print thread-events off", "breakpoint always-inserted on", "breakpoint pending on"):
        gdb.execute(f"set {setting}")
    gdb.execute("handle SIGPIPE nostop noprint pass", to_string=True)
    with open(os.environ["FUNCTIONS"]) as file:
        functions = [line.split() for line in file]

    gdb.execute("break main", to_string=True)
    gdb.execute("run", to_string=True)
    program = gdb.current_progspace().filename
    mappings = gdb.execute("info proc mappings", to_string=True).splitlines()
    start = int(next(line for line in mappings if line.endswith(program)).split()[0], 16)

    def place(kind, make):
        for each, function in functions:
            if each == kind:
                # Of the program exactly the entry: a function's name would stand for the end of its prologue. Of a library the
                # function itself: an address would be that of the program's stub for it.
                make(f"*{start + int(function, 16):#x}" if function[0].isdigit() else function, internal=True).silent = True

    place("begin", Begin)
    gdb.execute("continue", to_string=True)
    for kind, make in (("station", Station), ("async", AsyncFunction), ("end", End)):
        place(kind, make)
    gdb.execute("continue", to_string=True)
    gdb.execute("kill", to_string=True)
    with open(os.environ["TRACE"], "w") as file:
        for line in lines:
            print(*line, file=file)


main()
