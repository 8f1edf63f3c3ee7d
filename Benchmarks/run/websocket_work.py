"""M1 to M5: messages on a WebSocket connection, to a server in C that sends them back."""

from http_clients import OURS, ON_LOOP, HTTPClients
from model import TURNS, Client, Goal, Work

LWS, NIO, PYTHON = "C, libwebsockets", "SwiftNIO", "Python, websockets"


class WebSocketWork(HTTPClients):
    def client(self, name, program, count, at_once, size, mode="", path="/", missing=""):
        command = (*program, f"{self.servers.websocket}{path}", str(count), str(at_once), str(size), *([mode] if mode else []))
        return Client(
            name, command, count=count, expected=None if mode == "idle" else count * size, is_ours=name.startswith(OURS),
            missing=missing)

    def ours(self, name, *work, **options):
        return self.client(name, (f"{self.places.swift}/websocket-bench",), *work, **options)

    def echo(self, key, title, counts, at_once, size, goals, notes=""):
        """Everyone who sends messages and waits for them to come back."""
        ours, nio, lws, python = counts
        clients = (
            self.client(LWS, (f"{self.places.programs}/websocket",), lws, at_once, size),
            self.ours(OURS, ours, at_once, size), self.ours(ON_LOOP, ours, at_once, size, mode="loop"),
            self.client(NIO, (f"{self.places.swift}/nio-websocket-bench",), nio, at_once, size),
            self.client(
                PYTHON, (self.places.python, f"{self.places.here}/Python/websocket_peer.py"), python, at_once, size,
                missing="" if "websockets" in self.places.modules else "websockets is not installed"),
        )
        return Work(key, title, "requests/s", clients, LWS, goals, notes, turns=TURNS)

    def one(self):
        counts = (20_000, 20_000, 20_000, 10_000)
        goals = (Goal(ON_LOOP, 0.9, of=LWS), Goal(ON_LOOP, 1, of=NIO), Goal(ON_LOOP, 1, of=PYTHON), Goal(OURS, 0.9, of=NIO))
        yield self.echo("M1", "Messages of 64 bytes, one at a time", counts, 1, 64, goals)

    def many(self):
        counts = (200_000, 150_000, 200_000, 50_000)
        goals = tuple(Goal(OURS, ratio, of=name) for name, ratio in ((LWS, 0.9), (NIO, 1), (PYTHON, 1)))
        yield self.echo("M2", "Messages of 64 bytes, 64 in flight", counts, 64, 64, goals)

    def large(self):
        goals = tuple(Goal(OURS, 1, of=name) for name in (LWS, NIO, PYTHON))
        yield self.echo(
            "M3", "Messages of 1 MiB, one at a time", (1_500, 600, 400, 600), 1, 1 << 20, goals,
            "Each message is checked for its length alone.")

    def idle(self):
        yield Work(
            "M4", "1,000 connections that rest", "KB a task", (self.ours(OURS, 1_000, 1, 0, mode="idle"),), OURS,
            (Goal(OURS, 40, is_limit=True),),
            notes="What the process's resident memory grew by, for each connection after the first.")

    def slow(self):
        few, many = f"{OURS}, 32 MiB", f"{OURS}, 1 GiB"
        clients = tuple(
            self.ours(name, count, 1, 64 << 10, mode="slow", path="/flood") for name, count in ((few, 512), (many, 16_384)))
        yield Work(
            "M5", "Messages of 64 KiB to a slow consumer, from a server that sends as fast as it can", "MB/s", clients, few,
            (Goal(many, 1.1, of=few, what="memory", is_limit=True),),
            notes="The consumer rests for 1 ms after each 64 messages. What counts is the resident memory.")

    def all(self):
        """Makers of work, by key."""
        return {"M1": self.one, "M2": self.many, "M3": self.large, "M4": self.idle, "M5": self.slow}
