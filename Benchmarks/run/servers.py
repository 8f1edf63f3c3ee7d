"""Starts the servers on free ports of the loopback address, and ends them."""

import fcntl
import getpass
import os
import signal
import socket
import subprocess
import time

import nginx_configuration

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Ports of nginx that stand for as many hosts: clients keep connections for each host and port.
HOSTS = 16


def free_ports(count):
    """Ports that differ: all are bound before the first is let go."""
    listeners = [socket.socket() for _ in range(count)]
    for listener in listeners:
        listener.bind(("127.0.0.1", 0))
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


def free_port():
    return free_ports(1)[0]


class Servers:
    """All servers of a run. Each is started when its port is asked for first."""

    def __init__(self, folder, data, programs, python):
        self.folder, self.data, self.programs, self.python = folder, data, programs, python
        self.processes, self.ports = [], {}
        self.access_log = f"{folder}/access.log"
        self.authority = f"{folder}/ca.pem"
        self.key = f"{folder}/home/.ssh/id_ed25519"
        self.home = f"{folder}/home"
        self.user = getpass.getuser()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._end_service()
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait()

    def _start(self, name, command, port, log=None):
        with open(log or f"{self.folder}/{name}.log", "wb") as output:
            process = subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
        self.processes.append(process)
        for _ in range(400):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    self.ports[name] = port
                    return process
            if process.poll() is not None:
                break
            time.sleep(0.025)
        raise SystemExit(f"{name} did not start; see {self.folder}/{name}.log")

    # nginx

    @property
    def http_hosts(self):
        """HTTP/1.1 on 16 ports; `nginx_configuration` says what is there."""
        if "http" not in self.ports:
            self._start_nginx()
        return [f"http://127.0.0.1:{port}" for port in self.ports["http"]]

    @property
    def https_hosts(self):
        """The same by HTTP/2."""
        return self.http_hosts and [f"https://127.0.0.1:{port}" for port in self.ports["https"]]

    @property
    def http(self):
        return self.http_hosts[0]

    @property
    def closing(self):
        """The same by HTTP/1.1 with TLS; the server closes each connection after its first response."""
        return self.http and f"https://127.0.0.1:{self.ports['closing'][0]}"

    @property
    def closing_newest(self):
        """The same by TLS 1.3."""
        return self.http and f"https://127.0.0.1:{self.ports['closing newest'][0]}"

    @property
    def caching(self):
        """What caches may keep, from nginx's own cache."""
        return self.http and f"http://127.0.0.1:{self.ports['caching'][0]}"

    @property
    def logged(self):
        """Archives, with a log of what was sent."""
        return self.http and f"http://127.0.0.1:{self.ports['logged'][0]}"

    @property
    def delayed_http(self):
        """The first HTTP/1.1 server, 10 ms away in each direction."""
        return self.http and f"http://127.0.0.1:{self._delayed(self.ports['http'][0])}"

    def _start_nginx(self):
        self._make_certificate()
        ports = free_ports(2 * HOSTS + 4)
        names = {
            "http": ports[:HOSTS], "https": ports[HOSTS:-4], "closing": ports[-4:-3], "closing newest": ports[-3:-2],
            "logged": ports[-2:-1], "caching": ports[-1:],
        }
        self.ports |= names
        with open(f"{self.folder}/nginx.conf", "w") as file:
            file.write(nginx_configuration.configuration(self.folder, self.data, names, self.access_log))
        self._start("nginx", ["/usr/sbin/nginx", "-p", self.folder, "-c", f"{self.folder}/nginx.conf"], ports[0])

    def pin_nginx(self, cores):
        """Binds nginx's worker to cores."""
        parent = str(self.processes_by_name("nginx"))
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/stat") as file:
                        fields = file.read().rpartition(")")[2].split()
                    if fields[1] == parent:
                        os.sched_setaffinity(int(entry), cores)
                except OSError:
                    continue

    def processes_by_name(self, name):
        return next(process.pid for process in self.processes if process.args[0].endswith(name))

    def sent(self):
        """Requests and bytes that the logging server answered since the last call."""
        rows = []
        # A request is logged when its answer is out, which may be after the client has gone.
        before = -1
        while before != (before := os.path.getsize(self.access_log) if os.path.exists(self.access_log) else 0):
            time.sleep(0.05)
        if before:
            with open(self.access_log) as file:
                rows = [line.split() for line in file]
            os.truncate(self.access_log, 0)
        return len(rows), sum(int(row[1]) for row in rows)

    def _make_certificate(self):
        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=self.folder)

        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "30", "-subj", "/CN=Benchmark CA")
        openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=127.0.0.1")
        with open(f"{self.folder}/server.ext", "w") as file:
            file.write("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n")
        openssl(
            "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "server.pem",
            "-days", "30", "-extfile", "server.ext",
        )

    # caddy

    @property
    def caddy(self):
        """The same files by HTTP/2 and HTTP/3, on one port."""
        if "caddy" not in self.ports:
            self._start_caddy()
        return f"https://127.0.0.1:{self.ports['caddy']}"

    def _start_caddy(self):
        self.http
        port = free_port()
        path = f"{self.folder}/Caddyfile"
        with open(path, "w") as file:
            file.write(
                "{\n  admin off\n  auto_https off\n  default_sni localhost\n  servers {\n    protocols h1 h2 h3\n  }\n}\n"
                f"https://:{port} {{\n  bind 127.0.0.1\n  tls {self.folder}/server.pem {self.folder}/server.key\n"
                f"  root * {self.data}/www\n  @of path_regexp of ^/of/([0-9]+)/\n  rewrite @of /{{re.of.1}}\n  header Cache-Control no-store\n  file_server\n}}\n"
            )
        self._start("caddy", ["caddy", "run", "--config", path, "--adapter", "caddyfile"], port)

    # SSH

    @property
    def ssh(self):
        if "sshd" not in self.ports:
            self._start_sshd()
        return self.ports["sshd"]

    @property
    def delayed_ssh(self):
        """The same server, 10 ms away in each direction."""
        port = self._delayed(self.ssh)
        self._know_host()
        return port

    def _start_sshd(self):
        os.makedirs(f"{self.home}/.ssh", mode=0o700, exist_ok=True)
        for path in (f"{self.folder}/host-key", self.key):
            if not os.path.exists(path):
                subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
        port = free_port()
        with open(f"{self.folder}/sshd_config", "w") as file:
            file.write(
                f"Port {port}\nListenAddress 127.0.0.1\nPidFile none\nHostKey {self.folder}/host-key\n"
                f"AuthorizedKeysFile {self.key}.pub\nStrictModes no\nUsePAM no\nPermitRootLogin yes\n"
                "PasswordAuthentication no\nMaxStartups 200\nUseDNS no\nSubsystem sftp internal-sftp\n"
            )
        with open(f"{self.home}/.ssh/config", "w") as file:
            file.write(
                f'Host *\n  IdentityFile "{self.key}"\n  UserKnownHostsFile "{self.home}/.ssh/known_hosts"\n'
                "  IdentitiesOnly yes\n"
            )
        # Started as root, sshd wants an empty directory to confine itself to; its service would make it.
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        self._start("sshd", ["/usr/sbin/sshd", "-D", "-e", "-f", f"{self.folder}/sshd_config"], port)
        self._know_host()

    def _know_host(self):
        with open(f"{self.folder}/host-key.pub") as file:
            kind, key = file.read().split()[:2]
        with open(f"{self.home}/.ssh/known_hosts", "w") as file:
            for name in ("sshd", f"delay-proxy-{self.ports['sshd']}"):
                if name in self.ports:
                    file.write(f"[127.0.0.1]:{self.ports[name]} {kind} {key}\n")

    # Others

    def _delayed(self, target):
        """A port that passes everything on to another one, 10 ms later in each direction."""
        name = f"delay-proxy-{target}"
        if name not in self.ports:
            port = free_port()
            self._start(name, [f"{self.programs}/delay-proxy", str(port), str(target), "10"], port)
        return self.ports[name]

    @property
    def ftp(self):
        if "ftp" not in self.ports:
            port = free_port()
            self._start("ftp", [self.python, f"{HERE}/Python/ftp_server.py", f"{self.folder}/archives", str(port)], port)
        return f"ftp://127.0.0.1:{self.ports['ftp']}"

    @property
    def websocket(self):
        """A WebSocket server that sends messages back."""
        if "websocket-echo" not in self.ports:
            port = free_port()
            self._start("websocket-echo", [f"{self.programs}/websocket-echo", str(port)], port)
        return f"ws://127.0.0.1:{self.ports['websocket-echo']}"

    @property
    def service(self):
        """The environment of programs that share a transfer service, which they start."""
        home = f"{self.data}/service"
        os.makedirs(home, mode=0o700, exist_ok=True)
        names = ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
        return {**dict.fromkeys(names, home), "URLLOADD": f"{self.folder}/bin/urlloadd"}

    def _end_service(self):
        try:
            with open(f"{self.data}/service/url-loading/urlloadd/lock") as file:
                process = int(file.read())
                # One that has ended by itself leaves its number.
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.kill(process, signal.SIGTERM)
        except (OSError, ValueError):
            pass

    @property
    def silent(self):
        if "silent-server" not in self.ports:
            port = free_port()
            self._start("silent-server", [f"{self.programs}/silent-server", str(port)], port)
        return f"http://127.0.0.1:{self.ports['silent-server']}"
