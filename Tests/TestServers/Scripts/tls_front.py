"""Ends TLS in front of a server that speaks without: what comes is passed on as it is, in both directions.

Prints a line for each handshake: `handshake CLIENT`, with the common name of the client's certificate or a minus, or `failed`;
`used` for each connection on which the client has sent something, `reset` for each that was reset, and `abandoned` for each that was closed
behind the server's part of the handshake."""

import argparse
import itertools
import select
import socket
import ssl
import struct
import threading


def pass_on(client, context, options):
    # The handshake comes first: whoever only looks whether the port answers is no connection of the server's.
    client.settimeout(30)
    try:
        secure = context.wrap_socket(client, server_side=True)
    except OSError as error:
        # Who sends nothing at all only looks whether the port answers.
        if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
            print("failed", flush=True)
        client.close()
        return
    certificate = secure.getpeercert() or {}
    names = [value for part in certificate.get("subject", ()) for key, value in part if key == "commonName"]
    print("handshake", names[0] if names else "-", flush=True)
    with secure, socket.create_connection(("127.0.0.1", options.backend)) as plain:
        for connection in (secure, plain):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        is_used = False
        try:
            while True:
                ready, _, _ = select.select([secure, plain], [], [], 60)
                if not ready:
                    return
                if secure in ready:
                    while True:
                        data = secure.recv(65536)
                        if not data:
                            return
                        if not is_used:
                            is_used = True
                            print("used", flush=True)
                        plain.sendall(data)
                        if not secure.pending():
                            break
                if plain in ready:
                    data = plain.recv(65536)
                    if not data:
                        (reset if options.resets else finish)(secure)
                        return
                    secure.sendall(data)
        except OSError:
            pass


def finish(secure):
    """Sends FIN, and reads until the client has closed: for bytes that nobody has read the kernel would send RST."""
    secure.settimeout(10)
    secure.shutdown(socket.SHUT_WR)
    while secure.recv(65536):
        pass


def reset(secure):
    """Sends RST behind what was sent, as the kernel does where a program closes, or ends, with bytes that it has not read."""
    secure.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    secure.close()
    print("reset", flush=True)


def abandon(client, context):
    """Answers the ClientHello, and closes: what the client sends then the kernel answers with RST."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    secure = context.wrap_bio(incoming, outgoing, server_side=True)
    with client:
        client.settimeout(30)
        while not outgoing.pending:
            data = client.recv(65536)
            if not data:
                return
            incoming.write(data)
            try:
                secure.do_handshake()
            except ssl.SSLWantReadError:
                pass
        client.sendall(outgoing.read())
    print("abandoned", flush=True)


def serve(client, context, options, abandoned):
    # A connection without a ClientHello counts for nothing.
    if options.abandons and client.recv(1, socket.MSG_PEEK) and next(abandoned) < options.abandons:
        abandon(client, context)
    else:
        pass_on(client, context, options)


def make_context(options, certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols([options.protocol])
    if options.client_authority:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(options.client_authority)
    return context


def show_another_later(context, other):
    """The second handshake and those behind it get another context. A connection without a ClientHello counts for nothing."""
    numbers = itertools.count()

    def choose(connection, *_):
        if next(numbers) > 0:
            connection.context = other

    # Called without a server name, too.
    context.sni_callback = choose


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--backend", type=int, required=True)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--protocol", required=True)
    parser.add_argument("--client-authority", help="clients need a certificate from it")
    parser.add_argument("--then", nargs=2, metavar=("CERTIFICATE", "KEY"), help="what is shown from the second handshake on")
    parser.add_argument("--resets", action="store_true", help="connections are reset where the server closes")
    parser.add_argument("--abandons", type=int, default=0, help="how many connections are closed in the middle of the handshake")
    options = parser.parse_args()
    context = make_context(options, options.certificate, options.key)
    if options.then:
        show_another_later(context, make_context(options, *options.then))
    abandoned = itertools.count()
    listener = socket.create_server(("127.0.0.1", options.port), backlog=256)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, context, options, abandoned), daemon=True).start()


if __name__ == "__main__":
    main()
