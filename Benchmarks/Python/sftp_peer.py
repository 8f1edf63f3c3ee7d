"""Moves files by SFTP with a Python library.

    sftp_peer.py paramiko|fsspec|asyncssh PORT USER KEY file|get|put|walk|copy|remove REMOTE LOCAL

file loads one file, get all files of a folder, put sends one. With asyncssh walk lists what is in a folder, copy sends a folder, and remove
removes one. The server's key is not checked.
"""

import asyncio
import os
import sys

library, port, user, key, mode, remote, local = sys.argv[1:8]
HOST = "127.0.0.1"


def with_paramiko():
    import paramiko

    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
    client.connect(HOST, int(port), user, key_filename=key, look_for_keys=False, allow_agent=False)
    with client, client.open_sftp() as sftp:
        if mode == "put":
            sftp.put(local, remote)
        elif mode == "file":
            sftp.get(remote, local)
        else:
            for name in sftp.listdir(remote):
                sftp.get(f"{remote}/{name}", f"{local}/{name}")


def with_fsspec():
    from fsspec.implementations.sftp import SFTPFileSystem

    files = SFTPFileSystem(HOST, port=int(port), username=user, key_filename=key, look_for_keys=False, allow_agent=False)
    if mode == "put":
        files.put_file(local, remote)
    elif mode == "file":
        files.get_file(remote, local)
    else:
        for path in files.ls(remote, detail=False):
            files.get_file(path, os.path.join(local, os.path.basename(path)))
    files.client.close()


async def with_asyncssh():
    import asyncssh

    async with asyncssh.connect(HOST, int(port), username=user, client_keys=[key], known_hosts=None, config=None) as connection:
        async with connection.start_sftp_client() as sftp:
            if mode == "put":
                await sftp.put(local, remote)
            elif mode == "file":
                await sftp.get(remote, local)
            elif mode == "walk":
                async for entry in sftp.scandir(remote):
                    if entry.filename not in (".", ".."):
                        print(entry.filename)
            elif mode == "remove":
                await sftp.rmtree(remote)
            elif mode == "copy":
                await sftp.mkdir(remote)
                limit = asyncio.Semaphore(128)

                async def store(name):
                    async with limit:
                        await sftp.put(f"{local}/{name}", f"{remote}/{name}")

                await asyncio.gather(*map(store, os.listdir(local)))
            else:
                names = [name for name in await sftp.listdir(remote) if not name.startswith(".")]
                limit = asyncio.Semaphore(128)

                async def load(name):
                    async with limit:
                        await sftp.get(f"{remote}/{name}", f"{local}/{name}")

                await asyncio.gather(*map(load, names))


if library == "paramiko":
    with_paramiko()
elif library == "fsspec":
    with_fsspec()
else:
    asyncio.run(with_asyncssh())
