"""K1 to K5: loads that a cache answers, and what a cache costs loads that it does not."""

from http_clients import FOUNDATION, OURS, HTTPClients
from model import TURNS, Goal, Work

FROM_SERVER, FROM_MEMORY, FROM_DISK = f"{OURS}, from nginx", f"{OURS}, from memory", f"{OURS}, from disk"
WITHOUT, WITH = f"{OURS}, without cache, cookies and credentials", f"{OURS}, with them"
C_NGINX = "C, from nginx's proxy_cache"
REQUESTS_CACHE, HISHEL = "Python, requests-cache", "Python, hishel"


class KeptWork(HTTPClients):
    def kept(self, size, count, python):
        """Everyone who keeps responses, and those who do not."""
        self.fixtures.file(size)
        path = f"/kept/{size}/"
        urls, cached = (
            "@" + self.fixtures.urls([origin], path, 2_000) for origin in (self.servers.http, self.servers.caching))
        yield self.swift(FROM_SERVER, "load-bench", urls, count, 1, "get", size, environment={"CACHE": "nowhere"})
        yield self.swift(FROM_MEMORY, "load-bench", urls, count, 1, "get", size, environment={"CACHE": "memory"})
        yield self.swift(FROM_DISK, "load-bench", urls, count, 1, "get", size, environment={"CACHE": "disk"})
        # Asks nginx, which answers from its cache: once before, so that it has them.
        yield self.c(C_NGINX, cached, count, 1, "get", size, warms_up=True)
        for name, library in ((REQUESTS_CACHE, "requests_cache"), (HISHEL, "hishel")):
            program = (self.places.python, f"{self.places.here}/Python/http_peer.py", library)
            missing = "" if library in self.places.modules else f"{library} is not installed"
            yield self.load(name, program, urls, python, 1, "get", size, missing=missing)

    def work(self, key, title, size, count, python, goals):
        return Work(
            key, title, "requests/s", tuple(self.kept(size, count, python)), FROM_SERVER, goals, turns=TURNS,
            notes="2,000 different URLs, each loaded once before the clock starts. requests-cache and hishel keep theirs in SQLite. "
            "C asks nginx, which has them in its cache: the CPU of nginx is not counted.")

    def small(self):
        goals = (
            Goal(FROM_MEMORY, 1 / 3, of=FROM_SERVER, what="cpu", is_limit=True),
            Goal(FROM_DISK, 1, of=FROM_SERVER, what="cpu", is_limit=True),
        )
        yield self.work("K1", "1 KB that was loaded before, one at a time", 1024, 10_000, 2_000, goals)

    def large(self):
        goals = (Goal(FROM_DISK, 0.5, of=FROM_SERVER, what="cpu", is_limit=True),)
        yield self.work("K2", "100 KB that was loaded before, one at a time", 100_000, 6_000, 1_000, goals)

    def not_kept(self):
        self.fixtures.file(1024)
        urls = "@" + self.fixtures.urls(self.servers.http_hosts[:1], "/of/1024/")
        clients = (
            self.swift(WITHOUT, "load-bench", urls, 20_000, 64, "get", 1024, environment={"CACHE": "nowhere"}),
            self.swift(WITH, "load-bench", urls, 20_000, 64, "get", 1024),
            self.swift(FOUNDATION, "peer-bench", urls, 3_000, 64, "get", 1024),
        )
        yield Work(
            "K3", "1 KB that may not be kept, 64 at once", "requests/s", clients, WITHOUT, (Goal(WITH, 0.97, of=WITHOUT),),
            turns=4 * TURNS, notes="As W1, where every client has its cache.")

    def among(self):
        """Whether what is kept already makes looking and storing slower."""
        self.fixtures.file(1024)
        urls = "@" + self.fixtures.urls([self.servers.http], "/kept/1024/")
        for key, place, title in (("K4", "disk", "found on disk"), ("K5", "store", "stored on disk")):
            names = {entries: f"{OURS}, among {entries:,}" for entries in (1_000, 100_000)}
            clients = tuple(
                self.swift(
                    name, "load-bench", urls, 10_000, 1, "get", 1024,
                    environment={"CACHE": place, "ENTRIES": str(entries)})
                for entries, name in names.items())
            yield Work(
                key, f"1 KB that is {title}, among 1,000 and 100,000 other responses", "requests/s", clients, names[1_000],
                (Goal(names[100_000], 1.5, of=names[1_000], what="cpu", is_limit=True),))

    def all(self):
        """Makers of work, by key."""
        return {
            "K1": self.small, "K2": self.large, "K3": self.not_kept, "K4": lambda: list(self.among())[:1],
            "K5": lambda: list(self.among())[1:],
        }
