"""HTTP/1.1 servers over TLS that do what no good server does: each listens on a port of its own, as a file of JSON says.

Prints a line, of fields between tabs, for each handshake, for each that fails, and for each request.
"""

import argparse
import json
import os
import socket
import sys
import threading

from OpenSSL import SSL

import shown_certificates

VERSIONS = {
    "1.0": SSL.TLS1_VERSION, "1.1": SSL.TLS1_1_VERSION, "1.2": SSL.TLS1_2_VERSION, "1.3": SSL.TLS1_3_VERSION,
}
# A client that says nothing is given up after so many seconds.
PATIENCE = 60

log_lock = threading.Lock()
count = 0


def log(*fields):
    with log_lock:
        sys.stdout.write("\t".join(str(field) for field in fields) + "\n")
        sys.stdout.flush()


def next_number():
    global count
    with log_lock:
        count += 1
        return count


def make_context(options, chain):
    context = SSL.Context(SSL.TLS_SERVER_METHOD)
    # What is weak is what clients are tested with.
    context.set_cipher_list((options.get("ciphers") or "DEFAULT").encode() + b":@SECLEVEL=0")
    context.set_min_proto_version(VERSIONS[options.get("minimum") or "1.2"])
    context.set_max_proto_version(VERSIONS[options.get("maximum") or "1.3"])
    context.set_session_id(b"tls_server")
    if chain:
        context.use_certificate_chain_file(chain)
        context.use_privatekey_file(chain)
    if options.get("staple"):
        with open(options["staple"], "rb") as file:
            staple = file.read()
        context.set_ocsp_server_callback(lambda connection, data: staple)
    if options.get("clientCertificate"):
        mode = SSL.VERIFY_PEER
        if options["clientCertificate"] == "required":
            mode |= SSL.VERIFY_FAIL_IF_NO_PEER_CERT
        context.set_verify(mode, lambda connection, certificate, error, depth, good: bool(good))
        context.load_verify_locations(options["clientAuthorities"])
        context.load_client_ca(options["clientAuthorities"].encode())
    return context


def finish(client):
    """Sends FIN, and reads until the client has closed: for bytes that nobody has read the kernel would send RST, which may overtake
    what was said last."""
    try:
        client.shutdown(socket.SHUT_WR)
        while client.recv(65536):
            pass
    except OSError:
        pass
    client.close()


class Server:
    def __init__(self, name, options):
        self.name = name
        self.options = options
        self.contexts = [make_context(options, chain) for chain in options.get("chains") or [None]]
        self.lock = threading.Lock()
        self.turn = 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.guard, args=(client,), daemon=True).start()

    def guard(self, client):
        number = next_number()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # pyOpenSSL takes a timeout in Python for a socket that does not block.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, PATIENCE.to_bytes(8, sys.byteorder) + bytes(8))
        try:
            if self.options.get("speaks") == "plain":
                client.recv(4096)
                client.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            elif self.options.get("speaks") == "nothing":
                client.recv(4096)
            elif self.options.get("shows"):
                shown_certificates.show(client, self.options["shows"], self.options.get("staple"))
            else:
                self.speak(client, number)
        except (SSL.Error, OSError) as error:
            log("ended", self.name, number, repr(error))
        finally:
            finish(client)

    def speak(self, client, number):
        with self.lock:
            context = self.contexts[self.turn % len(self.contexts)]
            self.turn += 1
        connection = SSL.Connection(context, client)
        connection.set_accept_state()
        try:
            connection.do_handshake()
        except (SSL.Error, OSError) as error:
            return log("failed", self.name, number, repr(error))
        # No method of pyOpenSSL's says so. Its version is pinned.
        resumed = SSL._lib.SSL_session_reused(connection._ssl)
        certificate = connection.get_peer_certificate()
        subject = certificate.get_subject().CN if certificate else "-"
        log("handshake", self.name, number, connection.get_protocol_version_name(), resumed, subject)
        self.answer(connection, number, resumed, subject)
        connection.shutdown()

    def answer(self, connection, number, resumed, subject):
        received = b""
        while True:
            while b"\r\n\r\n" not in received:
                data = connection.recv(65536)
                received += data
            head, received = received.split(b"\r\n\r\n", 1)
            path = head.split(b" ", 2)[1].decode("latin-1")
            log("request", self.name, number, path, subject)
            body = f"connection {number}\nresumed {resumed}\nsubject {subject}\n".encode()
            fields = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(body)
            if self.options.get("renegotiates"):
                connection.sendall(fields + body[:5])
                connection.renegotiate()
                connection.do_handshake()
                # What the client says about it is read here; one that makes the handshake says nothing else.
                try:
                    connection.recv(65536)
                except SSL.WantReadError:
                    pass
                log("renegotiated", self.name, number)
                connection.sendall(body[5:])
            elif self.options.get("closes"):
                return connection.sendall(fields.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") + body)
            else:
                connection.sendall(fields + body)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--servers", required=True, help="options of each server by its name, in JSON")
    parser.add_argument("--ports", required=True, help="the file that gets the port of each")
    parser.add_argument("--ready", type=int, required=True, help="a port that answers once all others do")
    options = parser.parse_args()
    with open(options.servers) as file:
        servers = [Server(name, each) for name, each in json.load(file).items()]
    for server in servers:
        threading.Thread(target=server.serve, daemon=True).start()
    with open(options.ports + ".new", "w") as file:
        json.dump({server.name: server.port for server in servers}, file)
    os.rename(options.ports + ".new", options.ports)
    ready = socket.create_server(("127.0.0.1", options.ready))
    while True:
        ready.accept()[0].close()


if __name__ == "__main__":
    main()
