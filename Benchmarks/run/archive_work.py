"""A1 to A3: members of archives, here and elsewhere."""

import urllib.parse

from fixtures import MEMBERS, WANTED
from model import Client, Goal, Work

OURS = "urlload"


class ArchiveWork:
    def __init__(self, places, servers, fixtures):
        self.places, self.servers, self.fixtures = places, servers, fixtures

    def member(self, archive, member):
        return f"archive://{urllib.parse.quote(archive, safe='-._~')}/{member}"

    def urlload(self, name, *arguments, **options):
        return Client(name, (f"{self.places.programs}/urlload", *arguments), is_ours=True, **options)

    def extraction(self):
        expected = self.fixtures.make_large()
        archive, options = self.fixtures.large, {"output": "digest", "expected": expected}
        c = "C on libarchive"
        clients = (
            Client(c, (f"{self.places.programs}/extract-member", archive, "large.txt"), **options),
            self.urlload(OURS, self.member(f"file://{archive}", "large.txt"), **options),
            Client("bsdtar", ("bsdtar", "-xOf", archive, "large.txt"), **options),
            Client("unzip", ("unzip", "-p", archive, "large.txt"), **options),
            self.python("zipfile", archive, "large.txt", mode="copy", **options),
        )
        yield Work(
            "A1", "A deflated member of 1 GiB, to standard output", "s", clients, c,
            (Goal(OURS, 0.95, of=c), Goal(OURS, 60, what="memory", is_limit=True)), is_whole_process=True,
            plotted=(OURS, "bsdtar", "unzip", "zipfile"),
        )

    def listing(self):
        self.fixtures.make_many()
        archive, options = self.fixtures.many, {"output": "lines", "expected": MEMBERS}
        zipfile = (self.places.python, "-m", "zipfile", "-l", archive)
        clients = (
            # One folder after another would be the work of many commands: list what a recursive command lists.
            self.urlload(OURS, "ls", "--recursive", self.member(f"file://{archive}", ""), **options),
            Client("bsdtar", ("bsdtar", "-tf", archive), **options), Client("unzip", ("unzip", "-l", archive), **options),
            Client("zipinfo", ("unzip", "-Z1", archive), **options), Client("zipfile", zipfile, **options),
        )
        goals = [Goal(OURS, 1, of=peer) for peer in ("bsdtar", "unzip", "zipfile")]
        goals.append(Goal(OURS, 60, what="memory", is_limit=True))
        yield Work(
            "A2", f"Listing of {MEMBERS:,} members", "ms", clients, OURS, tuple(goals), is_whole_process=True, repeats=3,
        )

    def one_member(self):
        (first, second), directory = self.fixtures.many_digests()
        sources = {
            "http": f"{self.servers.logged}/many.zip", "http without ranges": f"{self.servers.logged}/whole/many.zip",
            "ftp": f"{self.servers.ftp}/many.zip", "file": f"file://{self.fixtures.many}",
        }
        index = f"{self.fixtures.data}/index"
        clients = []
        for source, url in sources.items():
            clients.append(
                self.urlload(f"{OURS}, {source}", self.member(url, WANTED[0]), output="digest", expected=first))
        clients.append(
            self.urlload(
                f"{OURS}, http, index on disk", "--archive-index", index, self.member(sources["http"], WANTED[1]),
                output="digest", expected=second, warms_up=True)
        )
        for peer in ("remotezip", "fsspec-zip", "fsspec-libarchive"):
            for source, url in sources.items():
                # remotezip speaks HTTP only.
                if peer == "remotezip" and not source.startswith("http"):
                    continue
                clients.append(self.python(f"{peer}, {source}", url, WANTED[0], output="digest", expected=first))
        ours = f"{OURS}, http"
        goals = (
            Goal(ours, 3, what="requests", is_limit=True), Goal(ours, directory + (128 << 10), what="sent", is_limit=True),
            Goal(f"{OURS}, http, index on disk", 1, what="requests", is_limit=True),
            Goal(ours, 1, of="remotezip, http"), Goal(ours, 1, of="fsspec-zip, http"),
        )
        yield Work(
            "A3", f"One member of 1 KB of a zip of 1 GiB with {MEMBERS:,} members", "ms", tuple(clients), ours, goals,
            notes=f"The archive's directory has {directory:,} bytes. The index on disk is of a load before.",
            is_whole_process=True, counts_requests=True,
            plotted=(ours, "remotezip, http", "fsspec-zip, http", "fsspec-libarchive, http"),
        )

    def python(self, name, url, member, mode="read", **options):
        peer = name.split(",")[0]
        needed = {"remotezip": ("remotezip",), "fsspec-zip": ("fsspec", "aiohttp"), "zipfile": ()}.get(
            peer, ("fsspec", "aiohttp", "libarchive"))
        missing = ", ".join(module for module in needed if module not in self.places.modules)
        command = (self.places.python, f"{self.places.here}/Python/archive_peer.py", peer, mode, url, member)
        return Client(name, command, missing=f"{missing} is not installed" if missing else "", **options)

    def all(self):
        """Makers of work, by key."""
        return {"A1": self.extraction, "A2": self.listing, "A3": self.one_member}
