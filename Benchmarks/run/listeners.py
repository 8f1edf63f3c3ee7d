"""Counts what listeners cost a load by HTTP to which nobody listens: those of Integrations, without a tracer and a metrics backend.

    python3 Benchmarks/run/listeners.py FOLDER PROGRAMS

Callgrind counts the instructions of few and of many loads, one after another on the executor of the loads: the difference is that of the
loads. On a busy machine there are more: the least of some runs counts.
"""

import argparse
import os

from callgrind import Profile
from fixtures import Fixtures
from serving import serving

FEW, MANY, RUNS = 200, 1200, 5
# In per cent.
BUDGET = 2


def instructions(program, url, listeners, environment):
    few, many = (
        sum(Profile([program, url, str(loads), listeners], environment).counts.values()) for loads in (FEW, MANY))
    return (many - few) / (MANY - FEW)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("folder", "programs"):
        parser.add_argument(name, type=os.path.abspath)
    options = parser.parse_args()
    program = f"{options.programs}/integrations-cost"
    with serving(options.folder) as (servers, data, environment):
        fixtures = Fixtures(options.folder, data)
        fixtures.file(1024)
        url = f"{servers.http}/1024"
        found = {"none": [], "both": []}
        for _ in range(RUNS):
            for listeners, counts in found.items():
                counts.append(instructions(program, url, listeners, environment))
    without, listened = (min(counts) for counts in (found["none"], found["both"]))
    cost = (listened / without - 1) * 100
    print(f"a load without listeners: {without:,.0f} instructions; with both, to which nobody listens: {listened:,.0f} ({cost:+.1f} %)")
    if cost > BUDGET:
        raise SystemExit(f"That is more than {BUDGET} %.")


main()
