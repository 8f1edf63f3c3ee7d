"""The programs that load by HTTP, and their command lines."""

import os
from dataclasses import replace

from model import Client

OURS, NIO, FOUNDATION = "URLLoading", "AsyncHTTPClient", "FoundationNetworking"
C, C_POLL, C_LARGE, C_USUAL = "C, multi_socket", "C, multi_poll", "C, buffer of 512 KiB", "C, usual buffer"
HANDLERS, DELEGATE, ON_LOOP = "URLLoading, handlers", "URLLoading, delegate", "URLLoading, on the loop's executor"
HTTPX, REQUESTS = "Python, httpx", "Python, requests"


class HTTPClients:
    def __init__(self, places, servers, fixtures):
        self.places, self.servers, self.fixtures = places, servers, fixtures

    def load(self, name, program, url, count, at_once, mode, size=None, path="", **options):
        """A program with the command line that all of these have in common."""
        command = (*program, url, str(count), str(at_once), mode, *([path] if path else []))
        expected = None if size is None else size * count
        return Client(name, command, count=count, expected=expected, is_ours=name.startswith(OURS), **options)

    def c(self, name, *work, **options):
        return self.load(name, (f"{self.places.programs}/http",), *work, **options)

    def swift(self, name, program, *work, **options):
        return self.load(name, (f"{self.places.swift}/{program}",), *work, **options)

    def python(self, name, *work, **options):
        library = name.split()[-1]
        program = (self.places.python, f"{self.places.here}/Python/http_peer.py", library)
        missing = "" if library in self.places.modules else f"{library} is not installed"
        return self.load(name, program, *work, missing=missing, **options)

    def trusting(self, client):
        """FoundationNetworking knows no certificates but the system's: it gets a file system where these are the server's."""
        if client.name != FOUNDATION:
            return client
        script = 'mount --bind "$0" /etc/ssl/certs/ca-certificates.crt && exec "$@"'
        options = ("--mount",) if os.geteuid() == 0 else ("--mount", "--map-root-user")
        return replace(
            client, command=("unshare", *options, "sh", "-c", script, self.servers.authority, *client.command))
