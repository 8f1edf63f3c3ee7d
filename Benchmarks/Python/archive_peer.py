"""Writes one member of an archive to standard output.

    archive_peer.py remotezip|fsspec-zip|fsspec-libarchive|zipfile read|copy URL MEMBER

read takes it in one piece, copy piece by piece.
"""

import shutil
import sys

peer, mode, url, name = sys.argv[1:5]



def copy(member):
    if mode == "copy":
        shutil.copyfileobj(member, sys.stdout.buffer, 1 << 20)
    else:
        sys.stdout.buffer.write(member.read())


if peer == "remotezip":
    from remotezip import RemoteZip

    with RemoteZip(url) as archive, archive.open(name) as file:
        copy(file)
elif peer == "zipfile":
    import zipfile

    with zipfile.ZipFile(url) as archive, archive.open(name) as file:
        copy(file)
else:
    import fsspec

    protocol = {"fsspec-zip": "zip", "fsspec-libarchive": "libarchive"}[peer]
    with fsspec.open(f"{protocol}://{name}::{url}", "rb") as file:
        copy(file)
