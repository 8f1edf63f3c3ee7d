"""An HTTP server that logs connections in, not requests: NTLM, by pyspnego, which verifies NTLMv2 responses; Negotiate (RFC 4559), by
MIT's GSS-API and the keytab that KRB5_KTNAME names. Or a proxy that does so: it answers requests for http itself, and makes tunnels."""

import argparse
import base64
import ctypes
import itertools
import os
import select
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

numbers = itertools.count(1)


def say(*words):
    """A line of the log, in one write: many threads have something to say."""
    os.write(1, (" ".join(str(word) for word in words) + "\n").encode())


class NTLM:
    """One login: a token in, a token out, and at the end a user."""

    def __init__(self):
        import spnego

        self.context = spnego.server(protocol="ntlm", options=spnego.NegotiateOptions.use_ntlm)

    def step(self, token):
        answer = self.context.step(token)
        return answer, self.context.client_principal if self.context.complete else None


class Buffer(ctypes.Structure):
    _fields_ = [("length", ctypes.c_size_t), ("value", ctypes.c_void_p)]


class Negotiate:
    """One login by gss_accept_sec_context (RFC 2744, section 5.1)."""

    library = None

    def __init__(self):
        if Negotiate.library is None:
            Negotiate.library = ctypes.CDLL("libgssapi_krb5.so.2")
        self.context = ctypes.c_void_p()

    def step(self, token):
        gss = Negotiate.library
        minor = ctypes.c_uint32()
        received = Buffer(len(token), ctypes.cast(ctypes.c_char_p(token), ctypes.c_void_p))
        name = ctypes.c_void_p()
        output = Buffer()
        major = gss.gss_accept_sec_context(
            ctypes.byref(minor), ctypes.byref(self.context), None, ctypes.byref(received), None, ctypes.byref(name),
            None, ctypes.byref(output), None, None, None)
        if major not in (0, 1):
            raise ValueError(f"GSS-API says {major:#x} {minor.value}")
        answer = ctypes.string_at(output.value, output.length) if output.length else None
        if major == 1:
            return answer, None
        text = Buffer()
        gss.gss_display_name(ctypes.byref(minor), name, ctypes.byref(text), None)
        return answer, ctypes.string_at(text.value, text.length).decode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    scheme = "NTLM"
    logins = NTLM

    def setup(self):
        super().setup()
        self.number = next(numbers)
        self.login = None
        self.user = None

    def log_in(self):
        """Returns whether the connection has a user, and the token of the answer; without one it has been refused."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        field = self.headers.get(self.asking) or ""
        scheme, _, text = field.partition(" ")
        answer = None
        if scheme.lower() == self.scheme.lower():
            try:
                if self.login is None or self.user is not None:
                    self.login, self.user = self.logins(), None
                answer, self.user = self.login.step(base64.b64decode(text))
            except Exception as error:  # whatever is wrong with a token refuses it
                say("refused", self.number, type(error).__name__)
                self.login = None
        if self.user is None:
            self.refuse(answer)
        return self.user is not None, answer

    def do_GET(self):
        is_known, answer = self.log_in()
        if not is_known:
            return
        self.answer(200, f"{self.user} {self.number} {self.path}", answer)
        say("served", self.number, self.user, self.path)

    do_POST = do_PUT = do_GET
    asking, offering, refusal = "Authorization", "WWW-Authenticate", 401

    def refuse(self, answer):
        self.answer(self.refusal, "no", answer, challenge=True)

    def answer(self, status, text, token, challenge=False):
        body = text.encode()
        self.send_response(status)
        if token is not None:
            self.send_header(self.offering, f"{self.scheme} {base64.b64encode(token).decode()}")
        elif challenge:
            self.send_header(self.offering, self.scheme)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class ProxyHandler(Handler):
    asking, offering, refusal = "Proxy-Authorization", "Proxy-Authenticate", 407

    def do_CONNECT(self):
        if not self.log_in()[0]:
            return
        say("served", self.number, self.user, self.path)
        self.close_connection = True
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((host, int(port))) as server:
            self.send_response(200)
            self.end_headers()
            ways = {self.connection: server, server: self.connection}
            while True:
                for ready in select.select(list(ways), [], [])[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    ways[ready].sendall(data)


class Server(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--scheme", choices=["NTLM", "Negotiate"], required=True)
    parser.add_argument("--proxy", action="store_true")
    options = parser.parse_args()
    Handler.scheme = options.scheme
    Handler.logins = NTLM if options.scheme == "NTLM" else Negotiate
    Server(("127.0.0.1", options.port), ProxyHandler if options.proxy else Handler).serve_forever()


if __name__ == "__main__":
    main()
