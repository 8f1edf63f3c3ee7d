"""Reads one member of a remote zip with a peer, and prints the SHA-256 of its bytes.

    peers.py remotezip|fsspec-zip|fsspec-libarchive|zipfile URL MEMBER
"""

import hashlib
import sys


def read(peer, url, member):
    if peer == "remotezip":
        from remotezip import RemoteZip

        with RemoteZip(url) as archive:
            return archive.read(member)
    if peer == "zipfile":
        import zipfile

        with zipfile.ZipFile(url) as archive:
            return archive.read(member)
    import fsspec

    # Bound by name: fsspec finds it by the protocol of the URL.
    protocol = {"fsspec-zip": "zip", "fsspec-libarchive": "libarchive"}[peer]
    with fsspec.open(f"{protocol}://{member}::{url}", "rb") as file:
        return file.read()


def main():
    peer, url, member = sys.argv[1:4]
    print(hashlib.sha256(read(peer, url, member)).hexdigest())


main()
