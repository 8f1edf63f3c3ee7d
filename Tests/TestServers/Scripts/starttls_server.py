"""A server of lines, on which TLS begins when the client asks for it. `echo TEXT` comes back; what else a line does is said below."""

import argparse
import contextlib
import socket
import ssl
import struct
import threading


def read_line(connection):
    line = b""
    while not line.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte:
            return None
        line += byte
    return line.strip().decode()


def say_goodbye(connection):
    """Says that nothing more comes, where there is TLS, and waits until the client has said so, too."""
    if isinstance(connection, ssl.SSLSocket):
        connection.unwrap().close()


def serve(connection, context):
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: connection.close())
        # Longer than tests let a handshake stand, on a busy machine as well.
        connection.settimeout(180)
        while (line := read_line(connection)) is not None:
            if line.startswith("echo "):
                connection.sendall(line[5:].encode() + b"\n")
            elif line == "STARTTLS":
                connection.sendall(b"go\n")
                connection = context.wrap_socket(connection, server_side=True)
            elif line == "INJECT":
                # As somebody on the way would, who hopes that it is read as what TLS protects (CVE-2011-0411).
                connection.sendall(b"go\ninjected\n")
                connection = context.wrap_socket(connection, server_side=True)
            elif line == "GARBAGE":
                connection.sendall(b"go\n")
                connection.recv(1024)
                connection.sendall(b"this is no TLS\n" * 100)
                return
            elif line == "CLOSE":
                connection.sendall(b"go\n")
                connection.recv(1024)
                return
            elif line == "GOODBYE":
                connection.sendall(b"bye")
                break
            elif line in ("RESET", "LEAVE"):
                connection.sendall(b"bye")
                if line == "RESET":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            elif line == "SILENCE":
                connection.sendall(b"go\n")
                while connection.recv(1024):
                    pass
                return
        say_goodbye(connection)


def guarded(connection, context):
    try:
        serve(connection, context)
    except OSError:
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--key", required=True)
    options = parser.parse_args()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
    listener = socket.create_server(("127.0.0.1", options.port), backlog=256)
    while True:
        client, _ = listener.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=guarded, args=(client, context), daemon=True).start()


main()
