"""Prints the nanoseconds of the monotonic clock when the first byte of a URL is there: first_byte.py requests URL."""

import sys
import time

import requests

if not requests.get(sys.argv[2]).content:
    sys.exit(1)
print(time.monotonic_ns())
