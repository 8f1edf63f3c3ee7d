"""Serves a folder to anonymous users: ftp_server.py FOLDER PORT."""

import sys

from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer

FTPHandler.authorizer = DummyAuthorizer()
FTPHandler.authorizer.add_anonymous(sys.argv[1])
# By sendfile it cannot be told to stop in the middle of a file.
FTPHandler.use_sendfile = False
FTPServer(("127.0.0.1", int(sys.argv[2])), FTPHandler).serve_forever()
