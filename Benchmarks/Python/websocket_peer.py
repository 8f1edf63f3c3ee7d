"""Sends messages on one WebSocket connection, so many at once, and waits for each to come back: `URL COUNT CONCURRENCY SIZE`."""

import asyncio
import json
import resource
import sys
import time

from websockets.asyncio.client import connect


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def main():
    url, count, concurrency, size = sys.argv[1], *map(int, sys.argv[2:5])
    message = b"a" * size
    async with connect(url, compression=None, max_size=None) as socket:
        start, used = time.monotonic(), cpu()
        for _ in range(min(concurrency, count)):
            await socket.send(message)
        for number in range(count):
            if len(await socket.recv()) != size:
                raise SystemExit("another message came back")
            if number + concurrency < count:
                await socket.send(message)
        wall, used = time.monotonic() - start, cpu() - used
    print(json.dumps({
        "client": "websockets", "mode": "echo", "n": count, "c": concurrency, "bytes": count * size, "wall": wall, "cpu": used,
        "rss_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))


asyncio.run(main())
