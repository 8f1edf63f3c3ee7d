"""Reads a file, or a `data:` URL that is in a file, and prints one line of JSON: local_peer.py file|data PATH."""

import json
import resource
import sys
import time
import urllib.request

mode, path = sys.argv[1:3]
url = ""
if mode == "data":
    with open(path) as file:
        url = file.read()


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


begin, before = time.monotonic(), cpu()
with urllib.request.urlopen(url) if url else open(path, "rb") as source:
    count = len(source.read())
wall, used = time.monotonic() - begin, cpu() - before
with open("/proc/self/status") as file:
    peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
print(json.dumps({"client": "Python", "mode": mode, "n": 1, "c": 1, "bytes": count, "wall": wall, "cpu": used, "rss_kb": peak}))
