"""An FTP server for tests: anonymous and named users, MLSD, REST, explicit TLS; it logs every command."""

import argparse
import logging
import select

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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--user", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--rate", type=int, default=0)
    parser.add_argument("--disable", default="")
    parser.add_argument("--require-tls", action="store_true")
    parser.add_argument("--anonymous", action="store_true")
    options = parser.parse_args()

    config_logging(level=logging.DEBUG)
    IOLoop._poller = CurrentEvents
    authorizer = DummyAuthorizer()
    authorizer.add_user(options.user, options.password, options.root, perm="elradfmwMT")
    if options.anonymous:
        authorizer.add_anonymous(options.root)

    class DataHandler(TLS_DTPHandler, ThrottledDTPHandler):
        read_limit = options.rate
        write_limit = options.rate

    class Handler(TLS_FTPHandler):
        dtp_handler = DataHandler if options.rate else TLS_DTPHandler
        certfile = options.certificate
        tls_control_required = options.require_tls
        tls_data_required = options.require_tls
        # Tests do wrong passwords on purpose, and should not wait for the answer.
        auth_failed_timeout = 0
        permit_foreign_addresses = False
        proto_cmds = {
            name: properties
            for name, properties in TLS_FTPHandler.proto_cmds.items()
            if name not in options.disable.split(",")
        }

    Handler.authorizer = authorizer
    server = FTPServer(("127.0.0.1", options.port), Handler)
    server.max_cons = 1024
    server.serve_forever(handle_exit=False)


if __name__ == "__main__":
    main()
