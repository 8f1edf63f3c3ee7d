"""What the numbers were taken on."""

import os
import platform
import re
import subprocess


def first_line(*command):
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ((result.stdout or result.stderr).strip().splitlines() or [""])[0]


def processor():
    with open("/proc/cpuinfo") as file:
        found = re.search(r"model name\s*: (.*)", file.read())
    return found.group(1).strip() if found else platform.machine()


def made_with():
    """What counts depend on."""
    libraries = ("libcurl", "libssh2", "libarchive", "libcrypto", "zlib")
    result = subprocess.run(["pkg-config", "--modversion", *libraries], capture_output=True, text=True, check=True)
    return {
        "Swift": first_line("swift", "--version"), "valgrind": first_line("valgrind", "--version"),
        "processor": processor(), "glibc": " ".join(platform.libc_ver()),
        **dict(zip(libraries, result.stdout.split())),
    }


def describe(*libraries):
    """Rows of a table; LIBRARIES are those of `libraries_of`."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    rows = [
        ("processor", f"{processor()}, {os.cpu_count()} cores"), ("memory", f"{memory:.0f} GiB"),
        ("system", f"{system()}, Linux {platform.release()}"), ("Swift", first_line("swift", "--version")),
        *libraries, ("nginx", first_line("/usr/sbin/nginx", "-v")), ("OpenSSH", first_line("ssh", "-V")),
        ("libarchive", first_line("bsdtar", "--version")), ("Python", platform.python_version()),
    ]
    return [row for row in rows if row[1]]


def libraries_of(programs, environment=None, word=""):
    """Names and versions of the libraries that clients have which are started in this environment."""
    output = subprocess.run(
        [f"{programs}/libraries"], capture_output=True, text=True, check=True, env={**os.environ, **(environment or {})}).stdout
    found = dict(line.split("\t") for line in output.splitlines())
    # Those that matter to speed.
    found["libcurl"] = ", ".join(re.findall(r"(?:libcurl|OpenSSL|nghttp2|zlib)/\S+", found["libcurl"]))
    return [(name + word, version) for name, version in found.items()]


def system():
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return "Linux"


def load():
    return os.getloadavg()[0]
