"""A WebSocket server (RFC 6455). What it does is said by the path of the handshake."""

import argparse
import asyncio
import http
import urllib.parse

from websockets.asyncio.server import serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Response


def answer(status, fields):
    headers = Headers(fields)
    headers["Content-Length"] = "0"
    headers["Connection"] = "close"
    return Response(status, http.HTTPStatus(status).phrase, headers, b"")


def process_request(connection, request):
    path = urllib.parse.urlsplit(request.path).path
    if path == "/missing":
        return answer(404, {})
    if path == "/redirect":
        return answer(302, {"Location": "/echo"})
    # alice:secret
    if path == "/login" and request.headers.get("Authorization") != "Basic YWxpY2U6c2VjcmV0":
        return answer(401, {"WWW-Authenticate": 'Basic realm="test"'})
    return None


async def handle(socket):
    parts = urllib.parse.urlsplit(socket.request.path)
    query = urllib.parse.parse_qs(parts.query)
    if parts.path == "/close":
        await socket.close(int(query["code"][0]), query.get("reason", [""])[0])
    elif parts.path == "/abort":
        socket.transport.abort()
    elif parts.path == "/fin":
        socket.transport.close()
    elif parts.path == "/raw":
        # What no good server sends.
        socket.transport.write(bytes.fromhex(query["bytes"][0]))
        await socket.wait_closed()
        print("closed", socket.close_code, flush=True)
    elif parts.path == "/fields":
        await socket.send("\n".join(f"{name}: {value}" for name, value in socket.request.headers.raw_items()))
        await socket.wait_closed()
    elif parts.path == "/flood":
        message = bytes(64 << 10)
        try:
            for _ in range(int(query["count"][0])):
                await socket.send(message)
            await socket.close()
        except ConnectionClosed:
            pass
    elif parts.path == "/ping":
        waiter = await socket.ping(b"hello")
        await waiter
        await socket.send("answered")
        await socket.wait_closed()
    else:
        async for message in socket:
            await socket.send(message)
        print("closed", socket.close_code, socket.close_reason, flush=True)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    async with serve(
        handle, "127.0.0.1", options.port, process_request=process_request, subprotocols=["chat"],
        # Without this a client has to offer one.
        select_subprotocol=lambda connection, offered: "chat" if "chat" in offered else None,
        max_size=None, ping_interval=None,
    ) as server:
        await server.serve_forever()


asyncio.run(main())
