"""Works on a WebDAV server with fsspec's file system, webdav4.

    webdav_peer.py URL list FOLDER
    webdav_peer.py URL put FOLDER LOCAL
"""

import os
import sys

from webdav4.fsspec import WebdavFileSystem

url, mode, folder = sys.argv[1:4]
files = WebdavFileSystem(url)
if mode == "list":
    for entry in files.ls(folder, detail=True):
        print(entry["name"])
else:
    local = sys.argv[4]
    files.makedirs(folder, exist_ok=True)
    for name in os.listdir(local):
        files.put_file(os.path.join(local, name), f"{folder}/{name}")
