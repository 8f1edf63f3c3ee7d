"""A WebSocket server (RFC 6455). What it does is said by the path of the handshake."""

import argparse
import asyncio
import hashlib
import http
import re
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
    if path == "/digest" and not is_digest_right(request):
        challenge = 'Digest realm="test", nonce="n0nce", qop="auth", algorithm=MD5'
        return answer(401, {"WWW-Authenticate": challenge})
    if path == "/cookie":
        connection.response_fields = {"Set-Cookie": "from=handshake; Path=/"}
    return None


def process_response(connection, request, response):
    response.headers.update(getattr(connection, "response_fields", {}))
    return response


def md5(text):
    return hashlib.md5(text.encode()).hexdigest()


def is_digest_right(request):
    """RFC 7616, section 3.4.1, for alice:secret."""
    fields = dict(re.findall(r'(\w+)="?([^",]*)"?', request.headers.get("Authorization", "")))
    if "response" not in fields:
        return False
    secret = md5("alice:test:secret")
    message = md5("GET:" + fields["uri"])
    return fields["response"] == md5(":".join([secret, "n0nce", fields["nc"], fields["cnonce"], "auth", message]))


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
    elif parts.path == "/late":
        await asyncio.sleep(float(query["seconds"][0]))
        await socket.send("late")
        await socket.wait_closed()
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
        handle, "127.0.0.1", options.port, process_request=process_request,
        process_response=process_response, subprotocols=["chat"],
        # Without this a client has to offer one.
        select_subprotocol=lambda connection, offered: "chat" if "chat" in offered else None,
        max_size=None, ping_interval=None,
    ) as server:
        await server.serve_forever()


asyncio.run(main())
