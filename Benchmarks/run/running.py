"""Runs one client once and tells what it took."""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import threading

from model import Sample

LONGEST = 90


class Failure(Exception):
    """A client that did not do its work; says why."""


class Runner:
    def __init__(self, programs, folder, environment):
        self.programs, self.folder, self.environment = programs, folder, environment

    def run(self, work, client):
        """A sample. Raises `Failure` where the client fails, or says that it did other work than it was given."""
        result = os.path.join(self.folder, "result")
        if client.prepares:
            shutil.rmtree(client.prepares[1], ignore_errors=True)
            shutil.copytree(*client.prepares)
        core = str(work.cores[1]) if work.cores else "-"
        output, status, errors = self._execute([f"{self.programs}/run", result, core, *client.command], client)
        try:
            if status is None:
                raise Failure(f"not done in {LONGEST} s")
            if status != 0:
                raise Failure(reason(errors, status))
            with open(result) as file:
                facts = json.load(file)
            self._check_files(client)
            return self._sample(work, client, facts, output)
        finally:
            self._clean(client)

    def _execute(self, command, client):
        """Its output, or what stands for it; its status, None if it took too long; its errors."""
        errors = tempfile.TemporaryFile()
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, start_new_session=True,
            env={**self.environment, **client.environment},
        )
        # The command is a child of the process that measures it: both are ended.
        timer = threading.Timer(LONGEST, lambda: os.killpg(process.pid, 9))
        timer.start()
        digest, lines, kept = hashlib.sha256(), 0, b""
        while chunk := os.read(process.stdout.fileno(), 1 << 20):
            if client.output == "digest":
                digest.update(chunk)
            elif client.output == "lines":
                lines += chunk.count(b"\n")
            else:
                kept += chunk
        status = process.wait()
        is_late = not timer.is_alive()
        timer.cancel()
        errors.seek(0)
        output = {"digest": digest.hexdigest(), "lines": lines}.get(client.output, kept)
        return output, None if is_late else status, errors.read(1 << 16)

    def _sample(self, work, client, facts, output):
        wall, cpu, memory = facts["wall"], facts["cpu"], facts["rss_kb"] / 1024
        moved, grown = client.expected, 0
        if client.output == "report":
            own = json.loads(output.splitlines()[-1])
            if client.expected is not None and own["bytes"] != client.expected:
                raise Failure(f"moved {own['bytes']:,} bytes, not {client.expected:,}")
            moved, grown = own["bytes"], own.get("grown_kb", 0)
            if not work.is_whole_process:
                wall, cpu, memory = own["wall"], own["cpu"], own["rss_kb"] / 1024
        elif client.output == "clock":
            wall = int(output) / 1e9 - facts["begin"]
        elif client.output == "digest" and output != client.expected:
            raise Failure("its bytes are others")
        elif client.output == "lines" and output < client.expected:
            raise Failure(f"{output:,} lines")
        if work.unit == "MB/s":
            if client.leaves:
                moved = client.leaves[1]
            gibibytes = moved / 2**30
            return Sample(moved / 1e6 / wall, cpu * 1000 / gibibytes, memory)
        if work.unit == "KB a task":
            return Sample(grown / client.count, cpu * 1e6 / client.count, memory)
        if work.unit == "requests/s":
            return Sample(client.count / wall, cpu * 1e6 / client.count, memory)
        return Sample(wall / client.share * (1000 if work.unit == "ms" else 1), cpu * 1000 / client.share, memory)

    def _check_files(self, client):
        if client.removes and os.path.exists(client.removes):
            raise Failure(f"left {client.removes}")
        if not client.leaves:
            return
        path, size = client.leaves
        try:
            found = os.path.getsize(path)
            if os.path.isdir(path):
                found = sum(entry.stat().st_size for entry in os.scandir(path))
        except FileNotFoundError:
            raise Failure("left no file") from None
        if found != size:
            raise Failure(f"left {found:,} bytes, not {size:,}")

    def _clean(self, client):
        if not client.leaves:
            return
        path = client.leaves[0]
        if os.path.isdir(path):
            shutil.rmtree(path)
            if not path.endswith("/tree"):
                os.mkdir(path)
        elif os.path.exists(path):
            os.remove(path)


def reason(errors, status):
    """The line of a program's errors that says most."""
    lines = [line.strip() for line in errors.decode(errors="replace").splitlines() if line.strip()]
    if any(line.startswith("Traceback") for line in lines):
        lines = lines[-1:]
    telling = [line for line in lines if "error" in line.lower()] or lines[-1:] or [f"ended with status {status}"]
    return telling[0] if len(telling[0]) < 100 else telling[0][:100] + "…"
