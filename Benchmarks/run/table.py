"""Writes what was measured in Markdown."""

import datetime

from model import TURNS

WORDS = {"figure": "", "cpu": "CPU", "memory": "MB resident", "requests": "requests", "sent": "bytes sent"}


def number(value):
    """Three digits that count, with thousands set apart."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def times(ratio):
    """A ratio, with two digits that count."""
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def section(work, results):
    lines = [f"## {work.key}: {work.title}", ""]
    heading = [work.unit, f"beside {work.baseline}", "least to most", work.cpu_unit, "MB resident"]
    if work.counts_requests:
        heading += ["requests", "bytes sent"]
    lines += [row(["", *heading]), row(["---"] * (len(heading) + 1))]
    left_out = []
    for client in work.clients:
        failure = results.failure(work, client.name)
        name = f"**{client.name}**" if client.is_ours else client.name
        if client.missing:
            left_out.append(f"{client.name} ({client.missing})")
        elif failure:
            lines.append(row([name, f"fails: {failure.replace('|', '/')}", *[""] * (len(heading) - 1)]))
        elif (figure := results.median(work, client.name)) is not None:
            ratio = results.ratio(work, client.name, work.baseline)
            least, most = results.spread(work, client.name)
            cpu, memory = (results.median(work, client.name, what) for what in ("cpu", "memory"))
            cells = [number(figure), times(ratio) if ratio else "", f"{number(least)} to {number(most)}"]
            cells += [number(cpu), number(memory)]
            if work.counts_requests:
                requests, sent = (results.median(work, client.name, what) for what in ("requests", "sent"))
                cells += [f"{requests:g}", f"{sent:,.0f}"] if requests else ["", ""]
            lines.append(row([name + share(client), *cells]))
    lines.append("")
    if work.notes:
        lines += [work.notes, ""]
    if work.cores:
        server, client = work.cores
        place = f"core {server}, each client to core {client}" if server != client else f"core {server}, each client to the same"
        lines += [f"nginx was pinned to {place}.", ""]
    if left_out:
        lines += [f"Left out: {', '.join(left_out)}.", ""]
    return lines


def share(client):
    return f" (1/{round(1 / client.share)} of the work, scaled)" if client.share != 1 else ""


def goals(results):
    lines = ["## What has to hold", "", row(["", "client", "what", "goal", "measured", ""]), row(["---"] * 6)]
    for work in results.works:
        for goal in work.goals:
            found = results.reached(work, goal)
            what = WORDS[goal.what] or work.unit
            if goal.of:
                what += f" beside {goal.of}"
            limit = f"at {'most' if goal.is_limit else 'least'} {number(goal.number)}"
            measured, word = ((times if goal.of else number)(found[0]), "yes" if found[1] else "**no**") if found else ("", "not measured")
            lines.append(row([f"{work.key} {work.title}", goal.client, what, limit, measured, word]))
    return [*lines, ""]


def write(path, results, rounds, facts):
    """The whole page; FACTS are rows about the machine."""
    date = datetime.date.today().isoformat()
    lines = [
        "# Benchmarks", "",
        f"Written by `make bench` on {date}: medians of {rounds} rounds. In each round every client did every piece of work, "
        f"one after another; those that have to hold against each other did short work {TURNS} to {9 * TURNS} times. "
        "Servers and clients share the machine, on the loopback address. “Beside” is how many times "
        "as fast as the client it names, the median of the rounds: above 1 is faster. CPU is user's and system's time of the client. "
        "Resident memory is the highest of all rounds.", "",
        row(["machine", ""]), row(["---"] * 2), *(row(fact) for fact in facts), "",
    ]
    for work in results.works:
        lines += section(work, results)
    if any(work.goals for work in results.works):
        lines += goals(results)
    with open(path, "w") as file:
        file.write("\n".join(lines).rstrip() + "\n")
