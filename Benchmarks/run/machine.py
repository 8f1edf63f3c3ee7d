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


def describe():
    """Rows of a table."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    rows = [
        ("processor", f"{processor()}, {os.cpu_count()} cores"), ("memory", f"{memory:.0f} GiB"),
        ("system", f"{system()}, Linux {platform.release()}"), ("Swift", first_line("swift", "--version")),
        ("libcurl", libcurl()), ("nginx", first_line("/usr/sbin/nginx", "-v")),
        ("OpenSSH", first_line("ssh", "-V")), ("libarchive", first_line("bsdtar", "--version")),
        ("libssh2", first_line("pkg-config", "--modversion", "libssh2")), ("Python", platform.python_version()),
    ]
    return [row for row in rows if row[1]]


def libcurl():
    """Its version and those of the libraries that matter to speed."""
    line = first_line("curl", "--version")
    return ", ".join(re.findall(r"(?:libcurl|OpenSSL|nghttp2|zlib)/\S+", line))


def system():
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return "Linux"


def load():
    return os.getloadavg()[0]
