"""W3, W5, W6, L1, L2, C1 to C3: large bodies, the start of a process, files, data URLs and idle loads."""

from fixtures import GIB, MIB
from http_clients import C_LARGE, C_USUAL, FOUNDATION, NIO, OURS, REQUESTS, HTTPClients
from model import TURNS, Client, Goal, Work

PLOTTED = (OURS, NIO, FOUNDATION)
BULK = (Goal(OURS, 0.95, of=C_LARGE), Goal(OURS, 1, of=NIO))


class HTTPWork(HTTPClients):
    def whole(self):
        self.fixtures.file(GIB)
        url, target = f"{self.servers.http}/{GIB}", f"{self.fixtures.downloads}/{GIB}"
        for mode, title in (("sink", "1 GiB to memory, piece by piece"), ("file", "1 GiB to a file")):
            options = {"leaves": (target, GIB)} if mode == "file" else {}
            work = (url, 1, 1, mode, GIB, target)
            clients = (
                self.c(C_LARGE, *work, environment={"BUFFER": str(512 << 10)}, **options),
                self.c(C_USUAL, *work, **options),
                self.swift(OURS, "load-bench", *work[:-1]),
                self.swift(NIO, "async-http-client-bench", *work, **options),
                self.swift(FOUNDATION, "peer-bench", *work[:-1]),
                self.python(REQUESTS, *work, **options),
            )
            plotted = PLOTTED if mode == "file" else ()
            yield Work(
                "W3", title, "MB/s", clients, C_LARGE, BULK, plotted=plotted, turns=TURNS, repeats=2)

    def upload(self):
        size = 256 * MIB
        file, target = self.fixtures.file(size), f"{self.fixtures.www}/put/file"
        work, options = (f"{self.servers.http}/put/file", 1, 1, "put", size, file), {"leaves": (target, size)}
        clients = (
            self.c(C_LARGE, *work, environment={"BUFFER": str(512 << 10)}, **options),
            self.c(C_USUAL, *work, **options),
            self.swift(OURS, "load-bench", *work, **options),
            self.swift(NIO, "async-http-client-bench", *work, **options),
            self.swift(FOUNDATION, "peer-bench", *work, **options),
            self.python(REQUESTS, *work, **options),
        )
        yield Work(
            "W5", "256 MiB sent from a file", "MB/s", clients, C_LARGE, BULK, plotted=PLOTTED, turns=3 * TURNS)

    def start(self):
        self.fixtures.file(1024)
        # A response that may be kept would be found in the cache by the next process.
        url = f"{self.servers.http}/once/1024"

        def clock(name, *command, missing=""):
            return Client(name, (*command, url), output="clock", is_ours=name.startswith(OURS), missing=missing)

        static, inside, swift, programs = ", static", ", libcurl inside", self.places.swift, self.places.programs
        python = (self.places.python, f"{self.places.here}/Python/first_byte.py")
        clients = (
            clock("C", f"{programs}/first-byte"), clock(OURS, f"{swift}/first-byte"),
            clock(OURS + inside, f"{programs}/first-byte-inside"), clock(OURS + static, f"{programs}/first-byte-static"),
            clock(NIO, f"{swift}/async-http-client-first-byte"),
            clock(NIO + static, f"{swift}/async-http-client-first-byte-static"),
            clock(FOUNDATION, f"{swift}/peer-first-byte"), clock(FOUNDATION + static, f"{programs}/peer-first-byte-static"),
            clock(REQUESTS, *python, "requests", missing="" if "requests" in self.places.modules else "not installed"),
        )
        goals = (
            Goal(OURS + static, 1 / 1.5, of="C"), Goal(OURS + static, 1, of=NIO + static),
            Goal(OURS + static, 1, of=FOUNDATION + static), Goal(OURS + inside, 1, of=NIO), Goal(OURS, 1, of=FOUNDATION),
        )
        yield Work(
            "W6", "Start of a process to the first byte of 1 KB", "ms", clients, "C", goals, is_whole_process=True,
            repeats=10, turns=TURNS,
            notes="Static: Swift's libraries, and what the client is built on, are linked into the program. Libcurl inside: only "
            "libcurl is, as AsyncHTTPClient always has what it is built on inside. C has libcurl as a shared library.",
            plotted=(OURS, OURS + static, NIO, NIO + static, FOUNDATION),
        )

    def local_file(self):
        path = self.fixtures.file(GIB)
        url = f"file://{path}"

        def local(name, mode):
            return Client(name, (f"{self.places.programs}/local", mode, path), expected=GIB)

        python = (self.places.python, f"{self.places.here}/Python/local_peer.py")
        foundation = self.swift(FOUNDATION, "peer-bench", url, 1, 1, "sink", GIB)
        yield Work(
            "L1", "A file: URL of 1 GiB, piece by piece", "MB/s",
            (
                local("C, read", "read"), self.c("C, libcurl", url, 1, 1, "sink", GIB),
                self.swift(OURS, "load-bench", url, 1, 1, "sink", GIB), foundation,
            ),
            # It takes a fifth of a second, and the machine's memory has two speeds: three runs may meet but one of them.
            "C, read", (Goal(OURS, 0.8, of="C, read"),), turns=3 * TURNS,
        )
        yield Work(
            "L1", "A file: URL of 1 GiB into one buffer", "MB/s",
            (
                local("C, read", "whole"), self.swift(OURS, "load-bench", url, 1, 1, "get", GIB),
                Client("Python, read", (*python, "file", path), expected=GIB),
            ),
            # A virtual machine that gives freed memory back has this at two speeds, 1 to 3.
            "C, read", (Goal(OURS, 0.9, of="C, read"),), turns=9 * TURNS,
        )

    def data_url(self):
        size = 16 * MIB
        path = self.fixtures.data_url(size)
        clients = (
            Client("C, OpenSSL", (f"{self.places.programs}/local", "base64", "16"), expected=size),
            self.swift(OURS, "load-bench", f"@{path}", 1, 1, "get", size),
            self.swift(FOUNDATION, "peer-bench", f"@{path}", 1, 1, "get", size),
            Client(
                "Python, urllib", (self.places.python, f"{self.places.here}/Python/local_peer.py", "data", path),
                expected=size),
        )
        yield Work(
            "L2", "A data: URL with 16 MiB in base64", "MB/s", clients, "C, OpenSSL", (Goal(OURS, 0.7, of="C, OpenSSL"),),
            turns=TURNS, plotted=(OURS, FOUNDATION), notes="The URL is made before; only its load is timed.",
        )

    def idle(self):
        url = f"{self.servers.silent}/"
        for count, connections, title in (
            (10_000, 6, "10,000 waiting loads, 6 connections"), (1_000, 1_000, "1,000 loads with a connection each")
        ):
            work, limit = (url, count, count, "idle"), {"environment": {"CONNECTIONS": str(connections)}}
            clients = (
                self.c("C", *work, **limit), self.swift(OURS, "load-bench", *work, **limit),
                self.swift(NIO, "async-http-client-bench", *work, **limit),
                self.swift(FOUNDATION, "peer-bench", *work, **limit),
            )
            goals = (Goal(OURS, 1, of=NIO), *([Goal(OURS, 6, is_limit=True)] if connections == 6 else []))
            yield Work(
                "C1", title, "KB a task", clients, "C", goals,
                notes="What the process's resident memory grew by, for each load that a silent server does not answer.",
            )

    def crowd(self):
        self.fixtures.file(1024)
        url, connections = f"{self.servers.http}/1024", {"environment": {"CONNECTIONS": "64"}}
        clients = []
        for at_once in (100, 10_000):
            words = f", {at_once:,} at once"
            work = (url, 20_000, at_once, "get", 1024)
            clients += [
                self.c("C" + words, *work, **connections), self.swift(OURS + words, "load-bench", *work, **connections),
                self.swift(NIO + words, "async-http-client-bench", *work, **connections),
            ]
        few, many = ", 100 at once", ", 10,000 at once"
        goals = (
            Goal(OURS + many, 1.3, of=OURS + few, what="cpu", is_limit=True),
            Goal(OURS + few, 1, of=NIO + few), Goal(OURS + many, 1, of=NIO + many),
        )
        yield Work("C2", "1 KB by HTTP/1.1 on 64 connections", "requests/s", tuple(clients), "C, 100 at once", goals)

    def long_run(self):
        """What many loads leave behind shows in the memory of the process that did them."""
        self.fixtures.file(1024)
        url, clients = f"{self.servers.http}/1024", []
        for name, program, counts in ((OURS, "load-bench", (10_000, 1_000_000)), (FOUNDATION, "peer-bench", (10_000, 100_000))):
            clients += [self.swift(f"{name}, {count:,}", program, url, count, 64, "get", 1024) for count in counts]
        few, many = f"{OURS}, 10,000", f"{OURS}, 1,000,000"
        yield Work(
            "C3", "Many loads of 1 KB, 64 at once, one after another", "requests/s", tuple(clients), few,
            (Goal(many, 1.1, of=few, what="memory", is_limit=True),),
            notes="What counts is the resident memory: nothing grows with the number of loads.",
        )

    def all(self):
        """Makers of work, by key."""
        return {
            "W3": self.whole, "W5": self.upload, "W6": self.start,
            "L1": self.local_file, "L2": self.data_url, "C1": self.idle, "C2": self.crowd,
            "C3": self.long_run,
        }
