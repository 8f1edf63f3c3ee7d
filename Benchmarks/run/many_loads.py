"""W1, W2 and W4: many small loads, of 10,000 URLs in random order."""

from dataclasses import dataclass

from http_clients import (
    C, C_POLL, DELEGATE, FOUNDATION, HANDLERS, HTTPX, NIO, ON_LOOP, OURS, REQUESTS, HTTPClients,
)
from model import TURNS, Goal, Work

PLOTTED = (OURS, NIO, FOUNDATION)
EVERY_WAY = ((HANDLERS, 0.75), (DELEGATE, 0.75), (ON_LOOP, 0.8))
FROM_ALL = ", from 16 hosts"


@dataclass(frozen=True)
class Counts:
    """How many loads each does, for a run to take half a second to a second."""

    # The C programs, and this package's.
    ours: int
    nio: int
    foundation: int
    # 0 where it is left out, with the second C program: one work of a kind says what these are like.
    python: int = 0


def goals(least=None, cpu=None, others=()):
    """Ahead of the Swift peer in both figures, every way; `least` and `cpu` are what async functions have to reach beside C, `others` what
    other ways to load do."""
    beside_c = [Goal(name, ratio, of=C) for name, ratio in ((OURS, least), *others) if ratio]
    if cpu:
        beside_c.append(Goal(OURS, cpu, of=C, what="cpu", is_limit=True))
    ways = dict.fromkeys((OURS, HANDLERS, DELEGATE, *(name for name, _ in others)))
    rate = [Goal(name, 1, of=NIO) for name in ways]
    return (*beside_c, *rate, *(Goal(name, 1, of=NIO, what="cpu", is_limit=True) for name in ways))


class ManyLoads(HTTPClients):
    def clients(self, origins, at_once, counts, size=1024, folder=None, environment=None, on_loop=False):
        """Everyone who can load many things at once."""
        self.fixtures.file(size)
        url = "@" + self.fixtures.urls(origins, folder or f"/of/{size}/")
        environment = environment or {}

        def client(make, name, *program, count=counts.ours, mode="get", **more):
            return make(name, *program, url, count, at_once, mode, size, environment={**environment, **more})

        yield client(self.c, C)
        if counts.python:
            yield client(self.c, C_POLL, ENGINE="poll")
        for name, mode in ((OURS, "get"), (HANDLERS, "handler"), (DELEGATE, "sink"), *([(ON_LOOP, "loop")] if on_loop else [])):
            yield client(self.swift, name, "load-bench", mode=mode)
        yield client(self.swift, NIO, "async-http-client-bench", count=counts.nio)
        foundation = client(self.swift, FOUNDATION, "peer-bench", count=counts.foundation)
        yield self.trusting(foundation) if origins[0].startswith("https") else foundation
        if counts.python:
            yield client(self.python, HTTPX if at_once > 1 else REQUESTS, count=counts.python)

    def work(self, key, title, origins, at_once, counts, goals, notes="", cores=(), turns=TURNS, is_plotted=False, **options):
        on_loop = any(goal.client == ON_LOOP for goal in goals)
        clients = tuple(self.clients(origins, at_once, counts, on_loop=on_loop, **options))
        return Work(
            key, title, "requests/s", clients, C, goals, notes, cores=cores, turns=turns, plotted=PLOTTED if is_plotted else ())

    def http(self):
        hosts = self.servers.http_hosts
        host, title = hosts[:1], "1 KB by HTTP/1.1"
        for at_once, counts in ((1, Counts(8_000, 4_000, 2_000, 1_000)), (4, Counts(12_000, 6_000, 3_000))):
            for cores, place in (((0, 1), "on two cores"), ((1, 1), "on one core")):
                yield self.work(
                    "W1", f"{title}, {at_once} at once, server and client {place}", host, at_once, counts,
                    goals(others=((ON_LOOP, 0.7),)), cores=cores)
        counts = Counts(20_000, 12_000, 3_000)
        yield self.work("W1", f"{title}, 16 at once", host, 16, counts, goals(others=((ON_LOOP, 0.8),)))
        # Which core does what, server or client, is chance from run to run: many runs say more than long ones.
        counts, often = Counts(20_000, 12_000, 3_000, 200), 2 * TURNS
        yield self.work(
            "W1", f"{title}, 64 at once", host, 64, counts, goals(0.8, 1.45, EVERY_WAY), turns=often, is_plotted=True)
        yield self.work("W1", f"{title}, 256 at once", host, 256, counts, goals(0.8, 1.45), turns=often)
        counts = Counts(20_000, 12_000, 3_000)
        yield self.work("W1", f"{title}, 64 at once{FROM_ALL}", hosts, 64, counts, goals(0.8, 1.45))
        yield self.work(
            "W1", f"{title} in answer to 1 KB of JSON by POST, 64 at once", host, 64, counts, goals(), folder="/json/",
            environment={"POST": self.fixtures.json()})
        yield self.work(
            "W1", f"{title}, 64 at once, through 20 ms", [self.servers.delayed_http], 64, Counts(3_000, 3_000, 2_000),
            goals(), "Nobody gets more than 64 answers in 20 ms: what differs is the CPU.")
        closes, counts = "The server closes each connection after its first response.", Counts(3_000, 1_500, 1_000)
        yield self.work(
            "W1", f"{title} with TLS 1.2, 16 at once, without keep-alive", [self.servers.closing], 16, counts, goals(0.85),
            f"{closes} C and ours resume TLS sessions by tickets.", environment={"HTTP": "1.1"})
        yield self.work(
            "W1", f"{title} with TLS 1.3, 16 at once, without keep-alive", [self.servers.closing_newest], 16, counts, (), closes,
            environment={"HTTP": "1.1"})

    def http2(self):
        hosts, title = self.servers.https_hosts, "1 KB by HTTP/2 with TLS, 64 at once"
        counts = Counts(25_000, 12_000, 3_000, 300)
        yield self.work("W2", title, hosts[:1], 64, counts, goals(0.8), is_plotted=True)
        yield self.work("W2", title + FROM_ALL, hosts, 64, Counts(25_000, 12_000, 3_000), goals(0.8))

    def middling(self):
        hosts, title = self.servers.http_hosts, "100 KB by HTTP/1.1, 16 at once"
        yield self.work("W4", title, hosts[:1], 16, Counts(20_000, 15_000, 2_000, 300), goals(0.85), size=100_000)
        yield self.work("W4", title + FROM_ALL, hosts, 16, Counts(20_000, 15_000, 2_000), goals(0.85), size=100_000)

    def http3(self):
        """HTTP/3 beside HTTP/2, of one server."""
        origin = [self.servers.caddy]
        small, large = self.fixtures.urls(origin, "/of/1024/"), f"{origin[0]}/100000000"
        self.fixtures.file(1024)
        self.fixtures.file(100_000_000)
        for version in ("2", "3"):
            # Without the variable HTTP/2 is what they agree on.
            environment = {"HTTP": "3"} if version == "3" else {}
            for title, url, count, at_once, mode, size, unit in (
                ("1 KB", f"@{small}", 20_000, 64, "get", 1024, "requests/s"), ("100 MB", large, 3, 1, "sink", 100_000_000, "MB/s"),
            ):
                clients = (
                    self.c(C, url, count, at_once, mode, size, environment=environment),
                    self.swift(OURS, "load-bench", url, count, at_once, mode, size, environment=environment),
                )
                if mode == "get":
                    clients += (self.swift(ON_LOOP, "load-bench", url, count, at_once, "loop", size, environment=environment),)
                yield Work("H3", f"{title} by HTTP/{version} from caddy, {at_once} at once", unit, clients, C, turns=TURNS)

    def all(self):
        """Makers of work, by key. HTTP/3 is for the newest libraries."""
        makers = {"W1": self.http, "W2": self.http2, "W4": self.middling}
        return {**makers, "H3": self.http3} if self.places.libraries else makers
