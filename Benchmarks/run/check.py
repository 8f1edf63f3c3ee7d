"""Counts what a load costs in instructions, and compares that with what is written down.

    python3 Benchmarks/run/check.py FOLDER SWIFT FILE [--write]

Callgrind counts the same work twice, once with few and once with many loads: the difference is free of what starting a process
costs. Counts depend on the compiler, the libraries and the processor. FILE says which these were; where they are others now, nothing
is compared.
"""

import argparse
import json
import os
import random
import re
import subprocess
import urllib.parse
import zipfile

import machine
from fixtures import Fixtures
from serving import serving

FEW, MANY = 50, 350
MOST_RUNS, AGREEMENT = 10, 0.005
MOST_GROWTH = 0.05


def members(path):
    """A zip of small members, the same every time."""
    source = random.Random(5)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(MANY):
            text = b" ".join(source.choices((b"alpha", b"beta", b"gamma", b"delta"), k=700))
            archive.writestr(zipfile.ZipInfo(f"members/{number}"), text, zipfile.ZIP_DEFLATED)
    return urllib.parse.quote(f"file://{path}", safe="-._~")


def works(swift, servers, fixtures):
    """Name, program, and URL."""
    load, plugin = f"{swift}/load-bench", f"{swift}/plugin-bench"
    fixtures.file(1024)
    sftp = f"sftp://{servers.user}@127.0.0.1:{servers.ssh}"
    return {
        "http, 1 KB": (load, f"{servers.http}/1024"),
        "http, 1 KB, many URLs": (load, f"@{fixtures.urls([servers.http], '/of/1024/', MANY)}"),
        "file, 64 KB": (load, f"file://{fixtures.file(65536)}"),
        "data, 64 KB in base64": (load, f"@{fixtures.data_url(65536)}"),
        "archive, members of 4 KB": (plugin, f"archive://{members(fixtures.data + '/members.zip')}/members/{{}}"),
        "sftp, files of 4 KB": (plugin, f"{sftp}{fixtures.small()}/{{}}"),
    }


def count(command, environment):
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], capture_output=True, text=True,
        env=environment, timeout=300,
    )
    found = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode != 0 or found is None:
        raise SystemExit(f"error: {' '.join(command)[:200]}\n{result.stderr[-2000:]}")
    return int(found.group(1))


def least(command, environment):
    """The least of some counts, when three agree: on a busy machine answers come in more pieces, never in fewer."""
    counts = []
    while len(counts) < MOST_RUNS:
        counts = sorted([*counts, count(command, environment)])
        if len(counts) >= 3 and counts[2] - counts[0] < AGREEMENT * counts[0]:
            break
    return counts[0]


def instructions(program, url, environment):
    """Of one load, one after another."""
    few, many = (least([program, url, str(loads), "1", "get"], environment) for loads in (FEW, MANY))
    return round((many - few) / (MANY - FEW))


def measure(folder, swift):
    with serving(folder) as (servers, data, environment):
        everything = works(swift, servers, Fixtures(folder, data))
        return {name: instructions(*work, {**environment, "CONNECTIONS": "1"}) for name, work in everything.items()}


def compare(known, found):
    """Prints a table; whether nothing grew too much."""
    holds = True
    for name, now in found.items():
        before = known.get(name)
        growth = now / before - 1 if before else 0
        word = f"{growth:+.1%}" if before else "new"
        if growth > MOST_GROWTH:
            holds, word = False, word + f", more than {MOST_GROWTH:.0%}"
        print(f"{name}: {now:,} instructions a load, {word}")
    return holds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("folder", "swift", "file"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--write", action="store_true", help="write down what is counted")
    options = parser.parse_args()
    known, here = {"made_with": {}, "instructions": {}}, machine.made_with()
    if os.path.exists(options.file):
        with open(options.file) as file:
            known = json.load(file)
    others = [name for name, value in here.items() if known["made_with"].get(name) != value]
    if others and not options.write:
        for name in others:
            print(f"{name} is {here[name]}; the counts were made with {known['made_with'].get(name, 'none')}")
        print("Counts cannot be compared, and are not. `make bench-check WRITE=1` writes down new ones.")
        return
    found = measure(options.folder, options.swift)
    holds = compare({} if others else known["instructions"], found)
    if options.write:
        with open(options.file, "w") as file:
            json.dump({"made_with": here, "instructions": found}, file, indent=2)
            file.write("\n")
    elif not holds:
        raise SystemExit("A load costs more than it did. If it has to, `make bench-check WRITE=1` writes it down.")


main()
