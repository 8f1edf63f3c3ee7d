"""HTTP/3 servers on one address, which do what no good server does: each on a port of its own, by its name in `MODES`; what a path asks for is in
`Peer.answer`.

Prints `request<tab>name<tab>path` for each request, and `connection<tab>name` for each connection.
"""

import argparse
import asyncio
import json
import os
import random
import sys

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import serve
from aioquic.buffer import encode_uint_var
from aioquic.h3.connection import ErrorCode, FrameType, H3Connection, encode_frame
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration

BODY = b"".join(b"%07d\n" % number for number in range(12_500))
# Which protocols and versions each server has.
MODES = {
    "good": {},
    "protocol": {"alpn_protocols": ["hq-interop"]},
    "version": {"supported_versions": [0x6B3343CF]},
    "untrusted": {},
    # Nothing but its handshake makes sense.
    "random": {},
}


def log(*fields):
    sys.stdout.write("\t".join(fields) + "\n")
    sys.stdout.flush()


class Peer(QuicConnectionProtocol):
    def __init__(self, *arguments, name, seed, **others):
        super().__init__(*arguments, **others)
        self.name = name
        self.http = None
        self.dead = False
        self.random = random.Random(seed)
        log("connection", name)

    def datagram_received(self, data, address):
        if not self.dead:
            super().datagram_received(data, address)

    def transmit(self):
        if not self.dead:
            super().transmit()

    def quic_event_received(self, event):
        if self.http is None:
            if not self._quic._handshake_complete:
                return
            self.http = H3Connection(self._quic)
        for happened in self.http.handle_event(event):
            if isinstance(happened, HeadersReceived):
                path = dict(happened.headers)[b":path"].decode()
                log("request", self.name, path)
                self.path = path
                self.answer(happened.stream_id, path, happened.stream_ended)
            elif isinstance(happened, DataReceived) and happened.stream_ended and self.path == "/upload":
                self.head(happened.stream_id, length=0, end=True)

    def head(self, stream, status=200, length=None, end=False, fields=()):
        lines = [(b":status", b"%d" % status), (b"server", b"quic_server"), *fields]
        if length is not None:
            lines.append((b"content-length", b"%d" % length))
        self.http.send_headers(stream, lines, end_stream=end)
        self.transmit()

    def body(self, stream, bytes, end=True):
        self.http.send_data(stream, bytes, end_stream=end)
        self.transmit()

    def answer(self, stream, path, ended):
        if self.name == "random":
            asyncio.ensure_future(self.babble(stream))
        elif path == "/upload":
            if ended:
                self.head(stream, length=0, end=True)
        elif path == "/short":
            self.head(stream, length=len(BODY) + 1)
            self.body(stream, BODY)
        elif path == "/long":
            self.head(stream, length=10)
            self.body(stream, BODY)
        elif path == "/reset":
            self.head(stream, length=len(BODY))
            self.body(stream, BODY[:5000], end=False)
            asyncio.get_running_loop().call_later(0.1, self.reset, stream, ErrorCode.H3_INTERNAL_ERROR)
        elif path == "/refuse":
            self.reset(stream, ErrorCode.H3_REQUEST_REJECTED)
        elif path == "/silent":
            pass
        elif path == "/die":
            self.head(stream, length=len(BODY))
            self.body(stream, BODY[:5000], end=False)
            asyncio.get_running_loop().call_later(0.1, self.die)
        elif path == "/close":
            self.head(stream, length=len(BODY))
            self.body(stream, BODY[:5000], end=False)
            asyncio.get_running_loop().call_later(0.1, self.end)
        elif path == "/goaway":
            self.goaway(stream + 4)
            self.head(stream, length=len(BODY))
            self.body(stream, BODY)
        elif path == "/reject":
            self.goaway(stream)
            self.reset(stream, ErrorCode.H3_REQUEST_REJECTED)
        elif path == "/headless":
            self._quic.send_stream_data(stream, encode_frame(FrameType.DATA, BODY), end_stream=True)
            self.transmit()
        elif path == "/nothing":
            self._quic.send_stream_data(stream, b"", end_stream=True)
            self.transmit()
        elif path == "/garbage":
            self._quic.send_stream_data(stream, self.random.randbytes(5000), end_stream=True)
            self.transmit()
        elif path == "/hugehead":
            self.head(stream, fields=[(b"x-%d" % number, b"a" * 60_000) for number in range(100)], end=True)
        else:
            self.head(stream, length=len(BODY))
            self.body(stream, BODY)

    def reset(self, stream, code):
        self._quic.reset_stream(stream, code)
        self.transmit()

    def end(self):
        self.close(error_code=ErrorCode.H3_INTERNAL_ERROR)

    def die(self):
        self.dead = True

    def goaway(self, stream):
        self._quic.send_stream_data(
            self.http._local_control_stream_id, encode_frame(FrameType.GOAWAY, encode_uint_var(stream)))
        self.transmit()

    async def babble(self, stream):
        """Random frames, whole ones and others, on this stream and new ones; random datagrams between."""
        kinds = [*range(16), 0x21, 0x1F * 7 + 0x21, 0x40, 0xFFFF]
        for _ in range(self.random.randrange(1, 40)):
            choice = self.random.randrange(6)
            data = self.random.randbytes(self.random.randrange(200))
            try:
                if choice < 2:
                    self._quic.send_stream_data(stream, encode_frame(self.random.choice(kinds), data))
                elif choice == 2:
                    self._quic.send_stream_data(stream, data)
                elif choice == 3:
                    new = self._quic.get_next_available_stream_id(is_unidirectional=True)
                    self._quic.send_stream_data(new, encode_uint_var(self.random.choice(kinds)) + data)
                elif choice == 4:
                    frame = encode_frame(self.random.choice(kinds), data)
                    self._quic.send_stream_data(self.http._local_control_stream_id, frame)
                else:
                    self._transport.sendto(self.random.randbytes(self.random.randrange(1, 1400)), self.address())
                self.transmit()
            except Exception:
                break
            await asyncio.sleep(0.001)
        end = self.random.randrange(3)
        if end == 0:
            self.reset(stream, self.random.randrange(1 << 30))
        elif end == 1:
            self.end()
        else:
            self._quic.send_stream_data(stream, b"", end_stream=True)
            self.transmit()

    def address(self):
        return self._quic._network_paths[0].addr


async def start(name, options, arguments, seeds):
    configuration = QuicConfiguration(
        is_client=False, **{"alpn_protocols": ["h3"], **options, "idle_timeout": 20.0})
    file = arguments.untrusted if name == "untrusted" else arguments.certificate
    key = arguments.untrusted_key if name == "untrusted" else arguments.key
    configuration.load_cert_chain(file, key)

    def make(*given, **others):
        return Peer(*given, name=name, seed=seeds.random(), **others)

    server = await serve("127.0.0.1", 0, configuration=configuration, create_protocol=make)
    return server._transport.get_extra_info("sockname")[1]


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--untrusted", required=True)
    parser.add_argument("--untrusted-key", required=True)
    parser.add_argument("--ports", required=True)
    parser.add_argument("--ready", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    seeds = random.Random(arguments.seed)
    ports = {name: await start(name, options, arguments, seeds) for name, options in MODES.items()}
    with open(arguments.ports + ".new", "w") as file:
        json.dump(ports, file)
    os.rename(arguments.ports + ".new", arguments.ports)
    ready = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", arguments.ready)
    async with ready:
        await ready.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
