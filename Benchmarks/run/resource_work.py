"""S4 and D1: what is done to many small files by SFTP and WebDAV: walked, copied and removed."""

from fixtures import SMALL_FILES, SMALL_SIZE
from model import TURNS, Client, Goal, Work
from nginx_configuration import HAS_DAV

OURS, OPENSSH, RCLONE, ASYNCSSH, FSSPEC = "urlload", "OpenSSH sftp", "rclone", "asyncssh", "fsspec's webdav"
SIZE = SMALL_FILES * SMALL_SIZE
ENTRIES = 20_000
DAV_NOTES = "rclone 1.60 waits for 10 ms between any two requests of WebDAV, and has no option for that."
NOTES = "From the start of the process to its end, connecting and logging in included. A tree that is removed is made anew before each run."


class ResourceWork:
    def __init__(self, places, servers, fixtures):
        self.places, self.servers, self.fixtures = places, servers, fixtures

    @property
    def tree(self):
        return f"{self.fixtures.www}/put/tree"

    # Clients

    def tasks(self, mode):
        """What a client finds before it begins, and what it leaves."""
        small = self.fixtures.small()
        if mode == "walk":
            return {"output": "lines", "expected": SMALL_FILES}
        if mode == "copy":
            return {"output": "", "leaves": (self.tree, SIZE)}
        return {"output": "", "prepares": (small, self.tree), "removes": self.tree}

    def ours(self, mode, base, **options):
        program, small = f"{self.places.programs}/urlload", self.fixtures.small()
        arguments = {
            "walk": ("find", f"{base}{small}"), "copy": ("cp", "-r", small, f"{base}{self.fixtures.www}/put/tree"),
            "remove": ("rm", "-r", f"{base}{self.tree}"),
        }[mode]
        return Client(OURS, (program, *arguments), is_ours=True, **self.tasks(mode), **options)

    def openssh(self, mode, port):
        batch = f"{self.places.folder}/batch-{mode}-tree"
        small = self.fixtures.small()
        lines = {
            "walk": f"ls -1 {small}", "copy": f"mkdir {self.tree}\nput {small}/* {self.tree}",
            "remove": f"rm {self.tree}/*\nrmdir {self.tree}",
        }[mode]
        with open(batch, "w") as file:
            file.write(lines + "\n")
        configuration = f"{self.servers.home}/.ssh/config"
        command = ("sftp", "-q", "-F", configuration, "-P", str(port), "-b", batch, f"{self.servers.user}@127.0.0.1")
        return Client(OPENSSH, command, **self.tasks(mode))

    def rclone(self, mode, remote, tree, small):
        arguments = {
            "walk": ("lsf", "-R", f"{remote}{small}"), "copy": ("copy", self.fixtures.small(), f"{remote}{tree}"),
            "remove": ("purge", f"{remote}{tree}"),
        }[mode]
        common = ("--config", "/dev/null", "--transfers", "32", "--checkers", "32", "--retries", "1")
        return Client(RCLONE, ("rclone", *arguments, *common), **self.tasks(mode))

    def python(self, name, program, module, mode, *arguments):
        command = (self.places.python, f"{self.places.here}/Python/{program}", *arguments)
        missing = "" if module in self.places.modules else f"{module} is not installed"
        return Client(name, command, missing=missing, **self.tasks(mode))

    # Work

    def sftp(self):
        for mode, title in (("walk", "walked"), ("copy", "copied there"), ("remove", "removed")):
            for is_far in (False, True):
                near = self.servers.ssh
                port = self.servers.delayed_ssh if is_far else near
                remote = f":sftp,host=127.0.0.1,port={port},user={self.servers.user},key_file={self.servers.key},shell_type=none:"
                clients = (
                    self.ours(mode, f"sftp://{self.servers.user}@127.0.0.1:{port}"), self.openssh(mode, port),
                    self.rclone(mode, remote, self.tree, self.fixtures.small()),
                    self.python(
                        ASYNCSSH, "sftp_peer.py", "asyncssh", mode, "asyncssh", str(port), self.servers.user, self.servers.key, mode,
                        self.fixtures.small() if mode == "walk" else self.tree, self.fixtures.small()),
                )
                goals = [Goal(OURS, 1, of=peer) for peer in (OPENSSH, RCLONE, ASYNCSSH)]
                if is_far:
                    goals.append(Goal(OURS, 1, is_limit=True))
                yield Work(
                    "S4", f"1,000 files of 4 KB {title} by SFTP" + (", through 20 ms" if is_far else ""), "s", clients, OPENSSH,
                    tuple(goals), NOTES, is_whole_process=True, turns=TURNS)

    def webdav(self):
        if not HAS_DAV:
            return
        base = self.servers.http.replace("http:", "dav:")
        entries = self.fixtures.many_entries(ENTRIES)
        folder = entries.removeprefix(self.fixtures.www)
        lines = {"output": "lines", "expected": ENTRIES}
        remote = f":webdav,url='{self.servers.http}',pacer_min_sleep=0:"
        flags = ("--config", "/dev/null", "--transfers", "32", "--checkers", "32", "--retries", "1")
        peer = (self.places.python, f"{self.places.here}/Python/webdav_peer.py", self.servers.http)
        missing = "" if "webdav4" in self.places.modules else "webdav4 is not installed"
        listing = (
            Client(OURS, (f"{self.places.programs}/urlload", "ls", f"{base}{folder}/"), is_ours=True, **lines),
            Client(RCLONE, ("rclone", "lsf", f"{remote}{folder}", *flags), **lines),
            Client(FSSPEC, (*peer, "list", folder), missing=missing, **lines),
        )
        leaves = {"output": "", "leaves": (self.tree, SIZE)}
        small = self.fixtures.small()
        upload = (
            Client(OURS, (f"{self.places.programs}/urlload", "cp", "-r", small, f"{base}/put/tree"), is_ours=True, **leaves),
            Client(RCLONE, ("rclone", "copy", small, f"{remote}put/tree", *flags), **leaves),
            Client(FSSPEC, (*peer, "put", "/put/tree", small), missing=missing, **leaves),
        )
        goals = [Goal(OURS, 1, of=peer) for peer in (RCLONE, FSSPEC)]
        goals += [Goal(OURS, 1, of=peer, what="cpu", is_limit=True) for peer in (RCLONE, FSSPEC)]
        yield Work(
            "D1", "20,000 entries listed by WebDAV", "s", listing, RCLONE, tuple(goals), f"{NOTES} {DAV_NOTES}", is_whole_process=True, turns=TURNS)
        yield Work(
            "D1", "1,000 files of 4 KB copied there by WebDAV", "s", upload, RCLONE, tuple(goals), f"{NOTES} {DAV_NOTES}",
            is_whole_process=True, turns=TURNS)

    def all(self):
        """Makers of work, by key."""
        return {"S4": self.sftp, "D1": self.webdav}
