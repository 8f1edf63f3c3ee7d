"""Servers, a folder in memory, and the environment of programs whose work is counted."""

import contextlib
import os
import shutil
import sys
import tempfile

from servers import Servers


@contextlib.contextmanager
def serving(folder):
    """The servers, the folder with what they serve, and the environment."""
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o755)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else folder
    data = tempfile.mkdtemp(prefix="url-loading-bench-", dir=memory)
    os.chmod(data, 0o755)
    try:
        with Servers(folder, data, "", sys.executable) as servers:
            yield servers, data, {
                "PATH": os.environ["PATH"], "HOME": servers.home, "CFFIXED_USER_HOME": servers.home,
                # Else the order in dictionaries is another in each process.
                "SWIFT_DETERMINISTIC_HASHING": "1",
            }
    finally:
        shutil.rmtree(data)
