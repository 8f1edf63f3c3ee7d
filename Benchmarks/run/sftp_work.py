"""S1 to S3: large files, small files and uploads by SFTP, near and far."""

from fixtures import GIB, MIB, SMALL_FILES, SMALL_SIZE
from model import TURNS, Client, Goal, Work

OURS, C = "URLLoading", "C on libssh2"
SAME, USUAL = "OpenSSH sftp, aes128-ctr", "OpenSSH sftp"
CURL, PARAMIKO, FSSPEC, ASYNCSSH = "curl", "paramiko", "fsspec with paramiko", "asyncssh"
PLOTTED = (OURS, USUAL, CURL, PARAMIKO, ASYNCSSH)
NOTES = (
    "From the start of the process to its end, connecting and logging in included. Ours and C's use libssh2's first cipher: "
    "aes128-ctr of 1.10, chacha20-poly1305 of 1.11.1. Ours has Swift's libraries linked into it."
)


class SFTPWork:
    def __init__(self, places, servers, fixtures):
        self.places, self.servers, self.fixtures = places, servers, fixtures
        self.near = self.far = 0

    # Clients

    def everyone(self, mode, port, shares):
        """All clients; a share of the work for those that are slow here."""
        yield self.c(mode, port)
        yield self.ours(mode, port)
        yield self.openssh(SAME, mode, port, shares, ("-c", "aes128-ctr"))
        yield self.openssh(USUAL, mode, port, shares, ())
        yield self.curl(mode, port, shares)
        for name in (PARAMIKO, FSSPEC, ASYNCSSH):
            yield self.python(name, mode, port, shares)

    def task(self, mode, share=1.0):
        """The remote name, the local name, what is left, and what a report tells."""
        if mode == "get":
            count = int(SMALL_FILES * share)
            folder = self.fixtures.small() if share == 1 else self.fixtures.some_small(count)
            return folder, self.fixtures.downloads, (self.fixtures.downloads, count * SMALL_SIZE), count * SMALL_SIZE
        size = int((GIB if mode == "file" else 256 * MIB) * share)
        file = self.fixtures.file(size)
        if mode == "file":
            local = f"{self.fixtures.downloads}/file"
            return file, local, (local, size), size
        remote = f"{self.fixtures.www}/put/file"
        return remote, file, (remote, size), size

    def ours(self, mode, port):
        remote, local, leaves, size = self.task(mode)
        url = f"sftp://{self.servers.user}@127.0.0.1:{port}{remote}"
        program = f"{self.places.swift}/plugin-bench"
        if mode == "get":
            command = (program, url + "/{}", str(SMALL_FILES), str(SMALL_FILES), "get")
            # One connection: what is shown is that many loads share it.
            return Client(OURS, command, expected=size, environment={"CONNECTIONS": "1"}, is_ours=True)
        command = (program, url, "1", "1", mode, local)
        return Client(OURS, command, expected=size, leaves=leaves, is_ours=True)

    def c(self, mode, port):
        remote, local, leaves, size = self.task(mode)
        command = (f"{self.places.programs}/sftp", str(port), self.servers.user, self.servers.key, mode)
        depth = {"DEPTH": "512" if mode == "get" else "16" if port == self.near else "128"}
        if mode == "get":
            return Client(C, (*command, remote + "/{}", str(SMALL_FILES)), expected=size, environment=depth)
        return Client(C, (*command, remote, local), expected=size, leaves=leaves, environment=depth)

    def openssh(self, name, mode, port, shares, options):
        share = shares.get(USUAL, 1)
        remote, local, leaves, _ = self.task(mode, share)
        line = {"get": f"get {remote}/* {local}", "file": f"get {remote} {local}", "put": f"put {local} {remote}"}[mode]
        batch = f"{self.places.folder}/batch-{mode}-{share:g}"
        with open(batch, "w") as file:
            file.write(line + "\n")
        configuration = f"{self.servers.home}/.ssh/config"
        command = ("sftp", "-q", "-F", configuration, "-P", str(port), *options, "-b", batch, f"{self.servers.user}@127.0.0.1")
        return Client(name, command, share=share, output="", leaves=leaves)

    def curl(self, mode, port, shares):
        share = shares.get(CURL, 1)
        remote, local, leaves, _ = self.task(mode, share)
        command = ["curl", "--silent", "--show-error", "--insecure", "--user", f"{self.servers.user}:", "--key"]
        command += [self.servers.key, "--pubkey", f"{self.servers.key}.pub"]
        url = f"sftp://127.0.0.1:{port}{remote}"
        if mode == "get":
            last = int(SMALL_FILES * share) - 1
            command += ["-o", f"{local}/#1", f"{url}/[0-{last}]"]
        else:
            command += ["-T" if mode == "put" else "-o", local, url]
        return Client(CURL, tuple(command), share=share, output="", leaves=leaves)

    def python(self, name, mode, port, shares):
        share, library = shares.get(name, 1), name.split()[0]
        remote, local, leaves, _ = self.task(mode, share)
        command = (
            self.places.python, f"{self.places.here}/Python/sftp_peer.py", library, str(port), self.servers.user,
            self.servers.key, mode, remote, local,
        )
        needed = {"fsspec": ("fsspec", "paramiko")}.get(library, (library,))
        missing = ", ".join(module for module in needed if module not in self.places.modules)
        return Client(
            name, command, share=share, output="", leaves=leaves, missing=f"{missing} is not installed" if missing else "")

    # Work

    def work(self, key, title, unit, mode, is_far, shares, goals, turns=1):
        self.near = self.servers.ssh
        port = self.servers.delayed_ssh if is_far else self.near
        title += ", through 20 ms" if is_far else ""
        clients = tuple(self.everyone(mode, port, shares))
        return Work(
            key, title, unit, clients, C, tuple(goals), NOTES, is_whole_process=True, turns=turns,
            plotted=PLOTTED if (key, is_far) in (("S1", False), ("S2", True)) else ())

    def large(self):
        goals = [Goal(OURS, 0.85, of=C)]
        goals += [Goal(OURS, 1, of=peer) for peer in (CURL, PARAMIKO, FSSPEC, ASYNCSSH)]
        shares = {PARAMIKO: 1 / 8, FSSPEC: 1 / 8, ASYNCSSH: 1 / 8}
        yield self.work("S1", "1 GiB by SFTP", "MB/s", "file", False, shares, goals, turns=TURNS)
        shares = {USUAL: 1 / 4, CURL: 1 / 32, PARAMIKO: 1 / 32, FSSPEC: 1 / 32, ASYNCSSH: 1 / 8}
        goals = [Goal(OURS, 0.95, of=C), Goal(OURS, 2, of=USUAL)]
        yield self.work("S1", "1 GiB by SFTP", "MB/s", "file", True, shares, goals)

    def small(self):
        goals = [Goal(OURS, 0.25, is_limit=True)]
        goals += [Goal(OURS, 3, of=peer) for peer in (SAME, USUAL, CURL, PARAMIKO, FSSPEC, ASYNCSSH)]
        yield self.work("S2", "1,000 files of 4 KB by SFTP", "s", "get", False, {}, goals)
        shares = {USUAL: 1 / 20, CURL: 1 / 20, PARAMIKO: 1 / 20, FSSPEC: 1 / 20}
        goals = [Goal(OURS, 1, is_limit=True)]
        yield self.work("S2", "1,000 files of 4 KB by SFTP", "s", "get", True, shares, goals)

    def upload(self):
        shares = {PARAMIKO: 1 / 4, FSSPEC: 1 / 4, ASYNCSSH: 1 / 4}
        goals = [Goal(OURS, 0.85, of=C)]
        yield self.work("S3", "256 MiB sent by SFTP", "MB/s", "put", False, shares, goals, turns=TURNS)
        shares = {USUAL: 1 / 4, CURL: 1 / 32, PARAMIKO: 1 / 32, FSSPEC: 1 / 32, ASYNCSSH: 1 / 4}
        goals = [Goal(OURS, 0.95, of=C)] + [Goal(OURS, 1, of=peer) for peer in (SAME, USUAL, CURL, PARAMIKO, FSSPEC, ASYNCSSH)]
        yield self.work("S3", "256 MiB sent by SFTP", "MB/s", "put", True, shares, goals, turns=TURNS)

    def all(self):
        """Makers of work, by key."""
        return {"S1": self.large, "S2": self.small, "S3": self.upload}
