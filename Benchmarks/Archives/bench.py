"""Measures archive members against peers, in one run, and prints tables in Markdown.

    bench.py FOLDER URLLOAD EXTRACT_MEMBER PYTHON [ROUNDS]

FOLDER gets the archives (about 2.2 GiB; kept for the next run) and the servers' files. URLLOAD is the command of this package,
built for release; EXTRACT_MEMBER the C program beside this file; PYTHON has what requirements.txt lists.
"""

import hashlib
import os
import random
import socket
import statistics
import subprocess
import sys
import time
import urllib.parse
import zipfile

MEMBERS = 20_000
WANTED = ("files/012/012345.bin", "files/004/004711.bin")


def main():
    folder, urlload, extract, python = sys.argv[1:5]
    rounds = int(sys.argv[5]) if len(sys.argv) > 5 else 5
    os.makedirs(f"{folder}/www", exist_ok=True)
    many, large = f"{folder}/www/many.zip", f"{folder}/www/large.zip"
    make_many(many)
    make_large(large)
    bench = Bench(folder, urlload, extract, python, rounds)
    with bench.nginx(), bench.ftp():
        bench.one_member(many)
    bench.extraction(large)
    bench.listing(many)


def make_many(path):
    """1 GiB in 20,000 members, of which every hundredth has 1 KiB."""
    if os.path.exists(path):
        return
    source = random.Random(1)
    block = source.randbytes(1 << 20)
    with zipfile.ZipFile(path + ".new", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(MEMBERS):
            name = f"files/{number // 1000:03}/{number:06}.bin"
            size = 1024 if name in WANTED or number % 100 == 0 else 54_000
            start = source.randrange(len(block) - size)
            archive.writestr(name, block[start : start + size])
    os.rename(path + ".new", path)


def make_large(path):
    """A member of 1 GiB that deflates to about a third."""
    if os.path.exists(path):
        return
    source = random.Random(2)
    words = [source.randbytes(source.randrange(2, 9)).hex().encode() for _ in range(4000)]
    with zipfile.ZipFile(path + ".new", "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        with archive.open("large.txt", "w", force_zip64=True) as member:
            left = 1 << 30
            while left > 0:
                text = b" ".join(source.choices(words, k=100_000))[:left]
                member.write(text)
                left -= len(text)
    os.rename(path + ".new", path)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A child process that listens; ended with the block."""

    def __init__(self, command, port):
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.port = port

    def __enter__(self):
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            time.sleep(0.05)
        raise SystemExit("a server did not start")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Bench:
    def __init__(self, folder, urlload, extract, python, rounds):
        self.folder, self.urlload, self.extract, self.python, self.rounds = folder, urlload, extract, python, rounds
        self.access = f"{folder}/access.log"
        self.here = os.path.dirname(os.path.abspath(__file__))

    # Servers

    def nginx(self):
        self.http_port = free_port()
        for number in range(6):
            os.makedirs(f"{self.folder}/tmp{number}", exist_ok=True)
        os.chmod(self.folder, 0o755)
        with open(f"{self.folder}/nginx.conf", "w") as file:
            file.write(
                f"""daemon off; worker_processes 1; pid {self.folder}/nginx.pid; error_log {self.folder}/error.log;
                events {{ worker_connections 512; }}
                http {{
                  log_format bytes '$request_method $body_bytes_sent $http_range'; access_log {self.access} bytes;
                  sendfile on; client_body_temp_path {self.folder}/tmp1; proxy_temp_path {self.folder}/tmp2;
                  fastcgi_temp_path {self.folder}/tmp3; uwsgi_temp_path {self.folder}/tmp4; scgi_temp_path {self.folder}/tmp5;
                  server {{ listen 127.0.0.1:{self.http_port}; root {self.folder}/www;
                    location /whole/ {{ alias {self.folder}/www/; max_ranges 0; }} }}
                }}"""
            )
        return Server(["/usr/sbin/nginx", "-p", self.folder, "-c", f"{self.folder}/nginx.conf"], self.http_port)

    def ftp(self):
        self.ftp_port = free_port()
        code = (
            "from pyftpdlib.authorizers import DummyAuthorizer; from pyftpdlib.handlers import FTPHandler;"
            "from pyftpdlib.servers import FTPServer; a = DummyAuthorizer();"
            f"a.add_anonymous({self.folder + '/www'!r}); FTPHandler.authorizer = a; FTPHandler.use_sendfile = False;"
            f"FTPServer(('127.0.0.1', {self.ftp_port}), FTPHandler).serve_forever()"
        )
        return Server([self.python, "-c", code], self.ftp_port)

    # Running

    def run(self, command, environment=None):
        """Runs a command; its output's hash, seconds, and peak memory in MB."""
        digest = hashlib.sha256()
        memory = f"{self.folder}/memory"
        start = time.monotonic()
        # The kernel counts the memory of whoever started a process as the process's: a small program starts it.
        process = subprocess.Popen(
            ["/usr/bin/time", "-q", "-f", "%M", "-o", memory, *command], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env={**os.environ, **(environment or {})},
        )
        while chunk := process.stdout.read(1 << 20):
            digest.update(chunk)
        status = process.wait()
        seconds = time.monotonic() - start
        with open(memory) as file:
            peak = int(file.read().split()[-1]) / 1024
        return digest.hexdigest() if status == 0 else None, seconds, peak

    def requests(self):
        """What the HTTP server sent since the last call: the number of requests, and bytes."""
        time.sleep(0.1)
        rows = []
        if os.path.exists(self.access):
            with open(self.access) as file:
                rows = [line.split() for line in file]
            open(self.access, "w").close()
        return len(rows), sum(int(row[1]) for row in rows)

    def member(self, archive, member):
        return f"archive://{urllib.parse.quote(archive, safe='-._~')}/{member}"

    # Work

    def one_member(self, many):
        with zipfile.ZipFile(many) as archive:
            wanted = [hashlib.sha256(archive.read(name)).hexdigest() for name in WANTED]
            directory = os.path.getsize(many) - archive.start_dir
        http = f"http://127.0.0.1:{self.http_port}"
        ftp = f"ftp://127.0.0.1:{self.ftp_port}"
        print(f"## One member of 1 KiB from a zip of {MEMBERS:,} members, {os.path.getsize(many) / 2**20:,.0f} MiB\n")
        print(f"The directory has {directory:,} bytes.\n")
        print("| | source | ms | MB resident | requests | bytes |\n| --- | --- | --- | --- | --- | --- |")
        for name, source in (
            ("http", f"{http}/many.zip"), ("http without ranges", f"{http}/whole/many.zip"),
            ("ftp", f"{ftp}/many.zip"), ("file", f"file://{many}"),
        ):
            self.row("urlload", name, [self.urlload, self.member(source, WANTED[0])], wanted[0])
        both = [self.urlload, "--parallel", "1", "-o", f"{self.folder}/1", "-o", f"{self.folder}/2"]
        both += [self.member(f"{http}/many.zip", name) for name in WANTED]
        self.row("urlload, two members", "http", both, None)
        for number, digest in enumerate(wanted, 1):
            with open(f"{self.folder}/{number}", "rb") as file:
                if hashlib.sha256(file.read()).hexdigest() != digest:
                    raise SystemExit(f"member {number} differs")
        index = f"{self.folder}/index"
        os.makedirs(index, exist_ok=True)
        command = [self.urlload, "--archive-index", index, self.member(f"{http}/many.zip", WANTED[0])]
        self.run(command)
        self.requests()
        command[-1] = self.member(f"{http}/many.zip", WANTED[1])
        self.row("urlload, index on disk", "http", command, wanted[1])
        for peer in ("remotezip", "fsspec-zip", "fsspec-libarchive"):
            for name, source in (("http", f"{http}/many.zip"), ("http without ranges", f"{http}/whole/many.zip")):
                command = [self.python, f"{self.here}/peers.py", peer, source, WANTED[0]]
                self.row(peer, name, command, hashlib.sha256((wanted[0] + "\n").encode()).hexdigest())
        print()

    def row(self, who, source, command, expected):
        self.requests()
        times, peak, right = [], 0, True
        for number in range(self.rounds):
            digest, seconds, memory = self.run(command)
            times.append(seconds * 1000)
            peak = max(peak, memory)
            right = right and digest is not None and (expected is None or digest == expected)
            if not right:
                break
        requests, sent = self.requests()
        count = len(times)
        words = f"{requests / count:g} | {sent / count:,.0f}" if requests else "- | -"
        result = f"{statistics.median(times):.0f} | {peak:.0f} | {words}" if right else f"fails | - | {words}"
        print(f"| {who} | {source} | {result} |", flush=True)

    def compare(self, title, commands):
        print(f"## {title}\n\n| | s | ratio to the first | MB resident |\n| --- | --- | --- | --- |")
        times = {name: [] for name, _ in commands}
        peaks = dict.fromkeys(times, 0)
        for _ in range(self.rounds):
            for name, command in commands:
                digest, seconds, memory = self.run(command)
                if digest is None:
                    raise SystemExit(f"{name} failed: {command}")
                times[name].append(seconds)
                peaks[name] = max(peaks[name], memory)
        first = statistics.median(times[commands[0][0]])
        for name, _ in commands:
            seconds = statistics.median(times[name])
            print(f"| {name} | {seconds:.3f} | {first / seconds:.2f} | {peaks[name]:.0f} |", flush=True)
        print()

    def extraction(self, large):
        self.compare(
            "A deflated member of 1 GiB, to standard output",
            [
                ("C on libarchive", [self.extract, large, "large.txt"]),
                ("urlload", [self.urlload, self.member(f"file://{large}", "large.txt")]),
                ("bsdtar", ["bsdtar", "-xOf", large, "large.txt"]),
                ("unzip", ["unzip", "-p", large, "large.txt"]),
            ],
        )

    def listing(self, many):
        # One folder after another would be the work of many commands: list what a recursive command lists.
        self.compare(
            f"Listing of {MEMBERS:,} members",
            [
                ("urlload ls", [self.urlload, "ls", "--recursive", self.member(f"file://{many}", "")]),
                ("bsdtar", ["bsdtar", "-tf", many]),
                ("unzip", ["unzip", "-l", many]),
                ("zipinfo", ["unzip", "-Z1", many]),
                ("zipfile", [self.python, "-m", "zipfile", "-l", many]),
            ],
        )


main()
