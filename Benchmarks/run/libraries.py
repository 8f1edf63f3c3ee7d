"""The same work with the system's libraries and with newer ones: C's programs and ours, side by side."""

import datetime
from dataclasses import replace

from table import number, row, times

NEWEST = ", newest"
# What is told to be slower than C with the newer libraries by more than with the system's.
WORSE = 0.95


def environment(folder):
    """What a program is started with that is to have the libraries in a folder."""
    return {"LD_LIBRARY_PATH": folder}


def with_both(work, folder):
    """The work for those who stand on the libraries, each with the system's and with those in the folder, in the same turns."""
    clients = tuple(client for client in work.clients if client.stands_on_libraries)
    newest = tuple(
        replace(client, name=client.name + NEWEST, environment={**client.environment, **environment(folder)})
        for client in clients
    )
    return replace(work, clients=clients + newest, goals=(), plotted=())


def cells(work, name, results, suffix):
    """Figure, ratio to the baseline with the same libraries, and CPU; the ratio itself for comparison."""
    if failure := results.failure(work, name + suffix):
        return [f"fails: {failure.replace('|', '/')}", "", ""], None
    figure = results.median(work, name + suffix)
    if figure is None:
        return ["", "", ""], None
    ratio = results.ratio(work, name + suffix, work.baseline + suffix)
    cpu = results.median(work, name + suffix, "cpu")
    return [number(figure), times(ratio) if ratio else "", number(cpu)], ratio


def rows(work, results):
    for client in work.clients:
        if client.name.endswith(NEWEST) or client.missing:
            continue
        system, before = cells(work, client.name, results, "")
        newest, after = cells(work, client.name, results, NEWEST)
        if before and after and after < WORSE * before:
            newest[1] = f"**{newest[1]}**"
        name = f"**{client.name}**" if client.is_ours else client.name
        yield row([f"{work.key} {work.title}", name, work.unit, *system, *newest])


def write(path, results, rounds, facts):
    """The page: FACTS are rows about the machine and the libraries."""
    heading = ["", "client", "unit", "system's", "beside C", "CPU", "newest", "beside C", "CPU"]
    lines = [
        "# The system's libraries, and the newest", "",
        f"Written by `make bench LIBRARIES=newest` on {datetime.date.today().isoformat()}: medians of {rounds} rounds, in each of which "
        "the programs in C and ours did all work with the system's libraries and with the newest, one after another. Servers have the "
        "system's. “Beside C” is how many times as fast as the program in C with the same libraries; where that is less than "
        f"{WORSE:g} of what it is with the system's, it is bold. CPU is in µs a request, for files in ms a GiB, and in ms for a run "
        "that is measured in seconds.", "",
        row(["machine", ""]), row(["---"] * 2), *(row(fact) for fact in facts), "",
        row(heading), row(["---"] * len(heading)), *(line for work in results.works for line in rows(work, results)), "",
    ]
    with open(path, "w") as file:
        file.write("\n".join(lines).rstrip() + "\n")
