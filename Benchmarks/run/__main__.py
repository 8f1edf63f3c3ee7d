"""Runs the benchmarks: every client on the same work, one after another, in rounds.

    python3 Benchmarks/run FOLDER PROGRAMS SWIFT PYTHON [--only W1,S1] [--rounds N] [--results FILE] [--plot FILE] [--libraries FOLDER]

FOLDER keeps archives and logs, PROGRAMS has the programs in C, SWIFT those in Swift, PYTHON the libraries of
Python/requirements.txt. `Scripts/bench` builds these, and calls this.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import libraries
import machine
import plot
import table
from archive_work import ArchiveWork
from background_work import BackgroundWork
from fixtures import Fixtures
from http_work import HTTPWork
from kept_work import KeptWork
from many_loads import ManyLoads
from resource_work import ResourceWork
from results import Results
from running import Failure, Runner
from servers import HERE, Servers
from sftp_work import SFTPWork
from websocket_work import WebSocketWork

MODULES = ("requests", "httpx", "h2", "aiohttp", "paramiko", "asyncssh", "fsspec", "remotezip", "libarchive", "pyftpdlib", "requests_cache",
           "hishel", "websockets", "webdav4")


@dataclass(frozen=True)
class Places:
    """Where things are."""

    here: str
    folder: str
    programs: str
    swift: str
    python: str
    # The libraries that Python has.
    modules: frozenset
    # The folder of newer C libraries; none where the system's are measured alone.
    libraries: str | None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("folder", "programs", "swift", "python"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--only", default="", help="keys of the work to do, with commas")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--results", help="the page to write, in Markdown")
    parser.add_argument("--plot", help="the picture to write")
    parser.add_argument("--libraries", type=os.path.abspath, help="newer libraries, to compare with the system's")
    return parser.parse_args()


def modules_of(python):
    code = f"import importlib.util as u; print(*(m for m in {MODULES!r} if u.find_spec(m)))"
    result = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return frozenset(result.stdout.split())


def works(only, *parts):
    makers = {key: maker for part in parts for key, maker in part.all().items()}
    unknown = only - set(makers)
    if unknown:
        raise SystemExit(f"there is no work {', '.join(sorted(unknown))}: there are {', '.join(makers)}")
    return [work for key, maker in makers.items() if not only or key in only for work in maker()]


def run_once(runner, servers, work, client, results, number):
    if client.missing or results.failure(work, client.name):
        return
    program = client.command[0]
    if not shutil.which(program):
        results.fail(work, client, f"{os.path.basename(program)} is not here")
        return
    try:
        if client.warms_up and not results.has_samples(work, client):
            runner.run(work, client)
        if work.counts_requests:
            servers.sent()
        sample = runner.run(work, client)
    except Failure as failure:
        results.fail(work, client, str(failure))
        print(f"  {client.name}: {failure}", file=sys.stderr, flush=True)
        return
    if work.counts_requests:
        sample.requests, sample.sent = servers.sent()
    results.add(work, client, sample, number)
    print(f"  {client.name}: {table.number(sample.figure)} {work.unit}", file=sys.stderr, flush=True)


def main():
    options = arguments()
    load = machine.load()
    os.makedirs(options.folder, exist_ok=True)
    # Started as root, servers read as other users.
    os.chmod(options.folder, 0o755)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else options.folder
    data = tempfile.mkdtemp(prefix="url-loading-bench-", dir=memory)
    os.chmod(data, 0o755)
    try:
        fixtures = Fixtures(options.folder, data)
        places = Places(HERE, options.folder, options.programs, options.swift, options.python, modules_of(options.python), options.libraries)
        with Servers(options.folder, data, options.programs, options.python) as servers:
            environment = {
                **os.environ, "HOME": servers.home, "CFFIXED_USER_HOME": servers.home, "TMPDIR": fixtures.temporary,
                "SSL_CERT_FILE": servers.authority, "URLSessionCertificateAuthorityInfoFile": servers.authority,
            }
            # The user's agent has keys that these servers do not know.
            environment.pop("SSH_AUTH_SOCK", None)
            # Else some clients would trust the system's roots beside this authority, and read all of them.
            environment.pop("SSL_CERT_DIR", None)
            runner = Runner(options.programs, options.folder, environment)
            kinds = (ManyLoads, KeptWork, HTTPWork, WebSocketWork, BackgroundWork, SFTPWork, ResourceWork, ArchiveWork)
            parts = (kind(places, servers, fixtures) for kind in kinds)
            chosen = works({key for key in options.only.split(",") if key}, *parts)
            if options.libraries:
                chosen = [libraries.with_both(work, options.libraries) for work in chosen]
            results = Results(chosen)
            measure(results, options.rounds, runner, servers)
        write(options, results, load)
        if options.plot:
            plot.write(options.plot, results)
    finally:
        shutil.rmtree(data)


def write(options, results, load):
    facts = machine.libraries_of(options.programs)
    if options.libraries:
        facts += machine.libraries_of(options.programs, libraries.environment(options.libraries), libraries.NEWEST)
    facts = [*machine.describe(*facts), ("load average when it began", f"{load:.1f}")]
    page = libraries if options.libraries else table
    page.write(options.results or os.path.join(options.folder, "results.md"), results, options.rounds, facts)


def measure(results, rounds, runner, servers):
    every_core = os.sched_getaffinity(0)
    for number in range(1, rounds + 1):
        begin = time.monotonic()
        for work in results.works:
            print(f"round {number} of {rounds}, {work.key}: {work.title}", file=sys.stderr, flush=True)
            if work.cores:
                servers.pin_nginx({work.cores[0]})
            for turn in range(work.turns):
                for client in ordered(work.turn(turn), number, turn):
                    for _ in range(work.repeats):
                        run_once(runner, servers, work, client, results, number)
            if work.cores:
                servers.pin_nginx(every_core)
        print(f"round {number} took {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)


def ordered(clients, number, turn):
    """The order of a turn.

    Whoever is first may pay for what the next ones find ready, such as memory: at the beginning each is first once. What
    comes after that is in random order: a machine that takes freed memory back after every other run would else take it
    from the same client each time.
    """
    if turn > len(clients):
        return random.sample(clients, len(clients))
    first = (number + turn) % len(clients)
    return (*clients[first:], *clients[:first])


main()
