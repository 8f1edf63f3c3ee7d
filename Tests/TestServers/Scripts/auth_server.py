"""An HTTP server for tests that wants Digest (RFC 7616) or Basic (RFC 7617) authentication."""

import argparse
import base64
import hashlib
import json
import os
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HASHES = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256}
PARAMETER = re.compile(r'([\w*]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]*))')


class Nonces:
    """Nonces given out so far, with the highest count seen of each."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {}

    def new(self):
        nonce = os.urandom(12).hex()
        with self.lock:
            self.counts[nonce] = 0
        return nonce

    def use(self, nonce, count, once):
        """Whether the nonce is good for a request with this count: 'good', 'stale' or 'replayed'."""
        with self.lock:
            last = self.counts.get(nonce)
            if last is None or (once and last > 0):
                return "stale"
            if count is not None and count <= last:
                return "replayed"
            self.counts[nonce] = count if count is not None else last + 1
            return "good"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    options = None
    nonces = Nonces()
    schemes = {
        "/digest/md5": [("MD5", "auth")],
        "/digest/sha256": [("SHA-256", "auth")],
        "/digest/both": [("SHA-256", "auth"), ("MD5", "auth")],
        "/digest/legacy": [(None, None)],
        "/digest/stale": [("MD5", "auth")],
        "/digest/md5-sess": [("MD5-sess", "auth")],
        "/digest/sha256-sess": [("SHA-256-sess", "auth")],
        "/digest/auth-int": [("MD5", "auth-int")],
        "/digest/either-qop": [("SHA-256", "auth-int,auth")],
        "/digest/auth-int-or-basic": [("MD5", "auth-int"), "Basic"],
        "/basic": ["Basic"],
        "/either": [("SHA-256", "auth"), ("MD5", "auth"), "Basic"],
    }

    def handle_request(self):
        body = self.read_body()
        path = self.path.split("?")[0].rstrip("/")
        schemes = self.schemes.get(path)
        if schemes is None:
            return self.answer(404, b"no such path\n")
        stale = False
        field = self.headers.get("Authorization", "")
        scheme, _, rest = field.partition(" ")
        accepted = None
        if scheme.lower() == "basic" and "Basic" in schemes:
            accepted = self.check_basic(rest)
        elif scheme.lower() == "digest":
            accepted, stale = self.check_digest(rest, schemes, body, once=path == "/digest/stale")
        if accepted is None:
            return self.challenge(schemes, stale)
        accepted.update(scheme=scheme, method=self.command, path=self.path, body=body.decode("latin-1"))
        self.answer(200, json.dumps(accepted).encode(), {"Content-Type": "application/json"})

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = handle_request

    def read_body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            body = b""
            while True:
                size = int(self.rfile.readline().split(b";")[0], 16)
                body += self.rfile.read(size)
                self.rfile.readline()
                if size == 0:
                    return body
        return self.rfile.read(int(self.headers.get("Content-Length", "0")))

    def check_basic(self, token):
        try:
            user, _, password = base64.b64decode(token.strip()).decode("utf-8").partition(":")
        except ValueError:
            return None
        if (user, password) != (self.options.user, self.options.password):
            return None
        return {"user": user}

    def check_digest(self, text, schemes, body, once):
        given = {}
        for name, quoted, token in PARAMETER.findall(text):
            given[name.lower()] = re.sub(r"\\(.)", r"\1", quoted) if quoted else token
        algorithm = given.get("algorithm")
        offered = next((s for s in schemes if s != "Basic" and s[0] == algorithm), None)
        # http.server decodes fields as Latin-1.
        user = given.get("username", "").encode("latin-1", "replace").decode("utf-8", "replace")
        if offered is None or user != self.options.user or given.get("uri") != self.path:
            return None, False

        def digest(*parts):
            return hash_of(":".join(parts).encode("utf-8"))

        def hash_of(data):
            return HASHES[(algorithm or "MD5").removesuffix("-sess")](data).hexdigest()

        first = digest(user, self.options.realm, self.options.password)
        if algorithm and algorithm.endswith("-sess"):
            first = digest(first, given.get("nonce", ""), given.get("cnonce", ""))
        qop = given.get("qop")
        second = digest(self.command, given["uri"], *([hash_of(body)] if qop == "auth-int" else []))
        count = None
        if offered[1] is None:
            expected = digest(first, given.get("nonce", ""), second)
        else:
            if qop not in offered[1].split(",") or not re.fullmatch("[0-9a-fA-F]{8}", given.get("nc", "")):
                return None, False
            count = int(given["nc"], 16)
            expected = digest(first, given["nonce"], given["nc"], given.get("cnonce", ""), qop, second)
        if given.get("response") != expected:
            return None, False
        verdict = self.nonces.use(given["nonce"], count, once)
        if verdict != "good":
            return None, verdict == "stale"
        return {**given, "user": user}, False

    def challenge(self, schemes, stale):
        fields = []
        for scheme in schemes:
            realm = self.options.realm
            if scheme == "Basic":
                fields.append(f'Basic realm="{realm}", charset="UTF-8"')
                continue
            algorithm, qop = scheme
            text = f'Digest realm="{realm}", nonce="{self.nonces.new()}", opaque="opaque value"'
            if algorithm:
                text += f", algorithm={algorithm}"
            if qop:
                text += f', qop="{qop}", charset="UTF-8"'
            if stale:
                text += ", stale=true"
            fields.append(text)
        self.answer(401, b"authenticate\n", {"WWW-Authenticate": fields})

    def answer(self, status, body, fields={}):
        self.log_line(status)
        self.send_response(status)
        for name, value in fields.items():
            for one in value if isinstance(value, list) else [value]:
                self.send_header(name, one)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_line(self, status):
        sys.stderr.write(f'{self.command} {self.path} {status} "{self.headers.get("Authorization", "")}"\n')
        sys.stderr.flush()

    def log_message(self, *arguments):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, client_address):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--user", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--realm", required=True)
    Handler.options = parser.parse_args()
    Server(("127.0.0.1", Handler.options.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
