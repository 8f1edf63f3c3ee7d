"""An FTP server for tests: anonymous and named users, MLSD, REST, explicit TLS; it logs every command and TLS handshake."""

import argparse
import logging
import select

from OpenSSL import SSL
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import DTPHandler, ThrottledDTPHandler, TLS_DTPHandler, TLS_FTPHandler
from pyftpdlib.ioloop import IOLoop
from pyftpdlib.log import config_logging
from pyftpdlib.servers import FTPServer


class CurrentEvents:
    """What pyftpdlib waits with: select.epoll, but an event that is out of date is left out.

    A connection that is closed in the middle of a round gives its descriptor to the next one that is accepted in the
    same round. What had been found on the old one closed the new one then.
    """

    def __init__(self):
        self._epoll = select.epoll()
        self._new = set()

    def __getattr__(self, name):
        return getattr(self._epoll, name)

    def register(self, descriptor, events):
        self._new.add(descriptor)
        self._epoll.register(descriptor, events)

    def poll(self, timeout):
        self._new.clear()
        events = self._epoll.poll(timeout)
        return (event for event in events if event[0] not in self._new)


VERSIONS = {"1.2": SSL.TLS1_2_VERSION, "1.3": SSL.TLS1_3_VERSION}


def make_context(options):
    context = SSL.Context(SSL.TLS_SERVER_METHOD)
    context.use_certificate_chain_file(options.certificate)
    context.use_privatekey_file(options.certificate)
    # Without it no session is resumed that has a certificate of the client.
    context.set_session_id(b"ftp_server")
    if options.tls:
        context.set_min_proto_version(VERSIONS[options.tls])
        context.set_max_proto_version(VERSIONS[options.tls])
    if options.client_authority:
        context.set_verify(
            SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT,
            lambda connection, certificate, error, depth, good: bool(good))
        context.load_verify_locations(options.client_authority)
        context.load_client_ca(options.client_authority.encode())
    return context


def log_handshake(handler, kind):
    """Returns whether a session was resumed."""
    # No method of pyOpenSSL's says so. Its version is pinned.
    resumed = SSL._lib.SSL_session_reused(handler.socket._ssl)
    certificate = handler.socket.get_peer_certificate()
    subject = certificate.get_subject().CN if certificate else "-"
    handler.log(f"TLS {kind} resumed={resumed} client={subject};")
    return resumed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--user", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--rate", type=int, default=0)
    parser.add_argument("--disable", default="")
    parser.add_argument("--passive-ports", default="", help="of data connections, with commas; any if empty")
    parser.add_argument("--require-tls", action="store_true")
    parser.add_argument("--tls", choices=VERSIONS, help="the only version")
    parser.add_argument("--client-authority", default="", help="clients need a certificate from it")
    parser.add_argument("--require-resumption", action="store_true", help="by data connections")
    parser.add_argument("--anonymous", action="store_true")
    options = parser.parse_args()

    config_logging(level=logging.DEBUG)
    IOLoop._poller = CurrentEvents
    authorizer = DummyAuthorizer()
    authorizer.add_user(options.user, options.password, options.root, perm="elradfmwMT")
    if options.anonymous:
        authorizer.add_anonymous(options.root)

    class DataHandler(TLS_DTPHandler):
        def handle_ssl_established(self):
            if not log_handshake(self, "data") and options.require_resumption:
                self.cmd_channel.respond("522 The session of the control connection is to be resumed.")
                self.close()

    class ThrottledDataHandler(DataHandler, ThrottledDTPHandler):
        read_limit = options.rate
        write_limit = options.rate

    class Handler(TLS_FTPHandler):
        dtp_handler = ThrottledDataHandler if options.rate else DataHandler
        ssl_context = make_context(options)
        tls_control_required = options.require_tls
        tls_data_required = options.require_tls
        # Tests do wrong passwords on purpose, and should not wait for the answer.
        auth_failed_timeout = 0
        permit_foreign_addresses = False
        passive_ports = [int(port) for port in options.passive_ports.split(",") if port] or None
        proto_cmds = {
            name: properties
            for name, properties in TLS_FTPHandler.proto_cmds.items()
            if name not in options.disable.split(",")
        }

        def handle_ssl_established(self):
            log_handshake(self, "control")

    Handler.authorizer = authorizer
    server = FTPServer(("127.0.0.1", options.port), Handler)
    server.max_cons = 1024
    server.serve_forever(handle_exit=False)


if __name__ == "__main__":
    main()
