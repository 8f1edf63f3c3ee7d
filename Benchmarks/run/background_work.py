"""B1 to B3: tasks of the transfer service, beside the same loads in the program's own process."""

from http_clients import OURS, HTTPClients
from model import TURNS, Goal, Work

FOREGROUND, BACKGROUND = f"{OURS}, in the program", f"{OURS}, by the transfer service"
QUEUED = 10_000
# Of the service.
MEGABYTES = Goal(BACKGROUND, 100, what="memory", is_limit=True)


class BackgroundWork(HTTPClients):
    def background(self, *work, **options):
        return self.swift(BACKGROUND, "background-bench", *work, environment=self.servers.service, **options)

    def many(self):
        self.fixtures.file(1024)
        urls = "@" + self.fixtures.urls(self.servers.http_hosts[:1], "/of/1024/")
        clients = (
            self.swift(FOREGROUND, "load-bench", urls, QUEUED, 4, "file", 1024),
            self.background(urls, QUEUED, QUEUED, "file", 1024),
        )
        yield Work(
            "B1", "1 KB to a file, 10,000 queued at once", "requests/s", clients, FOREGROUND,
            (Goal(BACKGROUND, 1000, what="cpu", is_limit=True), MEGABYTES), notes=SERVICE)

    def large(self):
        size = 1 << 30
        self.fixtures.file(size)
        url = f"{self.servers.http}/{size}"
        clients = (self.swift(FOREGROUND, "load-bench", url, 1, 1, "file", size), self.background(url, 1, 1, "file", size))
        yield Work(
            "B2", "1 GiB to a file", "MB/s", clients, FOREGROUND, (Goal(BACKGROUND, 0.95, of=FOREGROUND),), turns=TURNS,
            notes=SERVICE)

    def attach(self):
        clients = (self.background(f"{self.servers.silent}/{{}}", QUEUED, 1, "idle", warms_up=True),)
        yield Work(
            "B3", "A program that attaches to 10,000 queued tasks", "ms", clients, BACKGROUND,
            (Goal(BACKGROUND, 1000, is_limit=True), MEGABYTES), notes=SERVICE)

    def all(self):
        """Makers of work, by key."""
        return {"B1": self.many, "B2": self.large, "B3": self.attach}


SERVICE = "CPU and memory of the transfer service are its own, not the program's."
