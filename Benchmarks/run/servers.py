"""Starts the servers on free ports of the loopback address, and ends them."""

import getpass
import os
import socket
import subprocess
import time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


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
    def http(self):
        if "nginx" not in self.ports:
            self._start_nginx()
        return f"http://127.0.0.1:{self.ports['nginx']}"

    @property
    def https(self):
        return self.http and f"https://127.0.0.1:{self.ports['https']}"

    @property
    def logged(self):
        """The same files, with a log of what was sent."""
        return self.http and f"http://127.0.0.1:{self.ports['logged']}"

    def _start_nginx(self):
        self._make_certificate()
        port, self.ports["https"], self.ports["logged"] = free_port(), free_port(), free_port()
        temporary = " ".join(
            f"{name}_temp_path {self.data}/nginx-{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        user = "user root;" if os.geteuid() == 0 else ""
        files = f"root {self.data}/www; location /put/ {{ dav_methods PUT; client_max_body_size 0; }}"
        with open(f"{self.folder}/nginx.conf", "w") as file:
            file.write(
                f"""daemon off; {user} worker_processes 1; worker_rlimit_nofile 65536;
                pid {self.folder}/nginx.pid; error_log {self.folder}/error.log;
                events {{ worker_connections 16384; }}
                http {{
                  access_log off; sendfile on; keepalive_requests 100000000; {temporary}
                  server {{ listen 127.0.0.1:{port} backlog=4096; {files} }}
                  server {{ listen 127.0.0.1:{self.ports["https"]} ssl http2 backlog=4096; {files}
                    http2_max_concurrent_streams 256;
                    ssl_certificate {self.folder}/server.pem; ssl_certificate_key {self.folder}/server.key; }}
                  log_format bytes '$request_method $body_bytes_sent';
                  server {{ listen 127.0.0.1:{self.ports["logged"]}; root {self.folder}/archives;
                    access_log {self.access_log} bytes; location /whole/ {{ alias {self.folder}/archives/; max_ranges 0; }} }}
                }}"""
            )
        self._start("nginx", ["/usr/sbin/nginx", "-p", self.folder, "-c", f"{self.folder}/nginx.conf"], port)

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

    # SSH

    @property
    def ssh(self):
        if "sshd" not in self.ports:
            self._start_sshd()
        return self.ports["sshd"]

    @property
    def delayed_ssh(self):
        """The same server, 10 ms away in each direction."""
        if "delay-proxy" not in self.ports:
            port = free_port()
            self._start("delay-proxy", [f"{self.programs}/delay-proxy", str(port), str(self.ssh), "10"], port)
            self._know_host()
        return self.ports["delay-proxy"]

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
            for name in ("sshd", "delay-proxy"):
                if name in self.ports:
                    file.write(f"[127.0.0.1]:{self.ports[name]} {kind} {key}\n")

    # Others

    @property
    def ftp(self):
        if "ftp" not in self.ports:
            port = free_port()
            self._start("ftp", [self.python, f"{HERE}/Python/ftp_server.py", f"{self.folder}/archives", str(port)], port)
        return f"ftp://127.0.0.1:{self.ports['ftp']}"

    @property
    def silent(self):
        if "silent-server" not in self.ports:
            port = free_port()
            self._start("silent-server", [f"{self.programs}/silent-server", str(port)], port)
        return f"http://127.0.0.1:{self.ports['silent-server']}"
