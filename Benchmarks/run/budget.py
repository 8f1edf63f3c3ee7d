"""Counts what a load costs that goes directly, and compares that with its budget.

    python3 Benchmarks/run/budget.py FOLDER SWIFT FILE

Callgrind counts how often each instruction is executed, with few and with many loads by HTTP of 1 KB, on the executor of the loads: the
difference is that of the loads. What is counted of one load:

- instructions, and objects that Swift allocates, 64 loads at once;
- lines of code, 64 bytes each, that are executed in at least every second load, and atomic operations, one load after another. These decide
  where few loads are under way: each line is fetched once a load.

FILE says with which compiler, libraries and processor it has to hold (instructions.json); with others the counts are printed alone.
"""

import argparse
import json
import os
import re
import subprocess

import machine
from callgrind import Profile
from fixtures import Fixtures
from serving import serving

LINE = 64
# How many at once, and how many in all.
BATCHES, SINGLES = (64, 1000, 5000), (1, 100, 500)
# On a busy machine answers come in more pieces, never in fewer: the least counts.
RUNS = 3
URLS = 10_000
BUDGET = {"instructions": 118_000, "lines of code": 2_600, "atomic operations": 280, "objects": 10}
ATOMIC = re.compile(r"^\s*([0-9a-f]+):\t(?:\S* )*?(?:lock |xchg\s.*\()")


def executions(program, urls, batch, environment):
    concurrency, few, many = batch
    environment = {**environment, "CONNECTIONS": str(concurrency)}
    runs = [Profile([program, f"@{urls}", str(loads), str(concurrency), "loop"], environment) for loads in (few, many)]
    return runs[1].difference(runs[0], many - few)


def atomic_places(path):
    result = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True)
    return {int(found.group(1), 16) for line in result.stdout.splitlines() if (found := ATOMIC.match(line))}


def place(path, name):
    """Where a function begins; none where an object has no such function."""
    for option in ((), ("-D",)):
        result = subprocess.run(["nm", "--defined-only", *option, path], capture_output=True, text=True)
        if found := re.search(rf"^([0-9a-f]+) [TtWwVi] {name}(@.*)?$", result.stdout, re.M):
            return int(found.group(1), 16)
    return None


def measure(folder, swift):
    with serving(folder) as (servers, data, environment):
        fixtures, program = Fixtures(folder, data), f"{swift}/load-bench"
        fixtures.file(1024)
        urls = fixtures.urls([servers.http], "/of/1024/", URLS)
        batch, single = (
            min((executions(program, urls, work, environment) for _ in range(RUNS)), key=lambda counts: sum(counts.values()))
            for work in (BATCHES, SINGLES))
    objects = {path for path, _ in single if os.path.exists(path)}
    atomics = {path: atomic_places(path) for path in objects}
    allocation = {(path, place(path, "swift_allocObject")) for path in objects}
    lines = {}
    for (path, where), count in single.items():
        key = path, where // LINE
        lines[key] = max(lines.get(key, 0), count)
    return {
        "instructions": round(sum(batch.values())),
        "lines of code": sum(1 for count in lines.values() if count >= 0.5),
        "atomic operations": round(sum(count for (path, where), count in single.items() if where in atomics.get(path, ()))),
        "objects": round(sum(count for key, count in batch.items() if key in allocation), 1),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("folder", "swift"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("file", type=os.path.abspath)
    options = parser.parse_args()
    with open(options.file) as file:
        judges = json.load(file)["made_with"] == machine.made_with()
    found = measure(options.folder, options.swift)
    if missing := [name for name, count in found.items() if count == 0]:
        raise SystemExit(f"error: {', '.join(missing)}: nothing was found to count")
    for name, count in found.items():
        print(f"{name}: {count:,} a load, of {BUDGET[name]:,}")
    over = [name for name, count in found.items() if count > BUDGET[name]]
    if over and judges:
        raise SystemExit(f"A load that goes directly is over its budget: {', '.join(over)}.")


main()
