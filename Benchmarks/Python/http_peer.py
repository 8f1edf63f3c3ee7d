"""Loads URLs with a Python library and prints one line of JSON that says what it took.

    http_peer.py requests|httpx|requests_cache|hishel URL|@LIST COUNT CONCURRENCY get|sink|file|put [PATH]

LIST is a file with a URL a line; they are loaded in turn, and each request has a field X-Request-ID of its own. The last two keep
responses, and load each URL once before the clock starts.
"""

import asyncio
import json
import os
import resource
import sys
import tempfile
import time

library, url, count, at_once, mode = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
path = sys.argv[6] if len(sys.argv) > 6 else ""
authority = os.environ.get("SSL_CERT_FILE", True)
LARGE = 1 << 20
urls = [url]
if url.startswith("@"):
    with open(url[1:]) as lines:
        urls = lines.read().split()
    url = urls[0]


def request(number):
    """The URL and the fields of a request."""
    return urls[number % len(urls)], {"X-Request-ID": str(number)} if len(urls) > 1 else {}


def with_requests():
    import requests

    session = requests.Session()
    session.trust_env, session.verify = False, authority
    yield
    total = 0
    for number in range(count):
        if mode == "put":
            with open(path, "rb") as file:
                session.put(url, data=file).raise_for_status()
            total += os.path.getsize(path)
        elif mode == "get":
            address, fields = request(number)
            response = session.get(address, headers=fields)
            response.raise_for_status()
            total += len(response.content)
        else:
            with session.get(url, stream=True) as response, open(path if mode == "file" else os.devnull, "wb") as file:
                response.raise_for_status()
                for piece in response.iter_content(LARGE):
                    total += len(piece)
                    if mode == "file":
                        file.write(piece)
    yield total


def with_cache(session):
    """Gets each URL from a session that keeps responses, as often as is wanted."""

    def load(number):
        address, fields = request(number)
        response = session.get(address, headers=fields)
        response.raise_for_status()
        return len(response.content)

    for number in range(len(urls)):
        load(number)
    yield
    yield sum(load(number) for number in range(count))


def with_requests_cache():
    import requests_cache

    folder = tempfile.mkdtemp()
    yield from with_cache(requests_cache.CachedSession(f"{folder}/kept", backend="sqlite", cache_control=True))


def with_hishel():
    import hishel
    import hishel.httpx

    storage = hishel.SyncSqliteStorage(database_path=f"{tempfile.mkdtemp()}/kept.db")
    yield from with_cache(hishel.httpx.SyncCacheClient(storage=storage, trust_env=False))


def with_httpx():
    import httpx

    limits = httpx.Limits(max_connections=at_once, max_keepalive_connections=at_once)
    verify = httpx.create_ssl_context(verify=authority) if url.startswith("https") else False
    yield

    async def run():
        total, left = 0, iter(range(count))
        async with httpx.AsyncClient(
            limits=limits, verify=verify, http2=url.startswith("https"), timeout=60, trust_env=False
        ) as client:

            async def work():
                nonlocal total
                for number in left:
                    address, fields = request(number)
                    response = await client.get(address, headers=fields)
                    response.raise_for_status()
                    total += len(response.content)

            await asyncio.gather(*(work() for _ in range(at_once)))
        return total

    yield asyncio.run(run())


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))


work = {
    "requests": with_requests, "httpx": with_httpx, "requests_cache": with_requests_cache, "hishel": with_hishel,
}[library]()
# Importing a library is no work.
next(work)
begin, before = time.monotonic(), cpu()
total = next(work)
wall, used = time.monotonic() - begin, cpu() - before
print(json.dumps({"client": library, "mode": mode, "n": count, "c": at_once, "bytes": total, "wall": wall, "cpu": used, "rss_kb": peak()}))
